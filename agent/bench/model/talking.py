"""A conversation far longer than one game's: its questions asked again and again, of the loopback server, by the real SDK."""

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final

from agent.advisor import Question, Tool
from agent.app import AskSettings
from agent.app.hiring import Hiring, hiring_of
from agent.app.service import Service
from agent.bench.memory.figures import Bound, MemoryFigure
from agent.bench.model.booking import without_ceilings
from agent.bench.model.figures import Talk
from agent.bench.model.game import Game, talk_of
from agent.bench.model.lapses import Lapse, Lapses
from agent.bench.model.listening import Heard, heard
from agent.bench.model.loopback import loopback
from agent.mind import GAME_SECTIONS
from memory import observations_block, open_run_store

QUESTION: Final = Bound("a question, tools and service apart", None, None)
LATER: Final = 60  # ticks between two questions
SECONDS: Final = 15.0  # of the game in them


@dataclass(frozen=True, slots=True)
class Long:
    """The conversation, and what its questions took."""

    talk: Talk
    figures: Sequence[MemoryFigure]


def talked(game: Game, home: Path, name: str, count: int, *, distils: bool) -> Long:
    """Ask `count` questions of `game` in one conversation, and return what that came to."""
    with ExitStack() as stack:
        stack.enter_context(loopback())
        asked, completed, served = [
            stack.enter_context(heard(each))
            for each in (
                "agent.advisor.asking:ClaudeAdvisor.ask",
                "agent.advisor.calling:Calls.complete",
                "agent.fake_claude.handler:Handler.do_POST",
            )
        ]
        store = stack.enter_context(closing(open_run_store(home / "run.sqlite", run_id=name)))
        service = Service(store, _hiring(home, distils=distils), _told)
        with closing(service):
            advisor = service.asking(0).advisor(_tools(game), partial(_block, game))
            for question in islice(_again(game.questions), count):
                gc.freeze()  # what is kept of all requests is the measurement's, and not the game's
                advisor.ask(question)
        said = service.told_in(game.summary).advice or {}
    talk = talk_of(name, asked, completed, said)
    return Long(talk, [] if distils else list(_took(asked, served)))


def _took(asked: Sequence[Heard], served: Sequence[Heard]) -> Iterator[MemoryFigure]:
    took = Lapses()
    for each in asked:
        took.note(QUESTION, Lapse(each.cpu_s, each.wall_s - _serving(each, served)))
    return took.figures()


def _serving(question: Heard, served: Sequence[Heard]) -> float:
    """Return how long the server was at work for a question; nothing of ours goes on meanwhile."""
    ended = question.began + question.wall_s
    return sum(
        min(each.wall_s, ended - each.began)
        for each in served
        if question.began <= each.began < ended
    )


def _hiring(home: Path, *, distils: bool) -> Hiring:
    hiring = hiring_of(AskSettings(tapes=home / "tapes", distils=distils), home)
    return hiring._replace(terms=without_ceilings(hiring.terms))


def _again(questions: Sequence[Question]) -> Iterator[Question]:
    """Yield the questions without end, each later than the one before."""
    for number, each in enumerate(cycle(questions), start=1):
        yield replace(each, tick=LATER * number, game_s=SECONDS * number)


def _tools(game: Game) -> list[Tool]:
    """Return the tools of the game, which say again what one of them said there."""
    return [replace(tool, run=partial(_canned, game)) for tool in game.fixed.tools]


def _canned(game: Game, _asked: Mapping[str, Any]) -> str:
    results = [each.result["content"][0]["text"] for each in game.tools]
    return str(results[0]) if results else "nothing is known"


def _block(game: Game) -> str | None:
    return observations_block(game.observations, GAME_SECTIONS)


def _told(_name: str, _error: Exception) -> None:
    """Nobody is told: what failed is counted, and is among what the talk says."""
