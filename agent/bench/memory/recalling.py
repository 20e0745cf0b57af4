"""What it takes to find something among very many observations, and to tell it in a prompt."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from agent.bench.memory.figures import Bound, MemoryFigure
from agent.bench.memory.fill import EVERY_S, Names
from agent.bench.memory.timing import timed
from agent.mind import AGENT
from memory import (
    Blackboard,
    Flows,
    Hooks,
    Maintenance,
    MemoryActions,
    MemoryQuery,
    RunStore,
    gather_context,
)

PLACE: Final = Bound("recall: by place", 5.0, 1.0)
SPECIES: Final = Bound("recall: by species", 5.0, 1.0)
BOTH: Final = Bound("recall: place and species, the last hour", 5.0, 1.0)
TAGGED: Final = Bound("recall, worst case: a tag of one in forty", None, None)
WORDS: Final = Bound("recall, worst case: a word that many have", None, None)
COMMONEST: Final = Bound("recall, worst case: the commonest word", None, None)
PROMPT: Final = Bound("prompt block: gathered, ranked and written", 5.0, 5.0)
HOUR: Final = 3_600.0  # game seconds
TOKENS: Final = 2_000
ASKED: Final = 20


def recalling(
    store: RunStore, aside: RunStore, names: Names, count: int, often: int
) -> Iterator[MemoryFigure]:
    """Yield what recall takes in `store`, which holds `count` observations; what is asked for is noted `aside`."""
    now_s = EVERY_S * count
    rounds = max(often // ASKED, 1)
    for bound, asked in _questions(names, now_s).items():
        yield timed(bound, [partial(store.find, each, now_s=now_s) for each in asked], rounds)
    actions = _actions(store, aside, now_s)
    whole = [MemoryQuery(place=names.where(n), subject=names.whom(n)) for n in range(ASKED)]
    yield timed(PROMPT, [partial(gather_context, actions, each, TOKENS) for each in whole], rounds)


def _questions(names: Names, now_s: float) -> dict[Bound, Sequence[MemoryQuery]]:
    numbers = range(ASKED)
    return {
        PLACE: [MemoryQuery(place=names.where(each)) for each in numbers],
        SPECIES: [MemoryQuery(subject=names.whom(each)) for each in numbers],
        BOTH: [
            MemoryQuery(place=names.where(each), subject=names.whom(each), since_s=now_s - HOUR)
            for each in numbers
        ],
        TAGGED: [MemoryQuery(all_of=frozenset({f"route {each}"})) for each in numbers],
        WORDS: [MemoryQuery(text=names.whom(each)) for each in numbers],
        COMMONEST: [MemoryQuery(text="action")],
    }


def _actions(store: RunStore, aside: RunStore, now_s: float) -> MemoryActions:
    blackboard = Blackboard(
        aside
    )  # it would hold all that the file does, which no scope has room for
    blackboard.expire(now_s)
    flows, maintenance = Flows(blackboard), Maintenance(blackboard)
    return MemoryActions(blackboard, store, Hooks(), flows, maintenance, AGENT)
