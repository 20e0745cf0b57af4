"""The output of play: a view of every tick, and the summary at the end."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from agent.advisor.names import RULES
from agent.mind.intent import Intent
from agent.perception.screen_readers import ReaderScore
from agent.story.milestones import ReachedMilestone
from emulator import Screen, Species, State
from memory import Branching, EventRow


class ModelStatus(NamedTuple):
    """The questions to a model so far, their answers and their cost; `ceiling_usd` is None without a limit.

    `made_up_usd` is the part of the cost that a stand-in would have had; `answered_by` is the name in the last reply.
    """

    questions: int
    answers: int
    usd: float
    ceiling_usd: float | None
    is_billed: bool  # False for a server other than the real service
    made_up_usd: float = 0.0
    answered_by: str = ""


class PlayStart(NamedTuple):
    """What a session starts with, for its first lines."""

    run: Path
    cartridge: str
    seed: int
    tick: int  # 0 in a new run
    repeats_to: int  # the tick up to which play repeats what an interrupted session played; `tick` if it does not
    memory: Path | None  # None: played without any
    known: tuple[int, int]  # entries in that memory, and the runs that added them
    labels: Mapping[str, str]  # of the milestones to reach, by id, in order
    species: Mapping[int, Species]
    asks: str  # the model that is asked, '' for none
    model_fault: str  # why that model cannot be reached, ''
    asked_at: int | None = None  # the tick of --at
    pace: float = 0.0  # times the speed of the Game Boy; 0: as fast as possible


NO_START: Final = PlayStart(Path(), "", 0, 0, 0, None, (0, 0), {}, {}, "", "")


class TickView(NamedTuple):
    """One tick for a viewer: place, action, goal and state; texts are computed on access."""

    cartridge: str
    tick: int
    intent: Intent
    goal: str | None
    goal_label: str
    reached: tuple[ReachedMilestone, ...]
    state: State
    gains: int  # events, badges, items and levels gained so far
    checkpoint: int  # the tick of the last one
    place_of: Callable[[State], str]
    events: Sequence[EventRow]  # the latest ones that are of interest
    screen: Callable[[], Screen] | None  # None where the tick was not rendered
    model: Callable[[], ModelStatus] | None
    wall_s: float  # of this session

    @property
    def frame(self) -> int:
        """Frames since power-on."""
        return self.state.frame

    @property
    def where(self) -> str:
        """The name of the place and the square, in words."""
        state = self.state
        place = self.place_of(state)
        if not state.game_started:
            return place
        if not state.control.trusted:
            return "changing maps"  # map and square may not match
        return f"{place} ({state.map.x},{state.map.y})"

    @property
    def text(self) -> str:
        """The text in the message box."""
        return self.state.dialogue.text

    @property
    def milestones(self) -> tuple[str, ...]:
        """The milestones reached so far."""
        return tuple(each.id for each in self.reached)


class Viewer(Protocol):
    """A display of play."""

    def show_start(self, start: PlayStart) -> None:
        """Show what a session starts with, before its first tick."""
        return

    def show(self, moment: TickView) -> None:
        """Show one tick; called every tick, so it must be fast."""
        ...


class NoViewer(Viewer):
    """A viewer that shows nothing, for which no view is made."""

    def show(self, moment: TickView) -> None:
        """Do nothing."""


SUMMARY: Final = "summary.json"  # the file beside the record of a run


class Stop(Enum):
    """Why play ended, with its exit code."""

    GOAL = "goal"
    TICKS = "ticks"
    LIMIT = "limit"
    INTERRUPTED = "interrupted"
    GAVE_UP = "gave_up"
    ERROR = "error"

    @property
    def words(self) -> str:
        """How play ended, in a few words."""
        return {
            Stop.GOAL: "reached its goal",
            Stop.TICKS: "stopped at --ticks",
            Stop.LIMIT: "stopped at a limit",
            Stop.GAVE_UP: "gave up",
            Stop.ERROR: "ended by an error",
        }.get(self, self.value)

    @property
    def exit_code(self) -> int:
        """The exit code of the process."""
        return {Stop.GOAL: 0, Stop.TICKS: 0, Stop.ERROR: 1, Stop.INTERRUPTED: 130}.get(self, 3)


@dataclass(frozen=True, slots=True)
class Summary:
    """The output of `play --json`: counts, and the milestones with their witnesses."""

    run: str
    cartridge: str
    seed: int
    stop: Stop
    reason: str
    ticks: int
    frames: int
    wall_s: float
    frames_per_s: float
    digest: str  # the last of the chain, in hexadecimal: equal in two runs whose games are the same
    milestones: Sequence[ReachedMilestone]
    badges: int
    battles: int
    errors: int
    consolidations: int
    episodes: int  # of being stuck
    restores: int
    returns: Sequence[Branching] = ()  # each return to a checkpoint that abandoned a branch
    readers: Mapping[str, ReaderScore] = field(default_factory=dict)  # text in frames, by reader
    moved: Mapping[str, int] = field(default_factory=dict)  # decisions changed, by use of memory
    advice: Mapping[str, Any] | None = None  # figures of the model, if one was asked
    decided_by: str = RULES  # and by whose advice

    @property
    def clean(self) -> bool:
        """Whether the player never went back to an older checkpoint."""
        return all(each.why != "asked" for each in self.returns)

    def as_json(self) -> Mapping[str, Any]:
        """Return the summary in plain JSON types."""
        returns = [each._asdict() for each in self.returns]
        return {**asdict(self), "stop": self.stop.value, "returns": returns, "clean": self.clean}
