"""What long operations report their progress to, and ask whether to stop. A command shows it; here nothing is shown."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, TypeVar

Item = TypeVar("Item")
Done: TypeAlias = Callable[[int], object]  # gets the number of further completed parts
Asked: TypeAlias = Callable[[], bool]  # whether a stop is requested
# Starts the progress of a number of parts, named in the singular such as "tick".
Bar: TypeAlias = Callable[[str, int], Done]


def never() -> bool:
    """Return that no stop is requested."""
    return False


def no_bar(_what: str, _count: int) -> Done:
    """Show nothing."""
    return abs  # ignores the number


def tracked(ticks: Sequence[Item], bar: Bar) -> Iterator[Item]:
    """Yield the items of `ticks`, and report each as complete when the next one is requested."""
    done = bar("tick", len(ticks))
    for each in ticks:
        yield each
        done(1)


def numbered(say: Callable[[str], object], count: int) -> Callable[[str], None]:
    """Return a function that says the name of each of `count` stages with its number, such as "2 of 5: playing"."""
    numbers = iter(range(1, count + 1))

    def stage(what: str) -> None:
        say(f"{next(numbers)} of {count}: {what}")

    return stage
