"""Games with a model that fails, drawn without a screen."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from matplotlib.figure import Figure

from counsel.game import Game

SIZE: Final = (8.0, 6.5)
DPI: Final = 110
WIDTH: Final = 0.4
_ENDS: Final = (
    ("answered", "answered", "tab:green"),
    ("fault", "the service failed", "tab:red"),
    ("unusable", "no usable answer", "tab:orange"),
    ("refused", "refused", "tab:purple"),
    ("breaker", "not asked: it kept failing", "tab:gray"),
    ("ceiling", "not asked: too much spent", "tab:brown"),
)


def draw(games: Sequence[Game], path: Path) -> None:
    """Draw for each game what became of its questions, and how long it took by rules and with a model."""
    figure = Figure(figsize=SIZE, layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    places = range(len(games))
    heights = [0] * len(games)
    for end, label, colour in _ENDS:
        counts = [sum(each.end == end for each in game.questions) for game in games]
        above.bar(places, counts, bottom=heights, label=label, color=colour)
        heights = [sum(pair) for pair in zip(heights, counts, strict=True)]
    above.set_ylim(0, 1.05 * max(heights))
    above.set_ylabel("questions")
    above.legend(fontsize="small", ncols=3, loc="upper center", bbox_to_anchor=(0.5, 1.3))
    for shift, label, ticks in (
        (-WIDTH / 2, "by rules", [game.rules.ticks for game in games]),
        (WIDTH / 2, "with a model that fails", [game.claude.ticks for game in games]),
    ):
        below.bar([place + shift for place in places], ticks, WIDTH, label=label)
    below.set_ylabel(f"ticks to {games[0].rules.milestones[-1].id}")
    below.set_xlabel("seed")
    below.set_xticks(list(places), [str(game.wanted.seed) for game in games], rotation=90)
    below.legend(fontsize="small", ncols=2, loc="upper center", bbox_to_anchor=(0.5, 1.17))
    for axes in (above, below):
        axes.grid(axis="y", alpha=0.3)
        axes.set_axisbelow(True)
    figure.savefig(path, dpi=DPI, format="png", metadata={"Software": None})
