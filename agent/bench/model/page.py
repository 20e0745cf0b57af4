"""The figures of a model in words: a page for the documentation."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from agent.bench.memory.figures import MemoryFigures
from agent.bench.memory.page import HEAD, MemoryRow, memory_rows
from agent.bench.model.figures import KINDS, ModelFigures, Talk

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


def talk_rows(talks: Sequence[Talk]) -> Iterator[TalkRow]:
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


def _parts(talks: Sequence[Talk]) -> Sequence[str]:
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
