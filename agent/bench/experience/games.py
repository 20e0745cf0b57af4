"""One game of one arm: played by a whole session as `play` would, and told in figures."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Final, TypeAlias

from agent.app import Interrupt, Moment, Settings, Viewer, play_run
from agent.capabilities import Use
from agent.eval import blackouts
from agent.mind import Source
from agent.report import Stop, Summary
from emulator import EmulatorError
from memory import WAYPOINT, EventRow, MemoryFault, read_run

FIGHT: Final = "fight"

Asked: TypeAlias = Callable[[], bool]  # whether somebody wants an end


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be played: `seed` to the milestone `until`, but for `limit` ticks at most."""

    rom: Path
    until: str
    seed: int
    limit: int
    without: tuple[Use, ...] = ()
    memory: Path | None = None  # the game gets a copy of it, or an empty one


@dataclass(frozen=True, slots=True)
class Game:
    """What a game took to its milestone.

    One that did not get there counts as if it had at the limit, its frames at the pace they had. `blackouts` are
    the defeats that cost money; `episodes` and `restores` are of getting nowhere. `choices` are the ways it took,
    `deeds` the ticks it spent on what, and `moved` how often each use of memory changed a decision, where a run
    tells that.
    """

    seed: int
    stop: str
    reached: bool
    ticks: int
    frames: int
    battles: int = 0
    turns: int = 0
    lost: int = 0
    blackouts: int = 0
    episodes: int = 0
    restores: int = 0
    choices: Mapping[str, int] = field(default_factory=dict)
    deeds: Mapping[str, int] = field(default_factory=dict)
    moved: Mapping[str, int] | None = None


class Tally(Viewer):
    """Counts the ticks by deed, and ends the game once somebody asks for that.

    A fight is told by the deed it came in the way of: those of training are another matter than those on a walk.
    """

    def __init__(self, interrupt: Interrupt, asked: Asked) -> None:
        self.deeds: Counter[str] = Counter()
        self._interrupt = interrupt
        self._asked = asked
        self._errand = "nothing"

    def show(self, moment: Moment) -> None:
        """Count one tick."""
        intent = moment.intent
        name = intent.name.partition(":")[0]
        if name == FIGHT:
            name = f"{FIGHT}, during {self._errand}"
        elif intent.source is Source.PLAN:
            self._errand = name
        self.deeds[name] += 1
        self._interrupt.asked = self._interrupt.asked or self._asked()


def play_game(order: Order, asked: Asked) -> Game:
    """Play a game with a memory of its own; one that breaks did not get there, and stops no other."""
    with TemporaryDirectory(prefix="bench-") as home:
        own = Path(home) / "memory.sqlite"
        if order.memory is not None:
            copyfile(order.memory, own)
        try:
            return play_on(order, own, asked)
        except (EmulatorError, MemoryFault):
            return Game(order.seed, Stop.ERROR.value, reached=False, ticks=order.limit, frames=0)


def play_on(order: Order, memory: Path, asked: Asked) -> Game:
    """Play a game on this very memory, which learns from it."""
    interrupt = Interrupt()
    tally = Tally(interrupt, asked)
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
        summary = play_run(settings, tally, interrupt)
        with closing(read_run(run)) as folder:
            events = list(folder.store.events())
    return _game(order, summary, events, tally.deeds)


def _game(
    order: Order, summary: Summary, events: Sequence[EventRow], deeds: Mapping[str, int]
) -> Game:
    arrived = {each.id: each.tick for each in summary.milestones}
    reached = order.until in arrived
    pace = summary.frames / max(summary.ticks, 1)
    battles = [each.payload for each in events if each.kind == "battle"]
    ways = [each.payload["choices"] for each in events if each.kind == WAYPOINT]
    moved = summary.as_json().get("moved")
    return Game(
        seed=order.seed,
        stop=summary.stop.value,
        reached=reached,
        ticks=arrived.get(order.until, order.limit),
        frames=summary.frames if reached else round(pace * order.limit),
        battles=len(battles),
        turns=sum(each["turns_taken"] for each in battles),
        lost=sum(each["outcome"] == "defeat" for each in battles),
        blackouts=blackouts(events),
        episodes=summary.episodes,
        restores=summary.restores,
        choices=dict(ways[-1]) if ways else {},
        deeds=dict(deeds),
        moved=None if moved is None else {Use(name).value: moved[name] for name in moved},
    )
