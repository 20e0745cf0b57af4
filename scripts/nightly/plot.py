"""How long it took to play again, drawn without a screen."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from matplotlib.figure import Figure

from nightly.kinds import Kind
from nightly.page import troubles_of
from nightly.trouble import Game

SIZE: Final = (8.0, 5.0)
DPI: Final = 110


def draw(games: Sequence[Game], path: Path) -> None:
    """Draw each fault as a dot: its kind, and the seconds from it to play again."""
    troubles = [each for each in troubles_of(games) if each.back_s is not None]
    kinds = [kind for kind in reversed(Kind) if any(each.kind is kind for each in troubles)]
    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.add_subplot()
    for height, kind in enumerate(kinds):
        for colour, is_wrong in (("tab:blue", False), ("tab:red", True)):
            here = [
                each.back_s
                for each in troubles
                if each.kind is kind and each.back_s is not None and bool(each.problems) is is_wrong
            ]
            heights = [height + 0.6 * (7 * at % 31 / 31 - 0.5) for at in range(len(here))]
            axes.plot(here, heights, ".", color=colour, alpha=0.5, markersize=5)
    counts = [sum(each.kind is kind for each in troubles) for kind in kinds]
    labels = [f"{kind.value} ({count})" for kind, count in zip(kinds, counts, strict=True)]
    axes.set_yticks(range(len(kinds)), labels)
    axes.set_xlabel("seconds to play again")
    axes.set_xlim(left=0)
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=DPI, format="png", metadata={"Software": None})
