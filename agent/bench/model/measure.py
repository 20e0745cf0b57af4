"""The whole measurement of what a model costs beside the service, in one process, against the loopback server."""

import gc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from agent.bench.model.booking import block, booking
from agent.bench.model.conversing import conversing
from agent.bench.model.figures import ModelFigures
from agent.bench.model.game import played
from agent.bench.model.talking import talked
from agent.bench.model.taping import taping
from emulator import Cartridge

Say: TypeAlias = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured: ticks of a game at most, questions of the long talks, turns of a tape and of a conversation.

    `calls` are those made before the one that is booked, `rounds` how often what is short is done.
    """

    ticks: int = 6_000
    questions: int = 400
    tape: int = 200
    turns: int = 3_000
    calls: int = 1_000
    rounds: int = 200


def measure_model(cartridge: Cartridge, say: Say, effort: Effort | None = None) -> ModelFigures:
    """Return every figure; `say` is told what is being done."""
    try:
        with TemporaryDirectory(prefix="bench-model-") as home:
            return _measured(cartridge, say, effort or Effort(), Path(home))
    finally:
        gc.unfreeze()  # what was measured was kept from the collector


def _measured(cartridge: Cartridge, say: Say, effort: Effort, home: Path) -> ModelFigures:
    ticks, questions = effort.ticks, effort.questions
    say("playing a game that asks a model, observed by rules")
    game = played(cartridge, _in(home, "game"), "a game", ticks, distils=False)
    say("playing it with a model that observes too")
    other = played(cartridge, _in(home, "distilled"), "a game, distilled", ticks, distils=True)
    say(f"asking {questions:,} questions in one conversation, twice")
    long = talked(game, _in(home, "long"), "long", questions, distils=False)
    longer = talked(game, _in(home, "long-too"), "long, distilled", questions, distils=True)
    say("recording, observing, activating and booking")
    figures = [
        *taping(game, _in(home, "tape"), effort.tape, max(effort.rounds // 10, 1)),
        *conversing(game, _in(home, "conversation"), effort.turns),
        block(cartridge, game, home, effort.rounds),
        *booking(home, effort.calls, effort.rounds),
        *long.figures,
    ]
    held = {
        "turns of a tape": effort.tape,
        "turns of a conversation": effort.turns,
        "questions of a long talk": questions,
        "calls booked before": effort.calls,
    }
    talks = [game.talk, other.talk, long.talk, longer.talk]
    return ModelFigures(cartridge.name, held, figures, talks)


def _in(home: Path, name: str) -> Path:
    folder = home / name
    folder.mkdir()
    return folder
