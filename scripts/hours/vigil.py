"""What an unattended night grew by, from what it wrote itself: the run's vitals, and the supervisor's samples."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, Final

from agent.tools.overnight import read_diary
from emulator import FRAMES_PER_SECOND
from hours.budgets import EARLY, KB, LATE, MIB, MOST_RSS, SLACK, SLOWER, TENTHS, Verdict, growth_of
from memory import VitalsRow, read_run

HOUR: Final = 3_600
MOST_LOG: Final = 5_000 * KB
COPIES: Final = (
    4  # times the run's file that its folder may take: itself, two copies of it, and all the rest
)


@dataclass(frozen=True, slots=True)
class Vigil:
    """One night that is over: its vitals, its samples, its faults and its verdict."""

    vitals: Sequence[VitalsRow]
    samples: Sequence[Mapping[str, Any]]
    faults: Sequence[Mapping[str, Any]]
    verdict: Mapping[str, Any]
    kept_bytes: int  # of the whole folder, in the end

    @property
    def frames(self) -> int:
        """How many frames were played."""
        return self.vitals[-1].frame

    @property
    def hours(self) -> float:
        """The same as hours of game time."""
        return self.frames / FRAMES_PER_SECOND / HOUR


def vigil_of(folder: Path) -> Vigil:
    """Return the night in a run's folder."""
    with closing(read_run(folder)) as run:
        vitals = run.store.vitals()
    lines = list(read_diary(folder))
    return Vigil(
        vitals=vitals,
        samples=[each for each in lines if each["what"] == "sample"],
        faults=[each for each in lines if each["what"] == "fault"],
        verdict=next((each for each in reversed(lines) if each["what"] == "verdict"), {}),
        kept_bytes=sum(each.stat().st_size for each in folder.rglob("*") if each.is_file()),
    )


def speeds(vitals: Sequence[VitalsRow]) -> list[tuple[int, float]]:
    """Return frames a second of wall time, by the frame, over each stretch of a two-hundredth of the night."""
    step = max(len(vitals) // 200, 1)
    chosen = vitals[::step]
    return [
        (after.frame, (after.frame - before.frame) / (after.wall_s - before.wall_s))
        for before, after in pairwise(chosen)
        if after.session == before.session and after.wall_s > before.wall_s
    ]


def bytes_a_tick(vitals: Sequence[VitalsRow]) -> list[float]:
    """Return for each tenth of the frames how many bytes the run's file grew by with each tick."""
    end = vitals[-1].frame
    bounds = [
        max((each for each in vitals if each.frame <= end * number / TENTHS), key=lambda e: e.frame)
        for number in range(1, TENTHS + 1)
    ]
    return [
        (after.file_bytes - before.file_bytes) / max(after.tick - before.tick, 1)
        for before, after in pairwise([vitals[0], *bounds])
    ]


def vigil_verdicts(vigil: Vigil, hours: float) -> Iterator[Verdict]:
    """Yield every figure that has a budget; `hours` of game time were asked for."""
    told = vigil.verdict
    yield Verdict(
        "the end, hours of game time",
        f"{told.get('verdict', 'none')} {told.get('which', '')}, {vigil.hours:.2f}",
        f"limit game_hours, {hours:g}",
        (told.get("verdict"), told.get("which")) == ("limit", "game_hours")
        and vigil.hours >= hours,
    )
    yield Verdict("faults", f"{len(vigil.faults)}", "0", not vigil.faults)
    grown = growth_of([(each.frame, each.resident) for each in vigil.vitals])
    yield Verdict(
        "resident memory, growth after the first tenth",
        f"{grown / MIB:.1f} MiB",
        f"under {MOST_RSS // MIB} MiB",
        grown < MOST_RSS,
    )
    yield from _of_the_disk(vigil)
    early, late = (median(_within(speeds(vigil.vitals), vigil.frames, at)) for at in (EARLY, LATE))
    yield Verdict(
        "frames a second: tenths 2 to 4, tenths 8 to 10 (medians)",
        f"{early:,.0f}, {late:,.0f}",
        f"at most {SLOWER} times slower later",
        SLOWER * late >= early,
    )


def _of_the_disk(vigil: Vigil) -> Iterator[Verdict]:
    tenths = bytes_a_tick(vigil.vitals)
    early, late = (median(tenths[each] for each in at) for at in (EARLY, LATE))
    yield Verdict(
        "run.sqlite, bytes a tick: tenths 2 to 4, tenths 8 to 10 (medians)",
        f"{early:.0f}, {late:.0f}",
        f"at most {SLACK} times as many later",
        late <= SLACK * early,
    )
    most = COPIES * vigil.vitals[-1].file_bytes
    yield Verdict(
        "all of the folder, with copies, logs and the report",
        f"{vigil.kept_bytes / MIB:.0f} MiB",
        f"{COPIES} times run.sqlite, {most / MIB:.0f} MiB",
        vigil.kept_bytes <= most,
    )
    logged = int(vigil.samples[-1]["log_bytes"]) if vigil.samples else 0
    yield Verdict(
        "logged in all", f"{logged / KB:,.0f} KB", f"{MOST_LOG // KB:,} KB", logged <= MOST_LOG
    )


def _within(curve: Sequence[tuple[int, float]], end: int, tenths: Sequence[int]) -> Sequence[float]:
    return [value for frame, value in curve if int(TENTHS * (frame - 1) / end) in tenths] or [0.0]
