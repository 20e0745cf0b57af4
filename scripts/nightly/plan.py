"""What happens to a game: which faults, and at which moments. Drawn from chance alone."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Final, NamedTuple

from kills.words import Phase

from nightly.kinds import FOR_GOOD, Kind
from nightly.line import BIRTH, Aim

FAULTS: Final = (4, 9)  # in a game
TICKS: Final = 1_250  # over which they are spread; the shortest games have about as many
FOR_GOOD_SHARE: Final = 0.15  # of games
CLOSE_S: Final = 0.005  # after the moment aimed at was entered
WEIGHTS: Final[Mapping[Kind, int]] = {
    Kind.CHILD_KILLED: 18,
    Kind.CHILD_TERMINATED: 8,
    Kind.CHILD_HANGS: 5,
    Kind.SUPERVISOR_KILLED: 10,
    Kind.SUPERVISOR_TERMINATED: 7,
    Kind.SECOND_SUPERVISOR: 4,
    Kind.NO_MEMORY: 8,
    Kind.DISK_FULL: 8,
    Kind.READ_ONLY: 7,
    Kind.RUN_PAGE_LIVE: 6,
    Kind.RUN_PAGE_BETWEEN: 5,
    Kind.MEMORY_PAGE_LIVE: 6,
    Kind.MEMORY_PAGE_BETWEEN: 5,
    Kind.CUT_CHECKPOINTS: 7,
    Kind.CLOCK_JUMPS: 8,
}
ANYWHERE: Final[Mapping[Phase, int]] = {
    Phase.PLAYING: 30,
    Phase.COMMITTING: 4,
    Phase.CHECKPOINTING: 14,
    Phase.CONSOLIDATING: 10,
    Phase.DELIVERING: 14,
    Phase.REPEATING: 3,
    Phase.STARTING: 5,
    Phase.AGEING: 3,
    Phase.REWINDING: 6,
}
WHEN_KEPT: Final[Mapping[Phase, int]] = {
    Phase.PLAYING: 4,
    Phase.CHECKPOINTING: 8,
    Phase.CONSOLIDATING: 3,
    Phase.DELIVERING: 5,
}
IN_PLAY: Final[Mapping[Phase, int]] = {Phase.PLAYING: 1}
# A file is hurt between transactions: inside of one it is locked, as it is for whoever hurts it by SQL.
MOMENTS: Final[Mapping[Kind, Mapping[Phase, int]]] = {
    Kind.CHILD_KILLED: ANYWHERE,
    Kind.CHILD_TERMINATED: ANYWHERE,
    Kind.CHILD_HANGS: WHEN_KEPT,
    Kind.SUPERVISOR_KILLED: ANYWHERE,
    Kind.SUPERVISOR_TERMINATED: ANYWHERE,
    Kind.NO_MEMORY: WHEN_KEPT,
    Kind.DISK_FULL: WHEN_KEPT,
    Kind.DISK_STAYS_FULL: WHEN_KEPT,
}

MAY_SPARE: Final = frozenset(
    {
        Kind.SECOND_SUPERVISOR,
        Kind.NO_MEMORY,
        Kind.DISK_FULL,
        Kind.READ_ONLY,
        Kind.CLOCK_JUMPS,
    }
)


class Planned(NamedTuple):
    """One fault to come: at which moment, and how many seconds into it."""

    kind: Kind
    aim: Aim
    delay_s: float


def drawn(chance: Random, most: int) -> Sequence[Planned]:
    """Return what happens to a game, `most` faults at most, in the order of the ticks they are aimed at."""
    count = min(chance.randint(*FAULTS), most)
    kinds = chance.choices(list(WEIGHTS), list(WEIGHTS.values()), k=count)
    if chance.random() < FOR_GOOD_SHARE:
        kinds[-1] = chance.choice(list(FOR_GOOD))
    ticks = sorted(chance.randint(1, TICKS) for _ in kinds)
    planned: list[Planned] = []
    for kind, tick in zip(kinds, ticks, strict=True):
        planned.append(_planned(kind, tick, chance, is_born=_ends_a_life(planned)))
    return planned


def _ends_a_life(before: Sequence[Planned]) -> bool:
    """Return whether a life begins after the last fault of these: only then one that begins can be aimed at."""
    return bool(before) and before[-1].kind not in MAY_SPARE


def _planned(kind: Kind, tick: int, chance: Random, *, is_born: bool) -> Planned:
    moments = MOMENTS.get(kind, IN_PLAY)
    (phase,) = chance.choices(list(moments), list(moments.values()))
    if phase in BIRTH and not is_born:
        phase = Phase.PLAYING
    at = 0 if phase in BIRTH else tick
    # Half of them soon: on a quiet machine most such moments are over in much less than the longest delay.
    return Planned(kind, Aim(phase, at), CLOSE_S * chance.random() ** chance.choice((1, 3)))
