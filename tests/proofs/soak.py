"""A long game in one process: the samples taken, and the allowed growth of each figure."""

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, Final

from agent.app import Interrupt, TickView, Viewer
from agent.app.play import KNOWLEDGE, RUN, session_in
from agent.app.session import PlayLimits
from agent.mind.intent import IntentSource
from agent.story.story import NEVER, Story
from emulator import Cartridge, demo_cartridge_path, load_cartridge
from memory import ACTION, Entry, RunStore, read_run_store
from memory.tiers.consolidator import MemoryConsolidator
from memory.tiers.observer import SENSORY_INPUT, TICK_STATE
from memory.tiers.strategist import strategist_kinds
from tests.proofs.endless_play import all_battles, tour
from tests.proofs.patches import wrapped
from tests.proofs.workers import Row, percentile_99

UNIT: Final = 100_000  # frames of a soak of size 1; 22 of them are ten hours
LONG: Final = 1_000_000  # minimum frames for a comparison of tenths
CONSOLIDATION, CHECKPOINT = "consolidation", "checkpoint"
SESSION: Final = frozenset(kind.name for kind in strategist_kinds())
OUTCOME: Final = ("tick", "action_value", "success", "outcome_summary")
PAGE: Final = os.sysconf("SC_PAGE_SIZE")
TENTHS: Final = 10
EARLY, FILLED, LATE = (1, 2, 3), (4, 5, 6), (7, 8, 9)  # tenths; the first has story and loading
MIB, KB = 1024 * 1024, 1_000
SLACK: Final = 1.1  # because play varies from hour to hour
SLOWER: Final = 1.2
CLOCK_MS: Final = 1.0  # allowance for a busy machine


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample of a game: sizes in bytes, and the count of live entries."""

    frame: int
    tick: int
    cpu_s: float
    resident: int
    run_bytes: int
    memory_bytes: int  # without the archive
    log_bytes: int  # of the write-ahead logs of both files
    patterns: int
    observer_bytes: int
    strategist_bytes: int
    entries: int


@dataclass(frozen=True, slots=True)
class Lapse:
    """One consolidation or commit of a checkpoint, in milliseconds of processor time."""

    what: str
    frame: int
    ms: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """One figure against its budget."""

    what: str
    figure: str
    budget: str
    is_met: bool


@dataclass
class Soak:
    """The data of a long game."""

    samples: list[Sample] = field(default_factory=list)
    lapses: list[Lapse] = field(default_factory=list)
    activities: Counter[str] = field(default_factory=Counter)  # ticks by activity
    stop: str = ""
    errors: int = 0

    @property
    def frames(self) -> int:
        """The number of frames played."""
        return self.samples[-1].frame


def soak_job(size: int, number: int) -> Row:
    """Play `size` units of one game."""
    cartridge = load_cartridge(demo_cartridge_path())
    with TemporaryDirectory(prefix="soak") as folder:
        start = perf_counter()
        soak = play(Path(folder), cartridge, Story.of(cartridge.kind), number % 1_000, size * UNIT)
    found = list(verdicts(soak))
    return {
        "name": f"seed {number % 1_000}",
        "frames": soak.frames,
        "seconds": round(perf_counter() - start, 1),
        "doings": dict(soak.activities),
        "figures": {each.what: [each.figure, each.budget] for each in found},
        "curves": {
            name: [round(getattr(each, name), 1) for each in soak.samples]
            for name in ("frame", "resident", "run_bytes", "memory_bytes", "entries")
        },
        "problems": [
            f"{each.what}: {each.figure}, not {each.budget}" for each in found if not each.is_met
        ],
    }


def play(
    home: Path, cartridge: Cartridge, story: Story, seed: int, frames: int, *, every: int = 0
) -> Soak:
    """Play a number of frames in one session, with a sample every `every` ticks."""
    interrupt, soak = Interrupt(), Soak()
    viewer = Sampler(home, soak, interrupt, frames, every or max(20, frames // 4_400))
    with (
        wrapped(MemoryConsolidator, "consolidate", viewer.timing(CONSOLIDATION, is_during_play)),
        wrapped(RunStore, "commit", viewer.timing(CHECKPOINT, has_checkpoint)),
        session_in(home, cartridge, story, seed, interrupt, tour, all_battles) as (session, _),
    ):
        summary = session.play(PlayLimits(NEVER, float("inf")), viewer)
    soak.stop, soak.errors = summary.stop.value, summary.errors
    return soak


def is_during_play(more: Mapping[str, Any]) -> bool:
    """Return whether a consolidation with these keywords is not the last one."""
    return more.get("reason") != "session_end"


def has_checkpoint(more: Mapping[str, Any]) -> bool:
    """Return whether a commit with these keywords stores a checkpoint."""
    return more.get("checkpoint") is not None


class Sampler(Viewer):
    """A viewer that takes samples, and ends play after `frames` frames."""

    def __init__(
        self, home: Path, soak: Soak, interrupt: Interrupt, frames: int, every: int
    ) -> None:
        self._home, self._soak, self._interrupt = home, soak, interrupt
        self._frames, self._every = frames, every
        self._frame = 0

    def show(self, moment: TickView) -> None:
        """Record one tick."""
        self._frame = moment.frame
        self._soak.activities[activity(moment)] += 1
        if moment.tick % self._every == 0:
            self._soak.samples.append(self._look(moment))
        if moment.frame >= self._frames:
            self._interrupt.asked = True

    def timing(self, what: str, counts: Callable[[Mapping[str, Any]], bool]) -> Callable[..., Any]:
        """Return a wrapper that records the time of a call if `counts` accepts its keywords."""

        def timed(original: Any, *args: Any, **more: Any) -> Any:  # noqa: ANN401
            start = process_time()
            try:
                return original(*args, **more)
            finally:
                if counts(more):
                    took = 1_000 * (process_time() - start)
                    self._soak.lapses.append(Lapse(what, self._frame, took))

        return timed

    def _look(self, moment: TickView) -> Sample:
        run, memory = self._home / RUN / "run.sqlite", self._home / KNOWLEDGE
        with closing(read_run_store(run)) as store:
            entries = list(store.live_entries())
        archive, patterns = _known(memory)
        return Sample(
            frame=moment.frame,
            tick=moment.tick,
            cpu_s=process_time(),
            resident=int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE,
            run_bytes=_size(run),
            memory_bytes=_size(memory) - archive,
            log_bytes=_log(run) + _log(memory),
            patterns=patterns,
            observer_bytes=len(json.dumps(_moment(entries))),
            strategist_bytes=sum(
                len(json.dumps(dict(each.data))) for each in entries if each.kind in SESSION
            ),
            entries=len(entries),
        )


def activity(moment: TickView) -> str:
    """Return the activity of a tick in one word."""
    if moment.state.in_battle:
        return "fighting"
    if moment.intent.source is not IntentSource.PLAN:
        return (
            "waiting" if moment.intent.source is IntentSource.IDLE else moment.intent.source.value
        )
    return moment.intent.name.partition(":")[0]


def verdicts(soak: Soak) -> Iterator[Verdict]:
    """Yield every figure with a budget; tenths are compared only for a long game."""
    samples, commits = soak.samples, [each.ms for each in soak.lapses if each.what == CONSOLIDATION]
    over = max((each.memory_bytes - KB * each.patterns) / KB for each in samples)
    yield _at_most("memory.sqlite without archive and 1 KB a pattern, KB", over, 500)
    for what, name, most in (
        # SQLite truncates each log at a thousand pages.
        ("the logs beside both files, KB", "log_bytes", 12_000),
        ("the strategist's session as text, KB", "strategist_bytes", 50),
        ("the observer's moment as text, KB", "observer_bytes", 2.5),
    ):
        yield _at_most(what, max(getattr(each, name) for each in samples) / KB, most)
    yield _at_most("the longest consolidation, ms", max(commits, default=0.0), 100)
    waited = soak.activities["waiting"] / max(soak.activities.total(), 1)
    yield _at_most("ticks waited, percent", 100 * waited, 5)
    ended = f"{soak.stop}, {soak.errors} errors"
    yield Verdict("the end", ended, "interrupted, 0 errors", ended == "interrupted, 0 errors")
    if soak.frames >= LONG:
        yield from _compared(soak)


def growth(curve: Sequence[tuple[int, float]]) -> float:
    """Return the rise of a curve over frames above its value after the first tenth."""
    begins = curve[-1][0] / TENTHS
    settled = [size for frame, size in curve if frame > begins]
    start = [size for frame, size in curve if frame <= begins] or settled[:1]
    return max(settled) - start[-1]


def _compared(soak: Soak) -> Iterator[Verdict]:
    end, samples = soak.frames, soak.samples

    def within(frame: int, tenths: Sequence[int]) -> bool:
        return int(TENTHS * (frame - 1) / end) in tenths

    def rates(name: str, of: str, tenths: Sequence[int]) -> float:
        pairs = [(a, b) for a, b in pairwise(samples) if within(b.frame, tenths)]
        changes = (
            (getattr(b, name) - getattr(a, name), getattr(b, of) - getattr(a, of)) for a, b in pairs
        )
        return float(median(change / step for change, step in changes))

    def lapses(what: str, tenths: Sequence[int]) -> list[float]:
        return [
            each.ms for each in soak.lapses if each.what == what and within(each.frame, tenths)
        ] or [0.0]

    def entries(tenths: Sequence[int]) -> int:
        return max(each.entries for each in samples if within(each.frame, tenths))

    grown = growth([(each.frame, each.resident) for each in samples])
    yield _at_most("resident memory, growth after the first tenth, MiB", grown / MIB, 20)
    early, late = (rates("run_bytes", "tick", each) for each in (EARLY, LATE))
    yield _at_most("run.sqlite, bytes a tick in tenths 8 to 10", late, SLACK * early)
    early, late = (rates("cpu_s", "frame", each) for each in (EARLY, LATE))
    yield _at_most(
        "processor seconds a million frames in tenths 8 to 10", 1e6 * late, 1e6 * SLOWER * early
    )
    yield _at_most(
        "entries alive in tenths 8 to 10", entries(LATE), SLACK * entries(range(LATE[0]))
    )
    early, late = (percentile_99(lapses(CONSOLIDATION, each)) for each in (FILLED, LATE))
    yield _at_most("a consolidation in tenths 8 to 10, p99, ms", late, early + CLOCK_MS)
    early, late = (median(lapses(CHECKPOINT, each)) for each in (EARLY, LATE))
    yield _at_most("a checkpoint in tenths 8 to 10, median, ms", late, SLOWER * early + CLOCK_MS)


def _at_most(what: str, figure: float, most: float) -> Verdict:
    return Verdict(what, f"{figure:,.1f}", f"at most {most:,.1f}", figure <= most)


def _moment(entries: Sequence[Entry]) -> Mapping[str, Any]:
    """Return the observer's data for a decision: the newest entry of each kind, and the last ten actions."""
    newest = {entry.kind: entry.data for entry in entries}
    actions = [entry.data for entry in entries if entry.kind == ACTION][-10:]
    return {
        **{kind: dict(newest.get(kind, {})) for kind in (TICK_STATE, SENSORY_INPUT)},
        "recent": [{name: action[name] for name in OUTCOME} for action in actions],
    }


def _known(memory: Path) -> tuple[int, int]:
    """Return the bytes of the archive, and the number of patterns."""
    sql = (
        "SELECT coalesce(sum(length(row) + length(scope) + length(key)), 0),"
        " (SELECT count(*) FROM tactician_patterns) FROM archive"
    )
    with closing(sqlite3.connect(memory)) as file:
        archive, patterns = file.execute(sql).fetchone()
    return archive, patterns


def _size(path: Path) -> int:
    """Return the size of a file including its log."""
    with closing(sqlite3.connect(path)) as file:
        return int(
            file.execute(
                "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
            ).fetchone()[0]
        )


def _log(path: Path) -> int:
    log = path.with_name(path.name + "-wal")
    return log.stat().st_size if log.exists() else 0
