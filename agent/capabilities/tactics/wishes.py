"""What the rest of the agent wants of battles."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a battle should bring besides being won.

    `catch` are species worth a ball; with `train` something wild is fought for its experience, without it is run
    from when that is cheap and sure; items in `spare` are not used up.
    """

    catch: frozenset[int] = frozenset()
    train: bool = True
    spare: tuple[int, ...] = ()
