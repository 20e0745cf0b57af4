"""The plots of an evaluation, drawn without a screen."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from agent.eval.game import When
from agent.eval.intervals import share_interval
from agent.eval.results import Results

SIZE: Final = (8.0, 4.5)
DPI: Final = 110


def draw_milestones(results: Results, path: Path) -> None:
    """Draw the share of games that had reached each milestone over game time, with its 95% band."""
    figure, axes = _blank("game time, minutes", "share of games that got there")
    last = max((When(game.ticks, game.frames).minutes for game in results.games), default=0.0)
    for name in results.milestones:
        _draw_arrivals(axes, name, sorted(results.minutes(name)), len(results.games), last)
    axes.set_ylim(-0.02, 1.02)
    figure.legend(loc="outside right upper", fontsize="small")
    _save(figure, path)


def _draw_arrivals(axes: Axes, name: str, times: Sequence[float], games: int, last: float) -> None:
    """Draw one milestone; its band spans the time in which games arrive, or are still on their way."""
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


def draw_times(results: Results, path: Path) -> None:
    """Draw the game time to each milestone: boxes with every game as a dot."""
    figure, axes = _blank("", "game time, minutes")
    reached = [name for name in results.milestones if results.minutes(name)]
    times = [results.minutes(name) for name in reached]
    if times:
        axes.boxplot(times, tick_labels=reached, showfliers=False, widths=0.5)
    for place, each in enumerate(times, 1):
        count = len(each)
        spread = [place + 0.3 * ((7 * number % count) / count - 0.5) for number in range(count)]
        axes.plot(spread, each, ".", alpha=0.5, markersize=5)
    _save(figure, path)


def _blank(across: str, up: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.add_subplot()
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(alpha=0.3)
    return figure, axes


def _save(figure: Figure, path: Path) -> None:
    # Without the name of the program that drew it, the same games give the same file.
    figure.savefig(path, dpi=DPI, format="png", metadata={"Software": None})
