"""What memory costs a tick of play by watching it, consolidation apart."""

from functools import partial
from itertools import repeat
from time import process_time
from typing import Final

from agent.app.passing import NEVER, Nobody
from agent.app.session import Limits
from agent.bench.game import session_of
from agent.bench.memory.figures import Bound, MemoryFigure
from agent.bench.memory.timing import figure, lapse
from agent.bench.memory.writing import TICKS
from agent.bench.parts import CHECKPOINTS, PARTS
from agent.bench.stopwatch import Parts, Stopwatch
from agent.capabilities import Story
from emulator import Cartridge
from memory import AgentMemory, Hooks, hookable

WATCHING: Final = Bound("play watched and remembered, 1,000 ticks", None, None)
ASKING: Final = Bound("overhead of consolidation in between, 1,000 ticks", 10.0, 5.0)
DISABLED: Final = Bound("a disabled hook, a call", 1.0, 1.0, "μs")
REMEMBERING: Final = "remembering"
# Whatever is called from a hook and is not memory's watching has a name of its own, and so does not count.
APART: Final = frozenset({REMEMBERING, "consolidation", CHECKPOINTS, "the moment, for who watches"})
TIMED: Final[Parts] = {name: part for name, part in PARTS.items() if part in APART}
CALLS: Final = 1_000
ROUNDS: Final = 200


def watching(cartridge: Cartridge, games: int, ticks: int) -> MemoryFigure:
    """Return what hooks, extractors, blackboard and its edges take in a thousand ticks, of each game's first `ticks`."""
    took = []
    story = Story.of(cartridge.kind)
    for seed in range(games):
        stopwatch = Stopwatch(process_time)
        with stopwatch.on(TIMED), session_of(cartridge, story, seed) as (session, _):
            session.play(Limits(NEVER, ticks), Nobody())
        took.append(stopwatch.lap()[REMEMBERING] * TICKS / ticks)
    return figure(WATCHING, took)


def asking(memory: AgentMemory) -> MemoryFigure:
    """Return what a thousand questions take whether a consolidation is due, none of which is."""
    tick, last = memory.consolidator.tick, memory.consolidator.last_consolidation_tick

    def thousand() -> None:
        for _ in repeat(None, TICKS):
            tick(last)

    return figure(ASKING, [lapse(thousand) for _ in range(ROUNDS)])


class _Watched:
    """Something with a hook that nobody watches, though others are watched, and the same without."""

    def __init__(self) -> None:
        self.hooks = Hooks()
        self.hooks.after("_Watched.another", lambda _call, _result: None)

    @hookable
    def hooked(self) -> None:
        """Do nothing, where one could watch."""

    def plain(self) -> None:
        """Do nothing."""


def disabled_hook() -> MemoryFigure:
    """Return what a hook adds to a call when nobody watches."""
    watched = _Watched()

    def calls(method: object) -> None:
        for _ in repeat(None, CALLS):
            method()  # type: ignore[operator]

    extra = [
        (lapse(partial(calls, watched.hooked)) - lapse(partial(calls, watched.plain))) / CALLS
        for _ in range(ROUNDS)
    ]
    return figure(DISABLED, extra)
