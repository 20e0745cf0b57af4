"""The experiment as a page for people."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from agent.bench.experience.arms import EMPTY, TAUGHT
from agent.bench.experience.experiment import Experiment
from agent.bench.experience.says import says
from agent.bench.experience.tables import (
    BESIDE_HEAD,
    DEED_HEAD,
    PAIRED_HEAD,
    WAY_HEAD,
    beside_rows,
    deed_rows,
    paired_rows,
    use_rows,
    way_rows,
)

HOW = """\
The games of seeds {teach} are played one after the other to the story's last milestone, all with one memory. Then each
game of seeds {seeds} is played from power-on to `{until}` once in each arm, by the same rules: *taught*, with a copy of
that memory; *empty*, with an empty one; {each}.
The seed decides all else: how long is waited at the title, and every lot that is drawn. No seed that is tested has taught
anything.

Every difference is with memory less without it, in pairs of the same seed: below 0 memory took less, and less is better
in all that is counted here. Means have the 95% interval of a percentile bootstrap over the pairs (2,000 draws, a fixed
seed), shares of games that of Newcombe's method 10 for pairs; `p` is the exact two-sided sign test on the pairs that
differ. Ticks are what was to be found out; nothing is corrected for looking at the others as well. A game that is not at
`{until}` after {limit:,} ticks, or ends before, counts as if it got there at {limit:,}. One memory was taught: intervals tell how
far the seeds tested may mislead, not what other lessons would have taught.
"""
EACH = "and *taught without* each use of memory, which is switched off (`play --without`)"
BOTH = "no use of memory is switched off by itself"
USES = """\
The taught games less those that are taught as well but make no such use of it: below 0 the use takes ticks away. *Other
games* counts the seeds whose game is another one with the use than without it.
"""
BESIDE = """\
Games with an empty memory must not have become worse. The other seeds and their figures are those of
[{name}]({name}), so the two are not pairs; intervals are of the difference of two means, each drawn by itself.
"""
WAYS = """\
The same pairs by the way that the lot gave the empty game, which memory leaves where it knows a better one.
"""
DEEDS = """\
Ticks by what was done, on average. A fight is told by the deed that it came in the way of.
"""


def experiment_page(
    experiment: Experiment, path: Path, command: str, versions: str, beside: str
) -> str:
    """Return the page to be written to `path`; `command` writes it anew, `beside` is the committed page's name."""
    return "\n".join(_lines(experiment, path, command, versions, beside)) + "\n"


def _lines(
    experiment: Experiment, path: Path, command: str, versions: str, beside: str
) -> Iterator[str]:
    plan = experiment.plan
    yield f"# What memory pays, to `{plan.until}`"
    yield ""
    yield f"Written by `{command}`."
    yield ""
    yield f"The cartridge: {experiment.cartridge}, SHA-1 `{experiment.sha1}`; {versions}."
    yield ""
    each = EACH if plan.each_use else BOTH
    yield HOW.format(**plan._asdict() | {"each": each})
    caption = f"Ticks to {plan.until} in pairs, and what memory and each use of it changed"
    yield f"![{caption}]({path.with_suffix('.png').name})"
    yield ""
    yield "## What this says"
    yield ""
    yield from says(experiment)
    yield ""
    analysis = path.with_name(f"{path.stem}_analysis.md")
    if analysis.is_file():
        yield f"What may be behind it, written by hand: [{analysis.name}]({analysis.name})."
        yield ""
    yield f"## Taught against empty, {experiment.games} pairs"
    yield ""
    yield from table(PAIRED_HEAD, paired_rows(experiment))
    yield from ("## By the way the empty game took", "", WAYS)
    yield from table(WAY_HEAD, way_rows(experiment))
    head, *rows = [*use_rows(experiment)] or [()]
    if head:
        yield from ("## Each use switched off", "", USES, *table(head, rows))
    rows = list(beside_rows(experiment))
    if rows:
        yield from ("## The empty arm beside the committed games", "")
        yield from (BESIDE.format(name=beside), *table(BESIDE_HEAD, rows))
    yield from _rest(experiment)


def _rest(experiment: Experiment) -> Iterator[str]:
    yield from ("## Where the ticks go", "", DEEDS)
    yield from table(DEED_HEAD, deed_rows(experiment))
    yield from ("## What was taught", "")
    held = ((what, f"{count:,}") for what, count in experiment.lessons.rows.items())
    yield from table(("the memory holds", "count"), held)
    yield from ("## Ways taken, and ends", "")
    for arm in experiment.trials.arms if experiment.plan.each_use else (TAUGHT, EMPTY):
        games = experiment.trials.of(arm)
        ways = ", ".join(f"{way}: {count}" for way, count in experiment.ways(arm).items())
        ends = {
            stop: sum(g.stop == stop for g in games) for stop in sorted({g.stop for g in games})
        }
        told = ", ".join(f"{stop}: {count}" for stop, count in ends.items())
        yield f"- {arm.name}: {ways or 'none'}; {told}."


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table, and the empty one behind it."""
    yield "| " + " | ".join(head) + " |"
    yield "|---|" + "--:|" * (len(head) - 1)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""
