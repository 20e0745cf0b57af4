"""The arms of the experiment: what a game is given to remember, and which use of it is switched off."""

from typing import Final, NamedTuple

from agent.capabilities import Use


class Arm(NamedTuple):
    """One way to play every seed."""

    name: str
    is_taught: bool
    without: Use | None = None


TAUGHT: Final = Arm("taught", is_taught=True)
EMPTY: Final = Arm("empty", is_taught=False)


def arms(*, each_use: bool) -> tuple[Arm, ...]:
    """Return the arms; with `each_use` every use of memory is switched off in turn as well."""
    off = [Arm(f"taught without {use.value}", is_taught=True, without=use) for use in Use]
    return TAUGHT, EMPTY, *(off if each_use else ())
