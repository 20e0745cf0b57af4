"""Plots of measurements, drawn without a screen: the same figures give the same file.

Import it only where a plot is drawn: matplotlib takes a second to load.
"""

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from agent.lab.eval import EvalResults, GameMoment
from agent.lab.stats import Interval, share_interval

SIZE: Final = (8.0, 4.5)
TALL: Final = (10.0, 7.0)
DPI: Final = 110
NO_LEVEL: Final = 115  # where a level beyond the highest is drawn


def milestones_plot(results: EvalResults) -> bytes:
    """Return the share of games that had reached each milestone over game time, with its 95% band."""
    figure, axes = _blank("game time, minutes", "share of games that reached it")
    last = max((GameMoment(game.ticks, game.frames).minutes for game in results.games), default=0.0)
    for name in results.milestones:
        _draw_arrivals(axes, name, sorted(results.minutes(name)), len(results.games), last)
    axes.set_ylim(-0.02, 1.02)
    figure.legend(loc="outside right upper", fontsize="small")
    return _png(figure)


def _draw_arrivals(axes: Axes, name: str, times: Sequence[float], games: int, last: float) -> None:
    """Draw one milestone; its band spans the time until the last game reaches it or ends."""
    shares = [share_interval(number, games) for number in range(1, len(times) + 1)]
    end = max(last, *times, 0.0)
    arrived = [each.estimate for each in shares]
    steps = [0.0, *arrived, arrived[-1] if arrived else 0.0]
    (line,) = axes.step([0.0, *times, end], steps, where="post", label=name)
    if not times:
        return
    spans, bands = list(times), list(shares)
    if len(times) < games:
        spans, bands = [*spans, end], [*bands, bands[-1]]
    lows, highs = [each.low for each in bands], [each.high for each in bands]
    color = line.get_color()
    axes.fill_between(spans, lows, highs, step="post", alpha=0.15, color=color, linewidth=0)


def times_plot(results: EvalResults) -> bytes:
    """Return the game time to each milestone as box plots with every game as a dot."""
    figure, axes = _blank("", "game time, minutes")
    reached = [name for name in results.milestones if results.minutes(name)]
    times = [results.minutes(name) for name in reached]
    if times:
        axes.boxplot(times, tick_labels=reached, showfliers=False, widths=0.5)
    for place, each in enumerate(times, 1):
        count = len(each)
        spread = [place + 0.3 * ((7 * number % count) / count - 0.5) for number in range(count)]
        axes.plot(spread, each, ".", alpha=0.5, markersize=5)
    return _png(figure)


def intervals_plot(
    series: Mapping[str, Mapping[str, Interval]], across: str, *, from_zero: bool = False
) -> bytes:
    """Return estimates with their intervals: a row for each name, a colour for each series."""
    figure, axes = _blank(across, "")
    names = list(dict.fromkeys(name for each in series.values() for name in each))
    for number, (label, found) in enumerate(series.items()):
        shift = 0.2 * (number - (len(series) - 1) / 2)
        places = [names.index(name) + shift for name in found]
        middles = [each.estimate for each in found.values()]
        below = [max(each.estimate - each.low, 0.0) for each in found.values()]
        above = [max(each.high - each.estimate, 0.0) for each in found.values()]
        axes.errorbar(middles, places, xerr=[below, above], fmt="o", capsize=4, label=label)
    if from_zero:
        axes.set_xlim(left=0)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.legend(fontsize="small")
    return _png(figure)


def agreement_plot(
    series: Mapping[str, Sequence[tuple[float, float]]], across: str, up: str
) -> bytes:
    """Return pairs of shares that should be equal, as dots beside the line on which they are."""
    figure, axes = _blank(across, up)
    axes.plot((0, 1), (0, 1), color="black", linewidth=1)
    for label, pairs in series.items():
        axes.plot(*zip(*pairs, strict=True), ".", alpha=0.4, markersize=4, label=label)
    axes.legend(fontsize="small")
    return _png(figure)


def levels_plot(
    names: Sequence[str], panels: Mapping[str, Mapping[str, Sequence[Sequence[int | None]]]]
) -> bytes:
    """Return levels by row: a panel each with a line for each series, and fainter ones for its further levels.

    None is drawn beyond the highest level.
    """
    figure = Figure(figsize=TALL, layout="constrained")
    for axes, (title, series) in zip(
        figure.subplots(1, len(panels), sharey=True, squeeze=False)[0], panels.items(), strict=True
    ):
        for number, (label, lines) in enumerate(series.items()):
            for faint, levels in enumerate(lines):
                drawn = [NO_LEVEL if level is None else level for level in levels]
                axes.plot(
                    drawn,
                    range(len(names)),
                    ".-",
                    color=f"C{number}",
                    alpha=0.3 if faint else 1.0,
                    label=None if faint else label,
                )
        axes.set_title(title, fontsize="medium")
        axes.set_xlabel("level")
        axes.set_xticks([*range(0, 101, 20), NO_LEVEL], [*map(str, range(0, 101, 20)), "over"])
        axes.grid(alpha=0.3)
        axes.set_yticks(range(len(names)), names)
        axes.legend(fontsize="small")
    axes.invert_yaxis()
    return _png(figure)


def _blank(across: str, up: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.add_subplot()
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(alpha=0.3)
    return figure, axes


def _png(figure: Figure) -> bytes:
    file = BytesIO()
    # Without the name of the drawing program.
    figure.savefig(file, dpi=DPI, format="png", metadata={"Software": None})
    return file.getvalue()
