"""What an unattended night came to, as a page and a picture."""

import os
from collections.abc import Iterator
from io import BytesIO
from statistics import median
from typing import Final

from matplotlib.figure import Figure

from hours.budgets import MIB
from hours.page import DPI, SIZE, judgement
from hours.vigil import HOUR, Vigil, bytes_a_tick, speeds, vigil_verdicts

GIB: Final = 1024 * MIB
HEADROOM: Final = 1.1
FRAMES_AN_HOUR: Final = 59.7275 * HOUR


def vigil_page(vigil: Vigil, hours: float, picture: str) -> str:
    """Return all that was found out; `picture` is the file of the plot, if there is one."""
    blocks = (
        _head(vigil, hours),
        judgement(list(vigil_verdicts(vigil, hours))),
        (f"![Memory, disk and speed of the night]({picture})",) if picture else (),
        _about_disk(vigil),
    )
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def vigil_plot(vigil: Vigil) -> bytes:
    """Return a PNG of memory, disk and speed, by hours of game time."""
    figure = Figure(figsize=SIZE, layout="constrained")
    memory, files, free, speed = figure.subplots(2, 2, sharex=True).flat
    hours = [each.frame / FRAMES_AN_HOUR for each in vigil.vitals]
    memory.plot(hours, [each.resident / MIB for each in vigil.vitals])
    memory.set_ylabel("resident memory, MiB")
    files.plot(hours, [each.file_bytes / MIB for each in vigil.vitals])
    files.set_ylabel("run.sqlite with its log, MiB")
    free.plot(hours, [each.free_bytes / GIB for each in vigil.vitals])
    free.set_ylabel("free on the disk, GiB")
    frames, rates = zip(*speeds(vigil.vitals), strict=True)
    speed.plot([each / FRAMES_AN_HOUR for each in frames], [each / 1_000 for each in rates])
    speed.set_ylabel("thousand frames a second")
    for axes in (memory, files, free, speed):
        axes.set_ylim(0, HEADROOM * axes.get_ylim()[1])
        axes.grid(alpha=0.3)
    for axes in (free, speed):
        axes.set_xlabel("hours of game time")
    file = BytesIO()
    figure.savefig(file, dpi=DPI, format="png", metadata={"Software": None})
    return file.getvalue()


def _head(vigil: Vigil, hours: float) -> Iterator[str]:
    told, rates = vigil.verdict, [rate for _, rate in speeds(vigil.vitals)]
    yield from (
        "# An unattended night, measured",
        "",
        f"Written by `scripts/vigil --game-hours {hours:g} --write docs/vigil.md`, on {os.cpu_count()} cores; every figure is from one run of it,",
        f"and from what that wrote itself: the vitals in `run.sqlite`, and `night.jsonl`. {vigil.frames:,} frames, {vigil.hours:.2f} hours of game",
        f"time, {vigil.vitals[-1].tick:,} ticks, in {float(told.get('night_s', 0)):,.0f} s of wall time, {median(rates):,.0f} frames a second (median).",
        "",
        "`python -m agent overnight` as it is, but for its children: once their story is told they would wait, so they have one more",
        "capability (`scripts/hours/tour.py`), and no milestone ends play. The night ends by the limit it was given.",
        "",
        f"The verdict: `{told.get('verdict', 'none')} {told.get('which', '')}`, {told.get('why', '')}; {told.get('restarts', 0)} restarts.",
    )


def _about_disk(vigil: Vigil) -> Iterator[str]:
    each = ", ".join(f"{rate:.0f}" for rate in bytes_a_tick(vigil.vitals))
    yield from (
        "What is recorded grows with every tick and is never let go of; flat is what a tick takes. Bytes a tick, tenth by tenth:",
        f"{each}.",
    )
