"""What a long run grows by: its process, its files, its entries, and what each consolidation takes.

Knows how to look while somebody plays. Knows nothing of what is too much.
"""

import gc
import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Final

from agent.app import Interrupt, Summary, TickView
from agent.app.play import KNOWLEDGE, RUN
from agent.lab.bench.stopwatch import Parts, Stopwatch
from agent.mind.intent import IntentSource
from emulator import PyBoyConsole, State, Step, demo_cartridge_path, load_cartridge
from memory import ACTION, Entry, read_run_store
from memory.store.database import Schema, open_readonly
from memory.store.schema import KNOWLEDGE_SCHEMA, RUN_SCHEMA
from memory.tiers import SENSORY_INPUT, TICK_STATE
from memory.tiers.strategist import strategist_kinds

EVERY: Final = 500  # ticks between two samples
STORE: Final = "run.sqlite"
CONSOLIDATION: Final = "consolidation"
CHECKPOINT: Final = "checkpoint"
TIMED: Final[Parts] = {
    "memory.tiers.consolidator:MemoryConsolidator.consolidate": CONSOLIDATION,
    "agent.app.checkpoints:Checkpoints.save": CHECKPOINT,
}
SESSION: Final = frozenset(kind.name for kind in strategist_kinds())
SEEN: Final = 10  # actions that the observer looks back on
OUTCOME: Final = ("tick", "action_value", "success", "outcome_summary")
PAGE: Final = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Sample:
    """One look at a run: sizes in bytes, entries alive by scope, and what the tiers take as text."""

    tick: int
    frame: int
    wall_s: float
    rss: int
    objects: int  # that the collector of garbage knows of
    run_bytes: int
    knowledge_bytes: int
    log_bytes: int  # of both files: what is written beside them before it goes in
    patterns: int
    archived: int
    archive_bytes: int
    observer_bytes: int
    strategist_bytes: int
    entries: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Lapse:
    """One consolidation or checkpoint, and the seconds it took."""

    what: str
    frame: int
    took: float  # of the processor: what else runs on the machine does not count


@dataclass(frozen=True, slots=True)
class Soak:
    """A long run: how it went, its samples, and what the same inputs made of a console alone."""

    summary: Summary
    samples: Sequence[Sample]
    lapses: Sequence[Lapse]
    doings: Mapping[str, int]  # ticks, by what they were spent on
    outcomes: Mapping[str, int]  # of battles
    bought: int
    alone: Sequence[tuple[int, int]]  # frames, resident bytes


class Sampler:
    """A viewer that takes samples, and ends play after `frames` frames."""

    def __init__(
        self,
        home: Path,
        frames: int,
        interrupt: Interrupt,
        tell: Callable[[int], object],
        *,
        every: int = EVERY,
    ) -> None:
        self.samples: list[Sample] = []
        self.lapses: list[Lapse] = []
        self.doings: Counter[str] = Counter()
        self.bought = 0
        self.stopwatch = Stopwatch(process_time)
        self._money = 0
        self._home, self._frames, self._interrupt, self._tell = home, frames, interrupt, tell
        self._every = every
        self._since = perf_counter()

    def show(self, moment: TickView) -> None:
        """Note one tick."""
        self.doings[doing(moment)] += 1
        self._count_money(moment.state)
        for what, took in self.stopwatch.lap().items():
            self.lapses.append(Lapse(what, moment.frame, took))
        if moment.tick % self._every == 0:
            self.samples.append(self._look(moment))
            self._tell(moment.frame)
        if moment.frame >= self._frames:
            self._interrupt.asked = True

    def _count_money(self, state: State) -> None:
        money = state.player.money if state.game_started else 0
        # Losing a battle halves it; whoever buys is not in battle and stands before a clerk.
        if money < self._money and state.menu is not None and not state.in_battle:
            self.bought += 1
        self._money = money

    def _look(self, moment: TickView) -> Sample:
        run, knowledge = self._home / RUN / STORE, self._home / KNOWLEDGE
        entries = _kept(run)
        archived, archive_bytes, patterns = _known(knowledge)
        return Sample(
            tick=moment.tick,
            frame=moment.frame,
            wall_s=perf_counter() - self._since,
            rss=resident(),
            objects=len(gc.get_objects()),
            run_bytes=_size(run, RUN_SCHEMA),
            knowledge_bytes=_size(knowledge, KNOWLEDGE_SCHEMA),
            log_bytes=_log(run) + _log(knowledge),
            patterns=patterns,
            archived=archived,
            archive_bytes=archive_bytes,
            observer_bytes=_length(_context(entries)),
            strategist_bytes=sum(_length(each.data) for each in entries if each.kind in SESSION),
            entries=Counter(entry.scope for entry in entries),
        )


def doing(moment: TickView) -> str:
    """Return in a word what a tick was spent on."""
    if moment.state.in_battle:
        return "fighting"
    if moment.intent.source is not IntentSource.PLAN:
        return (
            "waiting" if moment.intent.source is IntentSource.IDLE else moment.intent.source.value
        )
    match moment.intent.name.partition(":")[0]:
        case "travel":
            return "walking"
        case "heal" | "use":
            return "healing"
        case "shop":
            return "shopping"
        case "tour":
            return f"at a stop: {_at_stop(moment)}"
        case _:
            return "the story and the rest"


def _at_stop(moment: TickView) -> str:
    name = moment.intent.name
    return "healing" if "rest_house" in name else "shopping" if "store" in name else "looking round"


def resident() -> int:
    """Return the bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE


def console_alone(steps: Sequence[Step], every: int) -> list[tuple[int, int]]:
    """Return frames and resident bytes of a console that performs `steps` and nothing else."""
    curve = []
    with closing(PyBoyConsole(load_cartridge(demo_cartridge_path()))) as console:
        for number, step in enumerate(steps, start=1):
            console.perform(step)
            if number % every == 0:
                curve.append((console.frame, resident()))
    return curve


def _kept(run: Path) -> list[Entry]:
    """Return the entries alive at the last commit."""
    with closing(read_run_store(run)) as store:
        return list(store.live_entries())


def _context(entries: Sequence[Entry]) -> Mapping[str, Any]:
    """Return what the observer has for a decision: the newest look at each, and how the last actions ended."""
    newest = {entry.kind: entry.data for entry in entries}
    actions = [entry.data for entry in entries if entry.kind == ACTION][-SEEN:]
    return {
        **{kind: newest.get(kind) for kind in (TICK_STATE, SENSORY_INPUT)},
        "recent": [{name: action[name] for name in OUTCOME} for action in actions],
    }


def _length(data: Mapping[str, Any]) -> int:
    return len(json.dumps(dict(data)))


def _known(knowledge: Path) -> tuple[int, int, int]:
    """Return how many memories are archived, the bytes they take, and how many patterns are not."""
    sql = (
        "SELECT count(*), coalesce(sum(length(row) + length(id) + length(table_name)), 0), "
        "(SELECT count(*) FROM tactician_patterns) FROM archive"
    )
    with closing(open_readonly(knowledge, KNOWLEDGE_SCHEMA)) as database:
        ((archived, archive_bytes, patterns),) = database.rows(sql)
    return archived, archive_bytes, patterns


def _size(path: Path, schema: Schema) -> int:
    """Return the size of a file with all that its log will put into it."""
    with closing(open_readonly(path, schema)) as database:
        ((pages,),) = database.rows("PRAGMA page_count")
        ((bytes_a_page,),) = database.rows("PRAGMA page_size")
    return int(pages * bytes_a_page)


def _log(path: Path) -> int:
    log = path.with_name(path.name + "-wal")
    return log.stat().st_size if log.exists() else 0
