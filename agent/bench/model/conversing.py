"""A conversation's own work beside calls of a model: what is said kept, observed, activated and laid out to be sent."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Final

from agent.advisor.layout import request_of
from agent.advisor.turns import text
from agent.bench.memory.figures import Bound, MemoryFigure
from agent.bench.memory.timing import timed
from agent.bench.model.game import Game
from agent.bench.model.lapses import Lapses, lapse_of
from memory.thread.conversation import DEFAULTS, Conversation
from memory.thread.means import Means
from memory.thread.message import Message
from memory.thread.observing import HeuristicObserver
from memory.thread.parts import Part, PartKind
from memory.thread.reflecting import HeuristicReflector
from memory.thread.store import open_threads

ACTIVATION: Final = Bound("before a call that activates what waits, without a model", 5.0, 5.0)
PROMPT: Final = Bound("before a call with nothing due, and its request laid out", 5.0, 5.0)
REFLECTION: Final = Bound("before a call that reflects, without a model", None, None)
KEPT: Final = Bound("a message kept for good", None, None)
AFTER: Final = Bound("after a turn: observed ahead of need, where enough came together", None, None)
OBSERVER: Final = Bound("observer of a conversation without a model, a turn", 2.0, 2.0)
STATE: Final = "what is asked at this moment"
MODEL: Final = "claude"
STARTED: Final = 1_800_000_000.0  # epoch seconds


def conversing(game: Game, home: Path, turns: int) -> Iterator[MemoryFigure]:
    """Yield what a conversation of so many turns took, which says again and again what was said in `game`."""
    yield observing(game.messages)
    told: list[PartKind] = []
    means = Means(
        HeuristicObserver(),
        HeuristicReflector(),
        clock=lambda: STARTED,
        on_part=partial(_note, told),
    )
    took = Lapses()
    with closing(open_threads(home / "threads.sqlite")) as store:
        conversation = Conversation(store, "bench", means)
        for number, turn in zip(range(turns), cycle(list(_turns(game.messages))), strict=False):
            for message in turn:
                if message.role == "assistant":
                    told.clear()
                    _before(conversation, game, told, took)
                took.of(KEPT, partial(_say, conversation, message, number))
            took.of(AFTER, conversation.after_turn)
    yield from took.figures()


def observing(messages: Sequence[Message]) -> MemoryFigure:
    """Return what an observer without a model takes for a turn, with as much of what was known before as it is shown."""
    observer = HeuristicObserver()
    known = observer.observe(messages, "").observations
    known = (known * 20)[: 4 * DEFAULTS.observation.previous_observer_tokens]
    works = [partial(observer.observe, turn, known) for turn in _turns(messages)]
    return timed(OBSERVER, works, max(400 // len(works), 1))


def _before(conversation: Conversation, game: Game, told: list[PartKind], took: Lapses) -> None:
    def prepare() -> None:
        sight = conversation.before_call(0)
        request_of(game.fixed, sight, sight.tail, [text(STATE)], MODEL, "")

    before = _reflections(conversation)
    lapse, _ = lapse_of(prepare)
    if _reflections(conversation) != before:
        took.note(REFLECTION, lapse)
    else:
        took.note(ACTIVATION if PartKind.ACTIVATION in told else PROMPT, lapse)


def _reflections(conversation: Conversation) -> tuple[int, bool]:
    record = conversation.record()
    return record.generation_count, record.buffered_reflection is not None


def _note(told: list[PartKind], part: Part) -> None:
    told.append(part.kind)


def _say(conversation: Conversation, message: Message, number: int) -> None:
    conversation.say(message.role, message.blocks, message.origin, number, float(number))


def _turns(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Yield each question with all that was said until its answer."""
    turn: list[Message] = []
    for message in messages:
        is_answer = message.role == "assistant" and all(
            each["type"] == "text" for each in message.blocks
        )
        turn.append(message)
        if is_answer:
            yield turn
            turn = []
