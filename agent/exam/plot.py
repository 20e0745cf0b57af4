"""The exam as a picture: what became of every kind of question, with memory and without."""

from pathlib import Path
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from agent.exam.grading import Mark, Score
from agent.exam.question import Kind
from agent.exam.sitting import Results

SIZE: Final = (10.0, 4.2)
DPI: Final = 110
COLORS: Final = {
    Mark.RIGHT: "#2a7f4f",
    Mark.ABSTAINED_RIGHTLY: "#8fc7a4",
    Mark.ABSTAINED_WRONGLY: "#c9c9c9",
    Mark.WRONG: "#b3423a",
}


def draw_exam(results: Results, path: Path) -> None:
    """Draw the share of each mark in every kind of question, side by side for both examinees."""
    figure = Figure(figsize=SIZE, layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    _draw(left, "with memory", results.remembering)
    _draw(right, "without memory", results.forgetful)
    left.invert_yaxis()  # the axis of both
    handles, names = left.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(COLORS), fontsize="small")
    # Without the name of the program that drew it, the same exam gives the same file.
    figure.savefig(path, dpi=DPI, format="png", metadata={"Software": None})


def _draw(axes: Axes, title: str, score: Score) -> None:
    kinds = [kind for kind in Kind if score.count([kind])]
    names = [kind.value for kind in kinds]
    starts = [0.0] * len(kinds)
    for each, color in COLORS.items():
        shares = [100 * score.marks[kind][each] / score.count([kind]) for kind in kinds]
        axes.barh(names, shares, left=starts, color=color, label=each.value)
        starts = [start + share for start, share in zip(starts, shares, strict=True)]
    axes.set_title(title)
    axes.set_xlabel("% of the questions")
    axes.set_xlim(0, 100)
