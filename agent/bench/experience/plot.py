"""The experiment as a picture: every seed's ticks with memory and without it, and what each use changed."""

from pathlib import Path
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from agent.bench.experience.arms import EMPTY, TAUGHT
from agent.bench.experience.differences import TICKS, Difference
from agent.bench.experience.experiment import Experiment
from agent.bench.experience.games import Game

SIZE: Final = (10.0, 4.6)
DPI: Final = 110
MARGIN: Final = 40  # ticks round the dots
WHO: Final = (
    ("less with memory", "o", "tab:green"),
    ("as many", "s", "tab:gray"),
    ("more", "^", "tab:red"),
)


def draw_experiment(experiment: Experiment, path: Path) -> None:
    """Draw both panels into one file."""
    figure = Figure(figsize=SIZE, layout="constrained")
    pairs, forest = figure.subplots(1, 2, width_ratios=(1.0, 1.15))
    _draw_pairs(pairs, experiment)
    _draw_forest(forest, experiment)
    # Without the name of the program that drew it, the same games give the same file.
    figure.savefig(path, dpi=DPI, format="png", metadata={"Software": None})


def _draw_pairs(axes: Axes, experiment: Experiment) -> None:
    """A dot for each seed; below the diagonal memory took fewer ticks."""
    pairs = list(zip(experiment.trials.of(TAUGHT), experiment.trials.of(EMPTY), strict=True))
    ends = [game.ticks for pair in pairs for game in pair]
    low, high = min(ends) - MARGIN, max(ends) + MARGIN
    axes.plot((low, high), (low, high), color="black", linewidth=0.8, alpha=0.6)
    for side, (words, marker, color) in enumerate(WHO):
        found = [(b.ticks, a.ticks) for a, b in pairs if _side(a, b) == side]
        if found:
            across, up = zip(*found, strict=True)
            label = f"{words}: {len(found)}"
            axes.scatter(across, up, s=22, alpha=0.7, marker=marker, color=color, label=label)
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    axes.set_aspect("equal")
    axes.set_xlabel(f"ticks to {experiment.plan.until}, empty")
    axes.set_ylabel("ticks, taught")
    axes.grid(alpha=0.3)
    axes.legend(loc="upper left", fontsize="small")


def _side(taught: Game, empty: Game) -> int:
    return 1 + (taught.ticks > empty.ticks) - (taught.ticks < empty.ticks)


def _draw_forest(axes: Axes, experiment: Experiment) -> None:
    """The difference in ticks with its interval: all of memory, then each use of it."""
    found = [("all of memory", _ticks(experiment.pays()))]
    found += [(off.use.value, _ticks(off.differences)) for off in experiment.uses()]
    for place, (_, each) in enumerate(found):
        estimate, low, high = each.gap
        reach = [[estimate - low], [high - estimate]]
        color = "black" if place == 0 else "tab:blue"
        axes.errorbar([estimate], [place], xerr=reach, fmt="o", capsize=4, color=color)
        words = f"{estimate:+.0f} ({low:+.0f} to {high:+.0f})"
        axes.annotate(
            words, (estimate, place), (0, 8), textcoords="offset points", ha="center", fontsize=8
        )
    axes.axvline(0, color="black", linewidth=0.8, alpha=0.6)
    axes.set_yticks(range(len(found)), [name for name, _ in found])
    axes.set_ylim(len(found) - 0.5, -0.7)
    axes.set_xlabel("ticks with it less ticks without it, 95%")
    axes.grid(axis="x", alpha=0.3)
    axes.margins(x=0.15)


def _ticks(differences: tuple[Difference, ...]) -> Difference:
    return next(each for each in differences if each.measure is TICKS)
