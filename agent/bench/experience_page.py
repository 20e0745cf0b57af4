"""The measurement of memory in words: rows for a table, and a page for the documentation."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, Final, NamedTuple

from agent.bench.experience import SHORT, WHOLE, Reached, Twice
from agent.bench.pairs import Paired


class ExperienceRow(NamedTuple):
    """One comparison up to one milestone, in figures that can be printed."""

    what: str
    games: str
    taught: str
    empty: str
    better: str
    worse: str
    difference: str
    p_value: str


HEAD: Final = ExperienceRow(
    "up to",
    "games",
    "taught",
    "empty",
    "better with it",
    "worse with it",
    "difference (95%)",
    "p",
)
ABOUT: Final = """\
# Battles with and without memory

Written by `python -m agent bench experience --teach {teach} --seeds {seeds} --write {path}` on {cartridge}.

The games of seeds {teach} are played one after the other to the story's last milestone, all with one memory. Then each
game of seeds {seeds} is played twice from power-on by the same rules: with a copy of that memory, and with an empty one.
Every {whole}th goes to the story's last milestone, the others to `{short}`, behind the first battle. The seed decides all
else: how long is waited at the title, and every lot that is drawn.

What memory changes there: at each milestone a run notes what it chose where the story offers several ways, and what
battles took so far; the next runs take the way that took fewest turns (`agent/capabilities/ways.py`). So the first battle
of the two games of one seed may be fought by another companion, against another of the rival's. Costs and the strength
wanted (`--without costs`, `--without strength`) count as well where something was taught of them.

Wins are compared by the exact two-sided McNemar test, with Newcombe's method 10 for the interval of the difference; turns
and ticks by the exact sign test on the games in which they differ.
"""


def experience_rows(games: Sequence[Twice], milestones: Sequence[str]) -> Iterator[ExperienceRow]:
    """Yield how battles went, and what they took, up to each of `milestones` that games reached."""
    for name in milestones:
        pairs = _up_to(games, name)
        if pairs:
            yield _won(name, pairs)
            yield _fewer(f"turns of battle to {name}", [(a.turns, b.turns) for a, b in pairs])
            yield _fewer(f"battles to {name}", [(a.battles, b.battles) for a, b in pairs])
            yield _fewer(f"ticks to {name}", [(a.tick, b.tick) for a, b in pairs])


def experience_json(games: Sequence[Twice], milestones: Sequence[str]) -> dict[str, Any]:
    """Return the figures in plain JSON types."""
    return {row.what: row._asdict() for row in experience_rows(games, milestones)} | {
        "games": len(games)
    }


def experience_page(
    cartridge: str, teach: str, seeds: str, path: str, games: Sequence[Twice], last: str
) -> str:
    """Return the page that `bench experience --write` leaves."""
    about = ABOUT.format(
        teach=teach, seeds=seeds, path=path, cartridge=cartridge, whole=WHOLE, short=SHORT
    )
    lines = [
        about,
        "| " + " | ".join(HEAD) + " |",
        "|---|" + "--:|" * (len(HEAD) - 1),
        *["| " + " | ".join(row) + " |" for row in experience_rows(games, (SHORT, last))],
        "",
        f"Ways taken, taught: {_ways(each.taught for each in games)}.",
        f"Ways taken, empty: {_ways(each.empty for each in games)}.",
    ]
    return "\n".join(lines) + "\n"


def _up_to(games: Sequence[Twice], name: str) -> list[tuple[Reached, Reached]]:
    both = [each for each in games if name in each.taught and name in each.empty]
    return [(each.taught[name], each.empty[name]) for each in both]


def _won(name: str, pairs: Sequence[tuple[Reached, Reached]]) -> ExperienceRow:
    counts = Paired.of((one.won_all, other.won_all) for one, other in pairs)
    (low, high), (taught, empty) = counts.interval(), counts.rates
    return ExperienceRow(
        f"no battle lost to {name}",
        str(counts.count),
        f"{taught:.1%}",
        f"{empty:.1%}",
        str(counts.first),
        str(counts.second),
        f"{counts.difference:+.1%} ({low:+.1%} to {high:+.1%})",
        f"{counts.p_value():.2g}",
    )


def _fewer(what: str, pairs: Sequence[tuple[int, int]]) -> ExperienceRow:
    signs = Paired.of((one < other, other < one) for one, other in pairs)
    taught, empty = (fmean(each) for each in zip(*pairs, strict=True))
    return ExperienceRow(
        what,
        str(len(pairs)),
        f"{taught:,.1f}",
        f"{empty:,.1f}",
        str(signs.first),
        str(signs.second),
        f"{taught - empty:+,.1f} ({taught / empty - 1:+.1%})",
        f"{signs.p_value():.2g}",
    )


def _ways(games: Iterator[Mapping[str, Reached]]) -> str:
    taken = Counter(
        f"{choice} {way}"
        for each in games
        for choice, way in max(each.values(), key=lambda at: at.tick).choices.items()
    )
    return ", ".join(f"{name}: {count}" for name, count in sorted(taken.items())) or "none"
