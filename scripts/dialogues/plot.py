"""How large the context was over the turns, drawn without a screen."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from matplotlib.figure import Figure

from memory.conversation.config import ConversationConfig

SIZE: Final = (8.0, 5.5)
DPI: Final = 110


def draw(saw: Sequence[tuple[int, int, int]], config: ConversationConfig, path: Path) -> None:
    """Draw the tokens of messages, of observations, and of all that was ever said, at each call of a model."""
    turns = [turn for turn, _, _ in saw]
    figure = Figure(figsize=SIZE, layout="constrained")
    above, below = figure.subplots(2, sharex=True)
    for axes, values, threshold, name in (
        (above, [each for _, each, _ in saw], config.observation.message_tokens, "messages"),
        (below, [each for *_, each in saw], config.reflection.observation_tokens, "observations"),
    ):
        axes.plot(turns, [each / 1_000 for each in values], ".", markersize=1, color="tab:blue")
        axes.axhline(threshold / 1_000, color="tab:red", linewidth=1)
        axes.annotate(
            "threshold", (0, threshold / 1_000), (2, 3), textcoords="offset points", color="tab:red"
        )
        axes.set_ylim(0, 1.25 * max(threshold, *values) / 1_000)
        axes.set_ylabel(f"thousand tokens of {name}")
        axes.grid(alpha=0.3)
    below.set_xlabel("turns")
    figure.savefig(path, dpi=DPI, format="png", metadata={"Software": None})
