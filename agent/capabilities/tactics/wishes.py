"""What the rest of the agent wants of battles."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a battle should bring besides being won.

    `catch` are species worth a ball; with `train` something wild is fought for its experience, without it is run
    from when that is cheap and sure; items in `spare` are not used up. Of `sequence`, numbers of moves, the first that
    was not used yet is tried first where it is as good as what else could be done.
    """

    catch: frozenset[int] = frozenset()
    train: bool = True
    spare: tuple[int, ...] = ()
    sequence: tuple[int, ...] = ()
