"""What a watcher gets to see of a tick."""

from typing import NamedTuple, Protocol

from agent.mind import Intent


class Moment(NamedTuple):
    """One tick: where, what and why, and how fast. A plain tuple, since one is made every tick."""

    run: str
    cartridge: str
    tick: int
    frame: int
    where: str
    intent: Intent
    goal: str | None
    text: str
    milestones: tuple[str, ...]
    ticks_per_s: float
    frames_per_s: float


class Viewer(Protocol):
    """Whoever watches."""

    def show(self, moment: Moment) -> None:
        """Take one moment; called every tick, so it must be cheap."""
        ...
