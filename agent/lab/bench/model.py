"""What a model costs beside the service: the whole measurement, against the loopback server.

No model is asked: a server on loopback makes up the answers (`agent/fake_claude`), and the real SDK asks it. What a
service takes is therefore not measured, nor what an answer is worth. How long prompts are, what of them is sent again
and what is memory's own do not depend on who answers. Tokens are by the server's measure, about 3.6 bytes each.

A game asks every 60 ticks beside all else it asks about. A long talk asks that game's questions again and again in one
conversation, so that its older part is observed over and over; distilled is `--distil`: a model observes. Memory's own
are the calls of observer and reflector, and within other prompts what is told of the last session, of the older
conversation and of what this session observed.
"""

import gc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeAlias

from agent.lab.bench.limits import bounded
from agent.lab.bench.model_costs import block, booking, conversing, talked, taping
from agent.lab.bench.model_games import ConversationTokens, played
from agent.lab.publish import Findings, Row
from emulator import Cartridge

Say: TypeAlias = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class ModelEffort:
    """How much is measured: ticks of a game at most, questions of the long talks, turns of a tape and of a conversation.

    `calls` are those made before the one that is booked, `rounds` how often what is short is done.
    """

    ticks: int = 6_000
    questions: int = 400
    tape: int = 200
    turns: int = 3_000
    calls: int = 1_000
    rounds: int = 200


QUICK_MODEL: Final = ModelEffort(1_500, 60, 40, 400, 100, 50)


def measure_model(cartridge: Cartridge, say: Say, effort: ModelEffort | None = None) -> Findings:
    """Return every figure; `say` is told what is being done."""
    try:
        with TemporaryDirectory(prefix="bench-model-") as home:
            return _measured(cartridge, say, effort or ModelEffort(), Path(home))
    finally:
        gc.unfreeze()  # what was measured was kept from the collector


def _measured(cartridge: Cartridge, say: Say, effort: ModelEffort, home: Path) -> Findings:
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
    found = bounded("bench model", cartridge.name, held, figures)

    def draw() -> bytes:
        from agent.lab.plots import stacks_plot

        return stacks_plot({"tokens by kind": {each.name: each.kinds for each in talks}}, "tokens")

    return found._replace(
        figures={**found.figures, "talks": [each.as_json() for each in talks]},
        tables=[*found.tables, [_talk_row(each) for each in talks]],
        draw=draw,
    )


def _in(home: Path, name: str) -> Path:
    folder = home / name
    folder.mkdir()
    return folder


def _talk_row(talk: ConversationTokens) -> Row:
    said = talk.said
    return {
        "talk": talk.name,
        "questions": talk.questions,
        "calls": len(talk.calls),
        "tokens a question": talk.kinds.total() / max(talk.questions, 1),
        "memory's own": talk.memory_share,
        "as play says": said.get("memory_share", 0.0),
        "read from the cache": said.get("cache_hits", 0.0),
        "misses": said.get("cache_misses", {}),
        "USD by list prices": said.get("usd", 0.0),
    }
