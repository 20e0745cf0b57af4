"""What a model costs beside the service: the whole measurement, against the loopback server, and its page."""

import gc
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple, TypeAlias

from agent.lab.bench.limits import HEAD, MemoryFigures, MemoryRow, memory_rows
from agent.lab.bench.model_costs import block, booking, conversing, talked, taping
from agent.lab.bench.model_games import KINDS, ConversationTokens, ModelFigures, played
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


def measure_model(
    cartridge: Cartridge, say: Say, effort: ModelEffort | None = None
) -> ModelFigures:
    """Return every figure; `say` is told what is being done."""
    try:
        with TemporaryDirectory(prefix="bench-model-") as home:
            return _measured(cartridge, say, effort or ModelEffort(), Path(home))
    finally:
        gc.unfreeze()  # what was measured was kept from the collector


def _measured(cartridge: Cartridge, say: Say, effort: ModelEffort, home: Path) -> ModelFigures:
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


ABOUT: Final = (
    "No model was asked: a server on loopback made up the answers (`agent/fake_claude`), and the real SDK asked it.",
    "What a service takes is therefore not in here, and what an answer is worth neither; how long prompts are, what of",
    "them is sent again and what is memory's own do not depend on who answers. Tokens are by the server's measure,",
    "about 3.6 bytes each; the service has its own.",
    "",
    "A verdict is on the 99th percentile. *Limit* is what the design allows, *aim* what we want. Times are of the",
    "processor, so that whatever else runs does not count; what writes to the disk is told by the wall as well, where it",
    "does, with whatever else runs. What the server took for a question is taken off its time by the wall. As in play,",
    "the collector is kept off what was there before.",
)
TALKS: Final = (
    "A game is the demo to its last milestone, which asks every 60 ticks beside all else it asks about.",
    "A long talk asks that game's questions again and again in one conversation, with what its tools said there, so",
    "that its older part is observed and let go of over and over. *Distilled* is `--distil`: a model observes. All of it",
    "is asked within minutes, so that nothing runs out of the cache meanwhile; after a pause of five minutes a call would",
    "write the conversation anew.",
    "",
    "*Memory's own* are the calls of observer and reflector, and within all other prompts what is told of the last",
    "session, of the older conversation and of what this session observed. What a model asks a tool for is not in it.",
    "*As play says* is the same by the estimate of four characters a token that a summary has.",
)


class TalkRow(NamedTuple):
    """One talk in words."""

    talk: str
    questions: str
    calls: str
    a_question: str
    memory: str
    said: str
    hits: str
    misses: str
    dollars: str


TALK_HEAD: Final = TalkRow(
    "talk",
    "questions",
    "calls",
    "tokens a question",
    "memory's own",
    "as play says",
    "read from the cache",
    "misses",
    "USD by list prices",
)


def model_rows(figures: ModelFigures) -> Iterator[MemoryRow]:
    """Yield every figure that has a limit or is a time."""
    return memory_rows(MemoryFigures(figures.cartridge, figures.held, figures.figures))


def talk_rows(talks: Sequence[ConversationTokens]) -> Iterator[TalkRow]:
    """Yield every talk."""
    for each in talks:
        said = each.said
        yield TalkRow(
            each.name,
            f"{each.questions:,}",
            f"{len(each.calls):,}",
            f"{each.kinds.total() / max(each.questions, 1):,.0f}",
            f"{each.memory_share:.1%}",
            f"{said.get('memory_share', 0.0):.1%}",
            f"{said.get('cache_hits', 0.0):.1%}",
            _counts(said.get("cache_misses", {})) or "none",
            f"{said.get('usd', 0.0):.3f}",
        )


def model_page(figures: ModelFigures, picture: str) -> str:
    """Return the page that `bench model --write` leaves; `picture` is the name of the file beside it."""
    held = ", ".join(f"{count:,} {what}" for what, count in figures.held.items())
    lines = [
        "# Asking a model, measured",
        "",
        f"Written by `python -m agent bench model --write docs/bench_model.md`, on {os.cpu_count()} cores; every",
        f"figure is from one run of it. {figures.cartridge}: {held}.",
        "",
        *ABOUT,
        "",
        *_table(HEAD, list(model_rows(figures)), "|---|--:|--:|--:|--:|---|"),
        "",
        "## Tokens",
        "",
        *TALKS,
        "",
        *_table(TALK_HEAD, list(talk_rows(figures.talks)), "|---|--:|--:|--:|--:|--:|--:|---|--:|"),
        "",
        "By kind:",
        "",
        *_shares({each.name: each.kinds for each in figures.talks}, KINDS),
        "",
        "What was sent with questions, by what it is for:",
        "",
        *_shares({each.name: each.parts for each in figures.talks}, _parts(figures.talks)),
        "",
        f"![tokens of each call of the long talks, by kind]({picture})",
    ]
    return "\n".join(lines) + "\n"


def _parts(talks: Sequence[ConversationTokens]) -> Sequence[str]:
    return list(dict.fromkeys(name for each in talks for name in each.parts))


def _shares(counts: Mapping[str, Mapping[str, int]], names: Sequence[str]) -> list[str]:
    """Return a table of tokens and shares, a talk a column."""
    rows = []
    for name in names:
        cells = [
            f"{each.get(name, 0):,} ({each.get(name, 0) / max(sum(each.values()), 1):.0%})"
            for each in counts.values()
        ]
        rows.append([name.replace("_", " "), *cells])
    return _table(["tokens", *counts], rows, "|---|" + "--:|" * len(counts))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], rule: str) -> list[str]:
    return [f"| {' | '.join(head)} |", rule, *(f"| {' | '.join(row)} |" for row in rows)]


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{each} {count}" for each, count in counts.items())
