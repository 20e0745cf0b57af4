"""Where the kills fell, drawn without a screen."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from matplotlib.figure import Figure

from kills.kill import Kill
from kills.page import PLACES

SIZE: Final = (8.0, 4.5)
DPI: Final = 110


def draw(told: Sequence[Kill], path: Path) -> None:
    """Draw each kill as a dot: the place it fell, and how old the life was."""
    kills = [each for each in told if each.is_kill]
    places = [place for place in reversed(PLACES) if any(each.where == place for each in kills)]
    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.add_subplot()
    for height, place in enumerate(places):
        for colour, wrong in (("tab:blue", False), ("tab:red", True)):
            ages = [k.life_s for k in kills if k.where == place and bool(k.problems) is wrong]
            heights = [height + 0.6 * (7 * at % 31 / 31 - 0.5) for at in range(len(ages))]
            axes.plot(ages, heights, ".", color=colour, alpha=0.4, markersize=4)
    counts = [sum(each.where == place for each in kills) for place in places]
    labels = [f"{place} ({count:,})" for place, count in zip(places, counts, strict=True)]
    axes.set_yticks(range(len(places)), labels)
    axes.set_xlabel("seconds since the life began")
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=DPI, format="png", metadata={"Software": None})
