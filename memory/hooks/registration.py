"""What is registered at a pointcut, and what a handler is given."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from weakref import WeakMethod

    from memory.hooks.pointcut import Pointcut

Moment: TypeAlias = Literal["before", "around", "after", "after_throwing"]
Handler: TypeAlias = "Callable[[Call, Any], object]"


class ErrorMode(Enum):
    """What an error of a handler comes to. In all but the first the caller never learns of it."""

    FAIL_FAST = "it is the caller's at once, and no later handler is asked"
    CONTINUE = "it is counted, and reported each time"
    SUPPRESS = "it is counted, and reported the first time"


class Call(NamedTuple):
    """One call of a hookable method, as its handlers see it."""

    name: str
    instance: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Registration:
    """One handler at one pointcut, until it is cancelled or the owner of a weakly held one is gone."""

    moment: Moment
    pointcut: Pointcut
    handler: Handler
    name: str
    priority: int
    on_error: ErrorMode
    held: WeakMethod[Callable[..., object]] | None
    remove: Callable[[Registration], None]

    def cancel(self) -> None:
        """Stop calling the handler; cancelling twice does nothing."""
        self.remove(self)


@dataclass(frozen=True, slots=True)
class Advice:
    """The handlers of one method, each moment's in their order."""

    before: tuple[Registration, ...]
    around: tuple[Registration, ...]
    after: tuple[Registration, ...]
    after_throwing: tuple[Registration, ...]
    depends: bool  # on the instance that the method is called on: each call has to be looked at

    @property
    def registrations(self) -> tuple[Registration, ...]:
        """All of them."""
        return (*self.before, *self.around, *self.after, *self.after_throwing)
