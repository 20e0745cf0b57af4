"""Facts are named integers with a direction: conditions ask for at least or at most, never for equality."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

Facts: TypeAlias = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Require:
    """A condition on one fact; a fact that nobody sensed counts as 0."""

    fact: str
    at_least: int | None = None
    at_most: int | None = None

    def __post_init__(self) -> None:
        if (self.at_least is None) == (self.at_most is None):
            message = f"{self.fact!r} needs exactly one of at_least and at_most"
            raise ValueError(message)

    def holds(self, facts: Facts) -> bool:
        """Say whether `facts` meet the condition."""
        value = facts.get(self.fact, 0)
        # As `accepts` says, without the call: this is asked of every goal and action.
        if self.at_least is not None:
            return value >= self.at_least
        return self.at_most is not None and value <= self.at_most

    def accepts(self, value: int) -> bool:
        """Say whether the fact meets the condition when it is `value`."""
        if self.at_least is not None:
            return value >= self.at_least
        return self.at_most is not None and value <= self.at_most

    def __str__(self) -> str:
        if self.at_least is not None:
            return f"{self.fact} >= {self.at_least}"
        return f"{self.fact} <= {self.at_most}"


@dataclass(frozen=True, slots=True)
class Effect:
    """What an action is expected to do to one fact. A prediction of the search, checked by sensing."""

    fact: str
    becomes: int


def after(facts: Facts, effects: tuple[Effect, ...]) -> dict[str, int]:
    """Return the facts as `effects` would leave them."""
    return {**facts, **{effect.fact: effect.becomes for effect in effects}}
