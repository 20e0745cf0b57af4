"""What a watcher gets to see of a tick."""

from typing import NamedTuple, Protocol

from agent.app.settings import Frozen
from agent.capabilities import Reached, Story
from agent.mind import Intent
from emulator import State


class Start(NamedTuple):
    """Where a session began: tick and frame of the run, and the reading of the wall's counter."""

    tick: int
    frame: int
    counter: float


class Play(NamedTuple):
    """What all moments of a session have in common."""

    run: Frozen
    story: Story
    start: Start


class Moment(NamedTuple):
    """One tick: where, what and why, and how fast.

    A plain tuple of what is at hand, since one is made every tick and few are looked at closely.
    """

    play: Play
    tick: int
    state: State
    intent: Intent
    goal: str | None
    reached: tuple[Reached, ...]
    counter: float

    @property
    def run(self) -> str:
        """The name of the run."""
        return self.play.run.run

    @property
    def cartridge(self) -> str:
        """The name of the cartridge."""
        return self.play.run.cartridge

    @property
    def frame(self) -> int:
        """Frames since power-on."""
        return self.state.frame

    @property
    def where(self) -> str:
        """The place and the square, in words."""
        state = self.state
        place = self.play.story.place_of(state)
        if not state.game_started:
            return place
        if not state.control.trusted:
            # A warp or a scene: map and square may not belong together.
            return "between two moments"
        return f"{place} ({state.map.x},{state.map.y})"

    @property
    def text(self) -> str:
        """What the message box says."""
        return self.state.dialogue.text

    @property
    def milestones(self) -> tuple[str, ...]:
        """The ids of those reached, in order."""
        return tuple(each.id for each in self.reached)

    @property
    def ticks_per_s(self) -> float:
        """Ticks a second since the session began."""
        return (self.tick - self.play.start.tick) / self._seconds

    @property
    def frames_per_s(self) -> float:
        """Frames a second since the session began."""
        return (self.frame - self.play.start.frame) / self._seconds

    @property
    def _seconds(self) -> float:
        return max(self.counter - self.play.start.counter, 1e-6)


class Viewer(Protocol):
    """Whoever watches."""

    def show(self, moment: Moment) -> None:
        """Take one moment; called every tick, so it must be cheap."""
        ...
