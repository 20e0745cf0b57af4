"""What play shows: every tick to a viewer, and the summary at the end."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Any, Final, NamedTuple, Protocol

from agent.mind.intent import Intent
from agent.story.milestones import ReachedMilestone
from emulator import State
from memory import Branching


class TickView(NamedTuple):
    """One tick: where, what and why, and how fast. Words are made only for who asks for them."""

    run: str
    cartridge: str
    tick: int
    intent: Intent
    goal: str | None
    reached: tuple[ReachedMilestone, ...]
    state: State
    gains: int  # what was gained so far: events, badges, things, levels
    checkpoint: int  # the tick of the last one
    place_of: Callable[[State], str]
    ticks: int  # of this session
    frames: int
    wall_s: float

    @property
    def frame(self) -> int:
        """Frames since power-on."""
        return self.state.frame

    @property
    def where(self) -> str:
        """The place and the square."""
        state = self.state
        place = self.place_of(state)
        if not state.game_started:
            return place
        if not state.control.trusted:
            return "between two moments"  # map and square may not belong together
        return f"{place} ({state.map.x},{state.map.y})"

    @property
    def text(self) -> str:
        """What the message box says."""
        return self.state.dialogue.text

    @property
    def milestones(self) -> tuple[str, ...]:
        """The milestones reached so far."""
        return tuple(each.id for each in self.reached)

    @property
    def ticks_per_s(self) -> float:
        """Ticks a second of wall time."""
        return self.ticks / self.wall_s

    @property
    def frames_per_s(self) -> float:
        """Frames a second of wall time."""
        return self.frames / self.wall_s


class Viewer(Protocol):
    """Whoever watches."""

    def show(self, moment: TickView) -> None:
        """Take one moment; called every tick, so it must be cheap."""
        ...


SUMMARY: Final = "summary.json"  # the file beside a run's record


class Stop(Enum):
    """Why play ended, and the exit code that says so."""

    GOAL = "goal"
    TICKS = "ticks"
    LIMIT = "limit"
    INTERRUPTED = "interrupted"
    GAVE_UP = "gave_up"
    ERROR = "error"

    @property
    def exit_code(self) -> int:
        """The exit code of the process."""
        codes = {Stop.GOAL: 0, Stop.TICKS: 0, Stop.ERROR: 1, Stop.INTERRUPTED: 130}
        return codes.get(self, 3)


@dataclass(frozen=True, slots=True)
class Summary:
    """What `play --json` prints: counts, and the milestones with their witnesses."""

    run: str
    cartridge: str
    seed: int
    stop: Stop
    reason: str
    ticks: int
    frames: int
    wall_s: float
    frames_per_s: float
    milestones: Sequence[ReachedMilestone]
    badges: int
    battles: int
    errors: int
    consolidations: int
    episodes: int  # of getting nowhere
    restores: int
    returns: Sequence[Branching] = ()  # the times that play went back and what it had played died
    moved: Mapping[str, int] = field(default_factory=dict)  # decisions, by the use that moved them
    advice: Mapping[str, Any] | None = None  # what asking a model came to, where one was asked

    @property
    def clean(self) -> bool:
        """Whether nobody took the run back by hand."""
        return all(each.why != "asked" for each in self.returns)

    def as_json(self) -> Mapping[str, Any]:
        """Return the object in plain JSON types."""
        returns = [each._asdict() for each in self.returns]
        return {**asdict(self), "stop": self.stop.value, "returns": returns, "clean": self.clean}
