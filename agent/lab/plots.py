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
DPI: Final = 110


def milestones_plot(results: EvalResults) -> bytes:
    """Return the share of games that had reached each milestone over game time, with its 95% band."""
    figure, axes = blank("game time, minutes", "share of games that reached it")
    last = max((GameMoment(game.ticks, game.frames).minutes for game in results.games), default=0.0)
    for name in results.milestones:
        _draw_arrivals(axes, name, sorted(results.minutes(name)), len(results.games), last)
    axes.set_ylim(-0.02, 1.02)
    figure.legend(loc="outside right upper", fontsize="small")
    return png(figure)


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
    figure, axes = blank("", "game time, minutes")
    reached = [name for name in results.milestones if results.minutes(name)]
    times = [results.minutes(name) for name in reached]
    if times:
        axes.boxplot(times, tick_labels=reached, showfliers=False, widths=0.5)
    for place, each in enumerate(times, 1):
        count = len(each)
        spread = [place + 0.3 * ((7 * number % count) / count - 0.5) for number in range(count)]
        axes.plot(spread, each, ".", alpha=0.5, markersize=5)
    return png(figure)


def intervals_plot(
    series: Mapping[str, Mapping[str, Interval]], across: str, *, from_zero: bool = False
) -> bytes:
    """Return estimates with their intervals: a row for each name, a colour for each series."""
    figure, axes = blank(across, "")
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
    return png(figure)


def blank(across: str, up: str) -> tuple[Figure, Axes]:
    """Return a figure with axes of these names."""
    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.add_subplot()
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(alpha=0.3)
    return figure, axes


def png(figure: Figure) -> bytes:
    """Return the picture of a figure."""
    file = BytesIO()
    # Without the name of the drawing program.
    figure.savefig(file, dpi=DPI, format="png", metadata={"Software": None})
    return file.getvalue()
