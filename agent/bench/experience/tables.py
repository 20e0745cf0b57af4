"""The figures of the experiment as rows of tables, for a terminal and for a page."""

from collections.abc import Iterator
from typing import Final

from agent.bench.experience.beside import Beside
from agent.bench.experience.differences import FRAMES, LOST, TICKS, TURNS, Difference, Measure
from agent.bench.experience.experiment import Experiment, UseOff
from agent.eval import Interval

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


def gap(found: Difference) -> str:
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


def _signs(found: Difference) -> Row:
    signs = found.signs
    return str(signs.first), str(found.same), str(signs.second), f"{found.p_value:.2g}"


def _moved(off: UseOff) -> str:
    if off.moved is None:
        return "not told"
    times, games = off.moved
    return f"{times} ({games})"
