"""Which faults there are, and under which kinds a diary may tell of each."""

from collections.abc import Mapping
from enum import Enum
from typing import Final


class Kind(Enum):
    """What is done to a night."""

    CHILD_KILLED = "SIGKILL of the player"
    CHILD_TERMINATED = "SIGTERM of the player"
    CHILD_HANGS = "the player hangs (SIGSTOP)"
    SUPERVISOR_KILLED = "SIGKILL of the supervisor"
    SUPERVISOR_TERMINATED = "SIGTERM of the supervisor"
    SECOND_SUPERVISOR = "a second supervisor"
    NO_MEMORY = "out of memory, by limit"
    DISK_FULL = "the disk is full for a while"
    READ_ONLY = "the folder is read-only for a while"
    RUN_PAGE_LIVE = "a page of run.sqlite, while it is played"
    RUN_PAGE_BETWEEN = "a page of run.sqlite, between two lives"
    MEMORY_PAGE_LIVE = "a page of memory.sqlite, while it is played"
    MEMORY_PAGE_BETWEEN = "a page of memory.sqlite, between two lives"
    CUT_CHECKPOINTS = "newest checkpoints cut short"
    CLOCK_JUMPS = "the clock jumps"
    DISK_STAYS_FULL = "the disk stays full"
    STAYS_READ_ONLY = "the folder stays read-only"
    RUN_DESTROYED = "run.sqlite and its copies destroyed"
    MEMORY_DESTROYED = "memory.sqlite and its copies destroyed"


class Outcome(Enum):
    """What came of a fault."""

    WENT_ON = "went on"
    BEGUN_AGAIN = "said why, went on when begun again"
    NAMED = "ended with a named reason"
    WRONG = "wrong"


ANY_END: Final = frozenset({"crash", "killed", "terminated", "error"})
STORAGE: Final = frozenset({"disk", "unwritable"})
FITTING: Final[Mapping[Kind, frozenset[str]]] = {
    Kind.CHILD_KILLED: frozenset({"killed", "crash"}),
    Kind.CHILD_TERMINATED: frozenset({"terminated"}),
    Kind.CHILD_HANGS: frozenset({"hang"}),
    Kind.NO_MEMORY: ANY_END | {"memory"},
    Kind.DISK_FULL: ANY_END | STORAGE,
    Kind.READ_ONLY: ANY_END | STORAGE,
    Kind.RUN_PAGE_LIVE: frozenset({"damaged_run"}),
    Kind.RUN_PAGE_BETWEEN: frozenset({"damaged_run"}),
    Kind.MEMORY_PAGE_LIVE: frozenset({"damaged_memory"}),
    Kind.MEMORY_PAGE_BETWEEN: frozenset({"damaged_memory"}),
    Kind.CUT_CHECKPOINTS: ANY_END | {"not_resumable"},
    Kind.DISK_STAYS_FULL: ANY_END | STORAGE,
    Kind.STAYS_READ_ONLY: ANY_END | STORAGE,
    Kind.RUN_DESTROYED: frozenset({"damaged_run", "not_resumable"}),
    Kind.MEMORY_DESTROYED: frozenset({"damaged_memory"}),
}
"""The kinds of `night.jsonl` that tell of a fault; what is not here leaves no fault to tell of."""

FOR_GOOD: Final[Mapping[Kind, frozenset[tuple[str, str]]]] = {
    Kind.DISK_STAYS_FULL: frozenset({("limit", "disk"), ("gave_up", "")}),
    Kind.STAYS_READ_ONLY: frozenset({("limit", "disk"), ("gave_up", "")}),
    Kind.RUN_DESTROYED: frozenset({("gave_up", "")}),
    Kind.MEMORY_DESTROYED: frozenset({("gave_up", "")}),
}
"""What cannot be survived, and the verdicts, with which limit, that say so."""
