"""The measurement of battles as a picture: who wins how often, by kind, and how sure that is."""

from collections.abc import Sequence
from io import BytesIO
from typing import Final

from matplotlib.figure import Figure

from agent.bench.battles import Pair
from agent.bench.kinds import fought, paired

SIZE: Final = (8.0, 3.8)
DPI: Final = 110
APART: Final = 0.06  # the two of a kind, from its middle
WHO: Final = (("agent", "o", -APART), ("baseline", "s", APART))


def battle_plot(pairs: Sequence[Pair]) -> bytes:
    """Return a PNG with the shares that both won, and their 95% intervals."""
    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.add_subplot()
    counts = [paired(pairs, kind) for kind in fought(pairs)]
    for number, (who, marker, aside) in enumerate(WHO):
        shares = [100 * each.rates[number] for each in counts]
        bounds = [each.rate_intervals()[number] for each in counts]
        reaches = [
            [share - 100 * low for share, (low, _) in zip(shares, bounds, strict=True)],
            [100 * high - share for share, (_, high) in zip(shares, bounds, strict=True)],
        ]
        places = [at + aside for at in range(len(counts))]
        axes.errorbar(places, shares, reaches, fmt=marker, capsize=4, label=who)
    axes.set_xticks(
        range(len(counts)), [f"{kind} ({paired(pairs, kind).count})" for kind in fought(pairs)]
    )
    axes.set_ylabel("battles won, %")
    axes.set_ylim(0, 100)
    axes.grid(axis="y", alpha=0.3)
    axes.legend()
    file = BytesIO()
    # Without the name of the program that drew it, the same battles give the same file.
    figure.savefig(file, dpi=DPI, format="png", metadata={"Software": None})
    return file.getvalue()
