"""Where the kills go: most are aimed at the moments in which something is kept, the others fall anywhere."""

from random import Random
from typing import Final

from kills.life import Aim
from kills.words import Phase

MOST_S: Final = 3.0  # of a life
WHOLE_S: Final = 15.0  # of a life that is killed at the end of its run
RANDOM_S: Final = 0.6  # of play, where no moment is aimed at
CLOSE_S: Final = 0.005  # after the moment aimed at was entered
# How often each is aimed at, of all; the rest falls at random between the fork and the end of a life.
AIMED: Final = {
    Phase.CONSOLIDATING: 0.12,
    Phase.CHECKPOINTING: 0.15,
    Phase.KEPT: 0.08,
    Phase.DELIVERING: 0.16,
    Phase.COMMITTING: 0.06,
    Phase.REWINDING: 0.05,
    Phase.AGEING: 0.03,
    Phase.CLOSING: 0.06,
}
ONCE: Final = frozenset({Phase.REWINDING, Phase.AGEING})
# What follows the last consolidation is kept step by step: checkpoint, delivery, report.
END_S: Final = 0.06
EARLY: Final = 0.1  # of all: while it wakes
MOST_KEPT: Final = 8  # of what is kept in a row: ageing, rewinding, checkpoint, delivery
MOST_TIMES: Final = 2  # that a moment is let pass before


def drawn(chance: Random) -> Aim:
    """Return where to kill the next life."""
    at = chance.random()
    for phase, share in AIMED.items():
        if at < share:
            if phase is Phase.CLOSING:
                return Aim(phase, 1, END_S * chance.random(), WHOLE_S)
            if phase is Phase.KEPT:
                return Aim(phase, chance.randint(1, MOST_KEPT), 0.0, MOST_S)
            count = 1 if phase in ONCE else chance.randint(1, MOST_TIMES)
            # Half of them soon: on a quiet machine most such moments are over in much less than the longest delay.
            delay_s = CLOSE_S * chance.random() ** chance.choice((1, 3))
            return Aim(phase, count, delay_s, MOST_S)
        at -= share
    if at < EARLY:
        return Aim(Phase.STARTING, 0, 0.0, chance.uniform(0.0, 0.2))
    return Aim(Phase.PLAYING, 1, chance.uniform(0.0, RANDOM_S), MOST_S)


def to_the_end() -> Aim:
    """Return the aim that misses."""
    return Aim(Phase.STARTING, 0, 0.0, 10 * WHOLE_S)
