"""The experiment with memory as tables, as sentences that follow from its intervals, and as a page."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from agent.lab.bench.experience import (
    FRAMES,
    LOST,
    TICKS,
    TURNS,
    Beside,
    EffectVerdict,
    Experiment,
    Measure,
    PairedDifference,
    UseOff,
)
from agent.lab.bench.trials import EMPTY, TAUGHT
from agent.lab.stats import Interval

PAIRED_HEAD: Final = (
    "a game", "taught", "empty", "difference (95%)", "less", "same", "more", "p", "memory",
)  # fmt: skip
WAY_HEAD: Final = (
    "the empty game took",
    "pairs",
    "taught",
    "empty",
    "ticks (95%)",
    "less",
    "same",
    "more",
    "p",
)
BESIDE_HEAD: Final = ("a game", "empty, here", "committed", "difference (95%)", "empty arm")
DEED_HEAD: Final = ("ticks a game", "taught", "empty", "difference")
SMALLEST: Final = 1.0  # ticks a game; what takes less on both sides is not worth a row
OF_A_USE: Final = (TICKS, TURNS, LOST)

Row = tuple[str, ...]


def paired_rows(experiment: Experiment) -> Iterator[Row]:
    """Yield every measure of the taught games against the empty ones."""
    for each in experiment.pays():
        yield (
            each.measure.what,
            figure(each.with_it, each.measure),
            figure(each.without_it, each.measure),
            gap(each),
            *_signs(each),
            each.verdict.value,
        )


def use_rows(experiment: Experiment) -> Iterator[Row]:
    """Yield the head, then what each use is worth that was switched off; none, nothing."""
    uses = list(experiment.uses())
    if not uses:
        return
    told = any(off.moved is not None for off in uses)
    fired = ("decisions moved (in games)",) if told else ()
    others = [f"{each.what} (95%)" for each in OF_A_USE[1:]]
    yield (
        "use",
        "ticks (95%)",
        "less",
        "same",
        "more",
        "p",
        *others,
        "other games",
        *fired,
        "use of it",
    )
    for off in uses:
        ticks, *more = [each for each in off.differences if each.measure in OF_A_USE]
        moved = (_moved(off),) if told else ()
        yield (
            off.use.value,
            gap(ticks),
            *_signs(ticks),
            *[gap(each) for each in more],
            str(off.changed),
            *moved,
            ticks.verdict.value,
        )


def way_rows(experiment: Experiment) -> Iterator[Row]:
    """Yield the ticks of the pairs by the way that the empty game took."""
    for ways, each in experiment.by_way():
        means = (figure(mean, each.measure) for mean in (each.with_it, each.without_it))
        yield ways, str(each.signs.count), *means, gap(each), *_signs(each)


def beside_rows(experiment: Experiment) -> Iterator[Row]:
    """Yield the empty games beside the committed ones."""
    for each in experiment.beside():
        yield each.what, number(each.here), number(each.there), _interval(each), standing(each)


def deed_rows(experiment: Experiment) -> Iterator[Row]:
    """Yield where the ticks of a game go, as far as it matters."""
    for each in experiment.deeds():
        if max(each.taught, each.empty) >= SMALLEST:
            more = f"{each.taught - each.empty:+,.1f}"
            yield each.what, f"{each.taught:,.1f}", f"{each.empty:,.1f}", more


def standing(found: Beside) -> str:
    """Return in words how the empty arm stands to the committed games."""
    if found.is_worse:
        return "worse"
    return "better" if found.gap.high < 0 else "not worse"


def figure(value: float, measure: Measure) -> str:
    """Return a mean of a measure."""
    if measure.is_share:
        return f"{value:.1%}"
    return f"{value:,.{_digits(measure)}f}"


def gap(found: PairedDifference) -> str:
    """Return a difference with its interval."""
    if found.measure.is_share:
        estimate, low, high = found.gap
        return f"{estimate:+.1%} ({low:+.1%} to {high:+.1%})"
    return _spanned(found.gap, _digits(found.measure))


def number(value: float) -> str:
    """Return a mean of whatever is counted."""
    return f"{value:,.1f}" if value >= 100 else f"{value:.2f}"


def _interval(found: Beside) -> str:
    return _spanned(found.gap, 1 if max(found.here, found.there) >= 100 else 2)


def _spanned(interval: Interval, digits: int) -> str:
    estimate, low, high = (f"{each:+,.{digits}f}" for each in interval)
    return f"{estimate} ({low} to {high})"


def _digits(measure: Measure) -> int:
    return {TICKS: 1, FRAMES: 0}.get(measure, 2)


def _signs(found: PairedDifference) -> Row:
    signs = found.signs
    return str(signs.first), str(found.same), str(signs.second), f"{found.p_value:.2g}"


def _moved(off: UseOff) -> str:
    if off.moved is None:
        return "not told"
    times, games = off.moved
    return f"{times} ({games})"


SURE: Final = 0.05  # p below which the sign test agrees with an interval that leaves out 0


def says(experiment: Experiment) -> Iterator[str]:
    """Yield a line for all of memory, for each use of it, and for the empty arm."""
    games = experiment.games
    for each in experiment.pays():
        yield f"- {_memory(each, games)}"
    for off in experiment.uses():
        yield f"- {_use(off, games)}"
    yield f"- {_beside(experiment)}"


def _memory(found: PairedDifference, games: int) -> str:
    what = f"*{found.measure.what}*"
    if found.same == games:
        value = figure(found.with_it, found.measure)
        same = "" if found.measure.is_share else ", the same in every pair"
        return f"{what}: {_words(found)}; {value} with it and without it{same}."
    return (
        f"{what}: {_words(found)}; {figure(found.with_it, found.measure)} with it,"
        f" {figure(found.without_it, found.measure)} without, {gap(found)}: less in {found.signs.first} of {games}"
        f" pairs, as much in {found.same}, more in {found.signs.second} (p {found.p_value:.2g})."
    )


def _words(found: PairedDifference) -> str:
    if found.verdict not in {EffectVerdict.HELPS, EffectVerdict.HARMS}:
        return str(found.verdict.value)
    doubt = "" if found.p_value < SURE else ", by the interval and not by the sign test"
    return f"memory {found.verdict.value}{doubt}"


def _use(off: UseOff, games: int) -> str:
    name = f"the use `{off.use.value}`"
    if not off.changed:
        return f"{name}: no game is another without it{_fired(off)}."
    ticks = next(each for each in off.differences if each.measure is TICKS)
    return (
        f"{name}: {off.changed} of {games} games are others without it{_fired(off)}; ticks,"
        f" {ticks.verdict.value}: {gap(ticks)}."
    )


def _fired(off: UseOff) -> str:
    if off.moved is None:
        return ""
    times, games = off.moved
    return f", and it moved {times} decisions in {games} games" if times else ", and it never fired"


def _beside(experiment: Experiment) -> str:
    found, committed = experiment.beside(), experiment.committed
    if not found or committed is None:
        return "the empty arm is held against no committed table: there is none of this cartridge and milestone."
    told = "; ".join(
        f"{each.what} {number(each.here)} here, {number(each.there)} there: {standing(each)}"
        for each in found
    )
    return f"the empty arm beside the committed games of seeds {committed.seeds}: {told}."


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
