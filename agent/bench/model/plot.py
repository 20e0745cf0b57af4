"""The tokens of each call of the long conversations as a picture: what was read again, what was new, what was memory's."""

from io import BytesIO
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from agent.bench.model.figures import KINDS, ModelFigures, Talk

SIZE: Final = (9.0, 7.0)
DPI: Final = 110
LAST: Final = 2  # talks that are drawn: the long ones, after those of whole games
COLORS: Final = ("#a8c8e8", "#f2c879", "#e8955b", "#c0504d", "#5a5a5a")
SAYS: Final = {
    "cache_read": "read from the cache",
    "cache_write_1h": "written to it, for an hour",
    "cache_write_5m": "written to it, for minutes",
    "input": "not cached",
    "output": "answered",
}


def model_plot(figures: ModelFigures) -> bytes:
    """Return a PNG with a stack for each call, by kind, and memory's part of it as a line."""
    drawn = Figure(figsize=SIZE, layout="constrained")
    panels = drawn.subplots(LAST, 1, sharey=True)
    for axes, talk in zip(panels, figures.talks[-LAST:], strict=True):
        _draw(axes, talk)
    drawn.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    panels[-1].set_xlabel("call")
    file = BytesIO()
    # Without the name of the program that drew it, the same talks give the same file.
    drawn.savefig(file, dpi=DPI, format="png", metadata={"Software": None})
    return file.getvalue()


def _draw(axes: Axes, talk: Talk) -> None:
    numbers = range(1, len(talk.calls) + 1)
    stacks = [[each.kinds[kind] for each in talk.calls] for kind in KINDS]
    labels = [SAYS[kind] for kind in KINDS]
    axes.stackplot(numbers, stacks, labels=labels, colors=COLORS, step="mid", linewidth=0)
    axes.set_xlim(0.5, len(talk.calls) + 0.5)
    memory = [each.memory for each in talk.calls]
    axes.step(
        numbers, memory, where="mid", color="#2e7d32", linewidth=1.2, label="memory's own, of all"
    )
    axes.set_title(f"{talk.name}: {talk.questions} questions", loc="left", fontsize="medium")
    axes.set_ylabel("tokens")
    axes.grid(axis="y", alpha=0.3)
