"""When what is pending is carried on: asked for, after a time, from a number on, or any or all of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Pending(NamedTuple):
    """What waits at one subscription."""

    number: int
    waited_s: float  # game seconds since it was last carried
    asked: bool  # whether somebody asked for it now
    fullness: Callable[[], float]  # of the source's budget of tokens; 0.0 where it has none


class Trigger(Protocol):
    """Decides whether it is time."""

    def due(self, pending: Pending) -> bool:
        """Return whether to carry on what is pending."""


@dataclass(frozen=True, slots=True)
class OnDemand:
    """When somebody asks: the consolidator, or an action."""

    def due(self, pending: Pending) -> bool:
        """Return whether somebody asked."""
        return pending.asked


@dataclass(frozen=True, slots=True)
class Periodic:
    """After `every_s` game seconds."""

    every_s: float

    def due(self, pending: Pending) -> bool:
        """Return whether the time is up."""
        return pending.waited_s >= self.every_s


@dataclass(frozen=True, slots=True)
class Threshold:
    """At `most` entries; when asked for, from `least` on."""

    least: int
    most: int

    def due(self, pending: Pending) -> bool:
        """Return whether there are enough."""
        return pending.number >= (self.least if pending.asked else self.most)


@dataclass(frozen=True, slots=True)
class Fullness:
    """When the source holds this share of its budget of tokens."""

    share: float

    def due(self, pending: Pending) -> bool:
        """Return whether the source is that full."""
        return pending.fullness() >= self.share


@dataclass(frozen=True, slots=True)
class AnyOf:
    """When one of several says so."""

    triggers: tuple[Trigger, ...]

    def due(self, pending: Pending) -> bool:
        """Return whether it is time for any."""
        for each in self.triggers:  # noqa: SIM110  # asked of every write, and a generator costs more than the answer
            if each.due(pending):
                return True
        return False


@dataclass(frozen=True, slots=True)
class AllOf:
    """When each of several says so."""

    triggers: tuple[Trigger, ...]

    def due(self, pending: Pending) -> bool:
        """Return whether it is time for all."""
        return all(each.due(pending) for each in self.triggers)
