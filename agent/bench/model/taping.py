"""What it takes to record a conversation that only grows, to call its nodes by their hashes, and to observe it afterwards."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final

from agent.advisor.secrets import Mask
from agent.bench.memory.figures import Bound, MemoryFigure
from agent.bench.memory.timing import figure, lapse
from agent.bench.model.game import Game
from agent.bench.model.lapses import Lapses
from agent.bench.model.loopback import KEY
from memory.tapes.blocks import blocks_of
from memory.tapes.hashing import Bucket
from memory.tapes.observing import Observing, observe
from memory.tapes.recorder import TapeRecorder
from memory.tapes.secrets import mask_secrets
from memory.tapes.tape import open_tape

RECORDER: Final = Bound("recorder, a node", 1.0, 1.0)
OBSERVER: Final = Bound("reader and observer of tapes, a turn", 2.0, 2.0)
HASH: Final = Bound("hash v1, a node", None, None, "μs")
KEY_MASK: Final = Bound("mask of the key, a KB", None, None, "μs")
TAPE_MASK: Final = Bound("mask of a tape, a KB", None, None, "μs")
MODEL: Final = "claude"
STARTED: Final = 1_800_000_000.0  # epoch seconds
A_NODE: Final = 2  # nodes in a turn: what was asked, and what came
KILO: Final = 1_000
ROUNDS: Final = 200


def taping(game: Game, home: Path, turns: int, rounds: int) -> Iterator[MemoryFigure]:
    """Yield what a tape of so many turns takes: its recorder, and its observer so many times over."""
    path = home / "tapes.sqlite"
    took = Lapses()
    _record(game, path, turns, took)
    work = partial(observe, Observing(path, home / "memory", reset=True))
    for _ in range(rounds):
        took.of(OBSERVER, work, turns)
    yield from took.figures()
    yield _hashing(game)
    text = _text(game)
    for bound, mask in ((KEY_MASK, Mask([KEY])), (TAPE_MASK, mask_secrets)):
        masked = [lapse(partial(mask, text)) * KILO / len(text.encode()) for _ in range(rounds)]
        yield figure(bound, masked)


def _record(game: Game, path: Path, turns: int, took: Lapses) -> None:
    """Record one conversation, all of which is sent again with every call."""
    messages: list[Mapping[str, Any]] = []
    with closing(open_tape(path)) as tape:
        recorder = TapeRecorder(tape, agent_name="bench", clock=lambda: STARTED, mask=Mask([KEY]))
        for sent, came in islice(cycle(game.taped), turns):
            messages.append({"role": "user", "content": sent["messages"][-1]["content"]})
            request = {"model": MODEL, "messages": list(messages)}
            took.of(RECORDER, partial(recorder.record, request, came), A_NODE)
            messages.append({"role": "assistant", "content": came["content"]})


def _hashing(game: Game) -> MemoryFigure:
    """Return what the name of a node takes: of questions and answers by turns."""
    contents = [each for sent, came in game.taped for each in (sent["messages"][-1], came)]
    buckets = [Bucket(each["role"], blocks_of(each["content"], str), MODEL) for each in contents]
    parent = "0" * 64
    took = [
        lapse(partial(bucket.hash, parent)) for bucket in islice(cycle(buckets), ROUNDS * A_NODE)
    ]
    return figure(HASH, took)


def _text(game: Game) -> str:
    """Return what was said in the game, as text."""
    blocks = (block for each in game.messages for block in each.blocks)
    return "\n".join(str(block.get("text", "")) for block in blocks)
