"""The cost of memory at full capacity: tier queries, recall, consolidation, saving and loading, a tick of play."""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from itertools import islice, repeat
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Final

from agent.app.session import PlayLimits
from agent.app.summary import NoViewer
from agent.lab.bench.game import open_session
from agent.lab.bench.stopwatch import CHECKPOINTS, PARTS, Parts, Stopwatch
from agent.lab.stats import Distribution
from agent.record.game_names import AGENT
from agent.story.story import NEVER, Story
from emulator import Cartridge, Dex, demo_cartridge_path, load_cartridge
from memory import (
    AgentMemory,
    Blackboard,
    Checkpoint,
    Entry,
    Hooks,
    MemoryActions,
    MemoryQuery,
    RunStore,
    as_json,
    hookable,
    open_knowledge_store,
    open_memory,
    open_run_store,
    read_knowledge_store,
    scope_name,
)
from memory.codec import encode
from memory.flow.flows import Flows
from memory.flow.maintenance import Maintenance
from memory.recall.context import gather_context
from memory.tiers.knowledge import Knowledge
from memory.tiers.lasting import LessonKind, OutboxRow
from tests.memory.samples import NOON
from tests.proofs import memory_fill
from tests.proofs.limits import BoundedFigure, Bounds, figure, lapse, limits_row, timed
from tests.proofs.workers import Row

KILO: Final = 1_000
QUESTIONS: Final = 20  # different questions, alternating
HOUR: Final = 3_600.0  # game seconds
TOKENS: Final = 2_000


def query_figures(
    memory: AgentMemory, names: memory_fill.Names, often: int
) -> Iterator[BoundedFigure]:
    """Yield the time of the queries of each tier, each run `often` in alternation, and the sizes of the tiers."""
    observer, strategist, tactician = memory.observer, memory.strategist, memory.tactician
    numbers = range(QUESTIONS)
    asked: dict[tuple[str, Bounds], list[Callable[[], object]]] = {
        ("observer query: all of a decision's context", (1.0, 0.05)): [
            lambda: observer.decision_context
        ],
        ("observer query: the newest moment", (1.0, 0.05)): [lambda: observer.current_state],
        ("strategist objective query: one by its name", (5.0, 0.5)): [
            partial(strategist.objective, f"goal {each * memory_fill.OF_A_SESSION // QUESTIONS}")
            for each in numbers
        ],
        ("strategist objective query: the active one", (5.0, 0.5)): [
            lambda: strategist.active_objective
        ],
        ("tactician strategy query", (10.0, 1.0)): [
            partial(
                tactician.get_successful_strategies,
                names.mon(each * memory_fill.STRATEGIES // QUESTIONS // 4),
                names.mon(each % 4),
            )
            for each in numbers
        ],
        ("tactician pattern query", (10.0, 1.0)): [
            partial(tactician.get_relevant_patterns, {"location": names.place(each)})
            for each in numbers
        ],
        ("tactician mistake query", (10.0, 1.0)): [
            partial(
                tactician.get_mistakes_for_context,
                {"location": names.place(each), "enemy_type": names.mon(each)},
            )
            for each in numbers
        ],
    }
    for (what, bounds), works in asked.items():
        yield timed(what, bounds, works, max(often // len(works), 1))
    text = encode(observer.decision_context)
    yield size("observer: a decision's context, as text", 2.0, 1.0, text)
    text = encode(strategist.to_json())
    yield size("strategist: a session at capacity, as text", 50.0, 50.0, text)


def size(what: str, limit: float, aim: float, held: str | bytes) -> BoundedFigure:
    """Return the figure of a size in bytes."""
    count = len(held.encode() if isinstance(held, str) else held)
    return BoundedFigure(what, limit, aim, Distribution.of([count / KILO]), "KB")


def recall_figures(
    store: RunStore, query_log: RunStore, names: memory_fill.Names, count: int, often: int
) -> Iterator[BoundedFigure]:
    """Yield the time of recall in `store`, which holds `count` observations; queries are logged in `query_log`."""
    now_s = memory_fill.EVERY_S * count
    rounds = max(often // QUESTIONS, 1)
    numbers = range(QUESTIONS)
    by_both = [MemoryQuery(place=names.place(n), subject=names.mon(n)) for n in numbers]
    asked: dict[tuple[str, Bounds], Sequence[MemoryQuery]] = {
        ("recall: by place", (5.0, 1.0)): [
            MemoryQuery(place=names.place(each)) for each in numbers
        ],
        ("recall: by species", (5.0, 1.0)): [
            MemoryQuery(subject=names.mon(each)) for each in numbers
        ],
        ("recall: place and species, the last hour", (5.0, 1.0)): [
            replace(each, since_s=now_s - HOUR) for each in by_both
        ],
        ("recall, worst case: a word that many have", (None, None)): [
            MemoryQuery(text=names.mon(each)) for each in numbers
        ],
        ("recall, worst case: the commonest word", (None, None)): [MemoryQuery(text="action")],
    }
    for (what, bounds), questions in asked.items():
        yield timed(
            what, bounds, [partial(store.find, each, now_s=now_s) for each in questions], rounds
        )
    blackboard = Blackboard(query_log)  # expired: no scope has room for everything in the file
    blackboard.expire(now_s)
    flows, maintenance = Flows(blackboard), Maintenance(blackboard)
    actions = MemoryActions(blackboard, store, Hooks(), flows, maintenance, AGENT)
    gathering = [partial(gather_context, actions, each, TOKENS) for each in by_both]
    yield timed("prompt block: gathered, ranked and written", (5.0, 5.0), gathering, rounds)


LESSONS: Final = 20  # from a thousand ticks: more than in real play
GAME: Final = b"game"  # placeholder for the emulator state in a checkpoint


def consolidation_figures(
    memory: AgentMemory, store: RunStore, recorded: Sequence[Entry], rounds: int
) -> Iterator[BoundedFigure]:
    """Yield the time of a consolidation after a thousand ticks of entries written by play."""
    took = []
    blackboard = memory.blackboard
    for number in range(1, rounds + 1):
        tick = number * memory_fill.TICKS
        memory_fill.write_again(recorded, blackboard, tick)
        took.append(lapse(partial(memory.consolidator.consolidate, tick + memory_fill.TICKS)))
        store.commit(checkpoint=Checkpoint(tick, tick, GAME, b"chain"))
    yield figure("consolidation of 1,000 ticks, all tiers full", (100.0, 10.0), took)


def storage_figures(home: Path, known: Knowledge, rounds: int) -> Iterator[BoundedFigure]:
    """Yield the times to store `known`, add to it and read it, and the size of its file."""
    path = home / "memory.sqlite"
    lessons = list(_lessons(known))
    with closing(open_knowledge_store(path, now=NOON)) as store:
        store.deliver("before", lessons)
        took = []
        for number in range(rounds):
            again = islice(lessons, number * LESSONS % len(lessons), None)
            rows = [replace(row, sequence=at) for at, row in enumerate(islice(again, LESSONS), 1)]
            took.append(lapse(partial(store.deliver, f"run {number}", rows), perf_counter))
    yield figure("tactician save: what 1,000 ticks taught, with its commit", (50.0, 10.0), took)
    yield figure(
        "tactician load: opened and read",
        (100.0, 20.0),
        [lapse(partial(_read, path), perf_counter) for _ in range(rounds)],
    )
    gc.freeze()  # a run starts in a process without the objects of other figures
    yield figure(
        "tactician load: taken over by a new run",
        (100.0, 20.0),
        [_load_time(home / f"{each}.sqlite", path) for each in range(rounds)],
    )
    gc.unfreeze()
    yield size("tactician: its file, without an archive", 1_000.0, 1_000.0, path.read_bytes())


def _lessons(known: Knowledge) -> Iterator[OutboxRow]:
    kinds: dict[LessonKind, Mapping[str, object]] = {
        "pattern": known.patterns,
        "strategy": known.strategies,
        "mistake": known.mistakes,
    }
    records = [(kind, record) for kind, each in kinds.items() for record in each.values()]
    for sequence, (kind, record) in enumerate(records, start=1):
        yield OutboxRow(sequence, sequence, kind, as_json(record))  # type: ignore[arg-type]


def _read(path: Path) -> Knowledge:
    with closing(read_knowledge_store(path)) as reader:
        return reader.load_knowledge()


def _load_time(run: Path, path: Path) -> float:
    """Return the seconds to load everything in the file into an empty memory."""
    with closing(open_run_store(run, run_id="new")) as store:
        memory = open_memory(store, AGENT, session_id="new", started_at=NOON)

        def inherit() -> None:
            with closing(read_knowledge_store(path)) as reader:
                memory.inherit(reader)

        return lapse(inherit)


REMEMBERING: Final = "remembering"
# Calls from a hook that are not part of memory have a part of their own, and so do not count.
OTHER: Final = frozenset({REMEMBERING, "consolidation", CHECKPOINTS, "the moment, for who watches"})
TIMED: Final[Parts] = {name: part for name, part in PARTS.items() if part in OTHER}
CALLS: Final = 1_000


def observe_figure(cartridge: Cartridge, games: int, ticks: int) -> BoundedFigure:
    """Return the time of hooks, extractors, blackboard and edges per thousand ticks, over the first `ticks` of games."""
    took = []
    story = Story.of(cartridge.kind)
    for seed in range(games):
        stopwatch = Stopwatch(process_time)
        with stopwatch.on(TIMED), open_session(cartridge, story, seed) as (session, _):
            session.play(PlayLimits(NEVER, ticks), NoViewer())
        took.append(stopwatch.lap()[REMEMBERING] * memory_fill.TICKS / ticks)
    return figure("play watched and remembered, 1,000 ticks", (None, None), took)


def check_figure(memory: AgentMemory, rounds: int) -> BoundedFigure:
    """Return the time of a thousand checks whether a consolidation is due, when none is."""
    tick, last = memory.consolidator.tick, memory.consolidator.last_consolidation_tick

    def thousand() -> None:
        for _ in repeat(None, memory_fill.TICKS):
            tick(last)

    return figure(
        "overhead of consolidation in between, 1,000 ticks",
        (10.0, 5.0),
        [lapse(thousand) for _ in range(rounds)],
    )


class _HookProbe:
    """A class with a hookable method without a listener, and the same method without a hook."""

    def __init__(self) -> None:
        self.hooks = Hooks()
        self.hooks.after("_Watched.another", lambda _call, _result: None)

    @hookable
    def hooked(self) -> None:
        """Do nothing, with a hook."""

    def plain(self) -> None:
        """Do nothing."""


def disabled_hook(rounds: int) -> BoundedFigure:
    """Return the time that a hook without listeners adds to a call."""
    probe = _HookProbe()

    def calls(method: object) -> None:
        for _ in repeat(None, CALLS):
            method()  # type: ignore[operator]

    extra = [
        (lapse(partial(calls, probe.hooked)) - lapse(partial(calls, probe.plain))) / CALLS
        for _ in range(rounds)
    ]
    return figure("a disabled hook, a call", (1.0, 1.0), extra, "μs")


def memory_job(
    size: int, _number: int, *, ticks: int = memory_fill.TICKS, skipped: int = memory_fill.SKIPPED
) -> Row:
    """Return every figure of a memory that holds `size` observations; repetitions and games grow with it."""
    cartridge = load_cartridge(demo_cartridge_path())
    often, seldom, games = size // 25, max(size // 1_000, 2), max(size // 25_000, 1)
    with ExitStack() as stack:
        home = Path(stack.enter_context(TemporaryDirectory(prefix="memory-")))
        recorded = memory_fill.recorded_play(cartridge, 0, ticks, skipped)
        names = memory_fill.Names.of(Dex.of(cartridge), recorded)
        known = memory_fill.full_knowledge(names)
        store = open_run_store(home / "full.sqlite", run_id="full")
        stack.enter_context(closing(store))
        memory = memory_fill.full_memory(store, known, names, recorded)
        held = {
            "patterns": len(memory.tactician.patterns),
            "strategies": len(memory.tactician.strategies),
            "mistakes": len(memory.tactician.mistakes),
            "events of the session": len(memory.blackboard.entries(scope_name(AGENT, "stm"))),
            "observations": size,
        }
        figures = [*query_figures(memory, names, often), check_figure(memory, often // 2)]
        figures += consolidation_figures(memory, store, recorded, seldom)
        figures += storage_figures(home, known, seldom)
        observed = memory_fill.observed(home / "observed.sqlite", recorded, names, size)
        stack.enter_context(closing(observed))
        query_log = open_run_store(home / "aside.sqlite", run_id="aside")
        stack.enter_context(closing(query_log))
        figures += recall_figures(observed, query_log, names, size, often)
        figures += [observe_figure(cartridge, games, ticks), disabled_hook(often // 2)]
    return limits_row("memory", held, figures)
