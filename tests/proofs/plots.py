"""Plots of proofs; import it only where one is drawn, because matplotlib takes a second to load."""

from collections.abc import Mapping, Sequence
from typing import Final

from matplotlib.figure import Figure

from agent.lab.plots import blank, png

TALL: Final = (10.0, 7.0)
NO_LEVEL: Final = 115  # where a level beyond the highest is drawn


def agreement_plot(
    series: Mapping[str, Sequence[tuple[float, float]]], across: str, up: str
) -> bytes:
    """Return pairs of shares that should be equal, as dots beside the line on which they are."""
    figure, axes = blank(across, up)
    axes.plot((0, 1), (0, 1), color="black", linewidth=1)
    for label, pairs in series.items():
        axes.plot(*zip(*pairs, strict=True), ".", alpha=0.4, markersize=4, label=label)
    axes.legend(fontsize="small")
    return png(figure)


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
    return png(figure)
