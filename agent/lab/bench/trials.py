"""Games with a taught memory, with an empty one, and without each use of it, played on the same seeds."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple, TypeAlias

from agent.app import Interrupt, Settings, Stop, Summary, play_run
from agent.events import BattleEvent, MilestoneTimeEvent, events
from agent.experience.memory_use import MemoryUse
from agent.lab.bench.game import StateWatcher
from agent.lab.eval import blackouts
from agent.lab.runner import play_all
from agent.tools.progress import Asked, Done
from emulator import EmulatorError
from memory import MemoryFault, RunReader, read_knowledge_store, read_run


@dataclass(frozen=True, slots=True)
class TrialOrder:
    """A game to play: `seed` to the milestone `until`, for at most `limit` ticks."""

    rom: Path
    until: str
    seed: int
    limit: int
    without: tuple[MemoryUse, ...] = ()
    memory: Path | None = None  # the game gets a copy of it, or an empty one


@dataclass(frozen=True, slots=True)
class TrialGame:
    """The figures of a game up to its milestone.

    A game that did not reach it counts as if it had at the limit, with its frames extrapolated. `blackouts` counts
    the defeats that cost money; `episodes` and `restores` count times stuck. `choices` are the alternatives taken,
    and `moved` counts the decisions changed by each use of memory, if the run recorded them.
    """

    seed: int
    stop: str
    reached: bool
    ticks: int
    frames: int = 0
    battles: int = 0
    turns: int = 0
    lost: int = 0
    blackouts: int = 0
    episodes: int = 0
    restores: int = 0
    choices: Mapping[str, int] = field(default_factory=dict)
    moved: Mapping[str, int] | None = None


def play_game(order: TrialOrder, asked: Asked) -> TrialGame:
    """Play a game with its own copy of the memory; an error counts as not reaching the milestone."""
    with TemporaryDirectory(prefix="bench-") as home:
        own = Path(home) / "memory.sqlite"
        if order.memory is not None:
            copyfile(order.memory, own)
        try:
            return play_on(order, own, asked)
        except (EmulatorError, MemoryFault):
            return TrialGame(order.seed, Stop.ERROR.value, reached=False, ticks=order.limit)


def play_on(order: TrialOrder, memory: Path, asked: Asked) -> TrialGame:
    """Play a game on this memory file itself, which learns from it."""
    interrupt = Interrupt()
    with TemporaryDirectory(prefix="bench-") as home:
        run = Path(home) / "run"
        settings = Settings(
            rom=order.rom,
            until=order.until,
            ticks=order.limit,
            seed=order.seed,
            run=run,
            memory=memory,
            without=order.without,
        )
        summary = play_run(settings, StateWatcher(lambda _state: asked(), interrupt), interrupt)
        with closing(read_run(run)) as folder:
            return _game(order, summary, folder.store)


def _game(order: TrialOrder, summary: Summary, run: RunReader) -> TrialGame:
    arrived = {each.id: each.tick for each in summary.milestones}
    reached = order.until in arrived
    pace = summary.frames / max(summary.ticks, 1)
    battles = list(events(run, BattleEvent))
    choices = [each.choices for each in events(run, MilestoneTimeEvent)]
    moved = summary.as_json().get("moved")
    return TrialGame(
        seed=order.seed,
        stop=summary.stop.value,
        reached=reached,
        ticks=arrived.get(order.until, order.limit),
        frames=summary.frames if reached else round(pace * order.limit),
        battles=len(battles),
        turns=sum(each.turns_taken for each in battles),
        lost=sum(each.outcome == "defeat" for each in battles),
        blackouts=blackouts(run),
        episodes=summary.episodes,
        restores=summary.restores,
        choices=dict(choices[-1]) if choices else {},
        moved=None if moved is None else {MemoryUse(name).value: moved[name] for name in moved},
    )


class Arm(NamedTuple):
    """One way to play every seed."""

    name: str
    is_taught: bool
    off: tuple[MemoryUse, ...] = ()  # uses of memory that are switched off


TAUGHT: Final = Arm("taught", is_taught=True)
EMPTY: Final = Arm("empty", is_taught=False)


def arms(*, each_use: bool) -> tuple[Arm, ...]:
    """Return the arms; with `each_use` every use of memory is switched off in turn as well."""
    off = [Arm(f"taught without {use.value}", is_taught=True, off=(use,)) for use in MemoryUse]
    return TAUGHT, EMPTY, *(off if each_use else ())


Trials: TypeAlias = Mapping[Arm, Sequence[TrialGame]]  # all in the order of the seeds


def play_trials(
    orders: Sequence[TrialOrder], arms: tuple[Arm, ...], *, processes: int, asked: Asked, done: Done
) -> Trials:
    """Play each order in each arm; the memory of an order is for the taught arms.

    Without a use of memory that changed no decision, the taught game is the same, and is not played again.
    Raises KeyboardInterrupt once a stop is requested.
    """

    def play(chosen: Sequence[tuple[TrialOrder, Arm]]) -> dict[tuple[TrialOrder, Arm], TrialGame]:
        every = [
            replace(order, without=arm.off, memory=order.memory if arm.is_taught else None)
            for order, arm in chosen
        ]
        games = play_all(play_game, every, processes=processes, done=done, asked=asked)
        return dict(zip(chosen, games, strict=True))

    trials = [(order, arm) for order in orders for arm in arms]
    games = play([(order, arm) for order, arm in trials if not arm.off])
    for order, arm in trials:
        taught = games.get((order, TAUGHT))
        if arm.off and taught is not None and not _depends_on(taught, arm.off):
            games[order, arm] = taught
            done(1)
    games |= play([each for each in trials if each not in games])
    return {arm: [games[order, arm] for order in orders] for arm in arms}


def _depends_on(game: TrialGame, uses: Sequence[MemoryUse]) -> bool:
    """Return whether one of these uses of memory may have changed a game."""
    return game.moved is None or any(game.moved.get(use.value, 0) for use in uses)


LESSONS: Final = ("patterns", "strategies", "mistakes", "preferences")
SEED: Final = re.compile(r"-seed(\d+)-")  # in the name that `play` gives a run


class TaughtMemory(NamedTuple):
    """The content of a memory file: rows by kind, and the seeds of the runs that its rows name."""

    rows: Mapping[str, int]
    seeds: frozenset[int]


def teach(orders: Sequence[TrialOrder], memory: Path, *, asked: Asked, done: Done) -> None:
    """Play games in sequence, all with the same memory."""

    def learn(order: TrialOrder, asked: Asked) -> TrialGame:
        return play_on(order, memory, asked)

    play_all(learn, orders, processes=1, asked=asked, done=done)


def lessons_of(memory: Path) -> TaughtMemory:
    """Return the content of a memory file."""
    with closing(read_knowledge_store(memory)) as store:
        known, entries, origins = store.load_knowledge(), store.entries(), store.origins()
    kinds = Counter(f"{each.kind} entries" for each in entries)
    rows = {
        **{name: len(getattr(known, name)) for name in LESSONS},
        **dict(sorted(kinds.items())),
        "sessions told of": known.total_sessions,
        "battles told of": known.total_battles,
    }
    names = [*(run for runs in origins.values() for run in runs), *(each.key for each in entries)]
    return TaughtMemory(rows, frozenset(int(each) for each in SEED.findall(" ".join(names))))
