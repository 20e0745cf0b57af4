"""What can go wrong in a night, by name."""

from enum import Enum
from typing import Final


class Fault(Enum):
    """The kinds under which faults are told and counted."""

    CRASH = "crash"  # a signal of the process's own making
    KILLED = "killed"  # SIGKILL: somebody, or a system without memory
    TERMINATED = "terminated"  # somebody asked the child for an end
    ERROR = "error"  # it ended by itself, with a line that says why
    HANG = "hang"
    LIVELOCK = "livelock"
    MEMORY = "memory"
    LOG = "log"
    DAMAGED_RUN = "damaged_run"
    DAMAGED_MEMORY = "damaged_memory"
    UNWRITABLE = "unwritable"
    DISK = "disk"
    NOT_RESUMABLE = "not_resumable"


DAMAGE: Final = frozenset({Fault.DAMAGED_RUN, Fault.DAMAGED_MEMORY, Fault.NOT_RESUMABLE})
HINDRANCES: Final = frozenset({Fault.UNWRITABLE, Fault.DISK})  # which somebody else may end
