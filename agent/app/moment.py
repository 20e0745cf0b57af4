"""What a watcher gets to see of a tick."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from agent.capabilities import Reached
from agent.mind import Intent
from emulator import State


class Moment(NamedTuple):
    """One tick: where, what and why, and how fast. Words are made only for who asks for them."""

    run: str
    cartridge: str
    tick: int
    intent: Intent
    goal: str | None
    reached: tuple[Reached, ...]
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

    def show(self, moment: Moment) -> None:
        """Take one moment; called every tick, so it must be cheap."""
        ...
