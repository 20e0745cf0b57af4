"""How a child ended, with all that the next answer depends on."""

from dataclasses import dataclass, replace

from agent.overnight.fault import Fault
from agent.overnight.guards import Guard

KILLED = -9
TERMINATED = -15
INTERRUPTED = 130
USAGE = 2


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended. `stop` is how it says that play ended, '' when it said nothing; `says` is why, in one line.

    `because` is why it was ended, if it did not end by itself; `tick`, `checkpoint` and `gains` are the last that were
    told of, `gained_at` is the tick of the last gain. `played` says whether it got so far as to tell anything.
    """

    code: int
    stop: str = ""
    says: str = ""
    because: Guard | Fault | None = None
    is_unwatched: bool = False  # the supervisor was asked for an end
    tick: int = 0
    frame: int = 0
    ticks: int = 0  # that it played
    checkpoint: int = -1
    gains: int = -1
    gained_at: int = 0
    played: bool = False
    unasked: bool = False  # it had ended before anybody here asked it to

    @property
    def kind(self) -> Fault:
        """What kind of fault it was that it ended."""
        if isinstance(self.because, Fault):
            return self.because
        if self.code == KILLED:
            return Fault.KILLED
        if self.code in {TERMINATED, INTERRUPTED} or self.stop == "interrupted":
            return Fault.TERMINATED
        return Fault.CRASH if self.code < 0 else Fault.ERROR

    @property
    def by_others(self) -> Fault | None:
        """What somebody else did to it, also where another reason to end it was found just then."""
        if self.is_unwatched or not (self.because is None or self.unasked):
            return None
        kind = replace(self, because=None).kind
        return kind if kind in {Fault.KILLED, Fault.TERMINATED} else None

    @property
    def is_whole(self) -> bool:
        """Whether it played all that was asked for."""
        return self.stop in {"goal", "ticks"}

    @property
    def is_suspicious(self) -> bool:
        """Whether the files should be looked through: damage may be behind it, or nobody will look later."""
        return self.is_whole or self.code == 1 or not self.played or self.because in {*_DAMAGE}


_DAMAGE = (Fault.DAMAGED_RUN, Fault.DAMAGED_MEMORY)
