"""Methods that can be watched from outside, and those who watch them.

A class opens a method with `@hookable` and carries an attribute `hooks`. Handlers are registered by a glob on
`ClassName.method`, where the class is the one that defines the method. Of several handlers the lower priority runs
first; equal priorities run in the order of registration. A method that returns a generator counts as done when it
has returned the generator.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import wraps
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Literal,
    NamedTuple,
    ParamSpec,
    Protocol,
    TypeAlias,
    TypeVar,
)

from memory.hooks.faults import Faults, OnFault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

P = ParamSpec("P")
R = TypeVar("R")
Moment: TypeAlias = Literal["before", "after", "after_throwing"]


class Hooked(Protocol):
    """Anything whose methods can be watched."""

    @property
    def hooks(self) -> Hooks:
        """The registry that its methods ask."""


S = TypeVar("S", bound=Hooked)


class Call(NamedTuple):
    """One call of a hookable method, as its handlers see it."""

    name: str
    instance: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


Handler: TypeAlias = "Callable[[Call, Any], object]"


@dataclass(frozen=True, slots=True, eq=False)
class Registration:
    """One handler at one pointcut, until it is cancelled."""

    hooks: Hooks
    moment: Moment
    pointcut: str
    handler: Handler
    name: str
    priority: int

    def cancel(self) -> None:
        """Stop calling the handler; cancelling twice does nothing."""
        self.hooks.remove(self)


@dataclass(frozen=True, slots=True)
class _Advice:
    before: tuple[Registration, ...]
    after: tuple[Registration, ...]
    after_throwing: tuple[Registration, ...]


class Hooks:
    """The handlers of one application. Their errors are counted in `faults`, never passed on."""

    def __init__(self, on_fault: OnFault | None = None) -> None:
        self.registered: tuple[Registration, ...] = ()
        self.faults = Faults(on_fault)
        self._advice: dict[str, _Advice | None] = {}

    def before(
        self, pointcut: str, handler: Callable[[Call], object], *, priority: int = 1000
    ) -> Registration:
        """Call `handler(call)` before each matching method runs."""

        def without_result(call: Call, _nothing: None) -> object:
            return handler(call)

        return self._add("before", pointcut, without_result, _name(handler), priority)

    def after(self, pointcut: str, handler: Handler, *, priority: int = 1000) -> Registration:
        """Call `handler(call, result)` after each matching method has returned."""
        return self._add("after", pointcut, handler, _name(handler), priority)

    def after_throwing(
        self, pointcut: str, handler: Handler, *, priority: int = 1000
    ) -> Registration:
        """Call `handler(call, error)` after each matching method has raised; the error goes on."""
        return self._add("after_throwing", pointcut, handler, _name(handler), priority)

    def remove(self, registration: Registration) -> None:
        """Forget one registration."""
        self.registered = tuple(kept for kept in self.registered if kept is not registration)
        self._advice.clear()

    def advice(self, name: str) -> _Advice | None:
        """Return the handlers for the method `name` in their order, or None when there are none."""
        try:
            return self._advice[name]
        except KeyError:
            found = self._advice[name] = self._match(name)
            return found

    def run(self, registrations: tuple[Registration, ...], call: Call, result: object) -> None:
        """Call each handler; count the errors. KeyboardInterrupt and SystemExit pass."""
        for registration in registrations:
            try:
                registration.handler(call, result)
            except Exception as error:  # noqa: BLE001  # the caller's result must not change
                self.faults.note(registration.name, error)

    def _add(
        self, moment: Moment, pointcut: str, handler: Handler, name: str, priority: int
    ) -> Registration:
        registration = Registration(self, moment, pointcut, handler, name, priority)
        self.registered = tuple(
            sorted((*self.registered, registration), key=lambda each: each.priority)
        )
        self._advice.clear()
        return registration

    def _match(self, name: str) -> _Advice | None:
        matching = [each for each in self.registered if fnmatchcase(name, each.pointcut)]
        if not matching:
            return None
        return _Advice(
            tuple(each for each in matching if each.moment == "before"),
            tuple(each for each in matching if each.moment == "after"),
            tuple(each for each in matching if each.moment == "after_throwing"),
        )


def hookable(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Return `method` opened to handlers; unwatched, it costs a look-up and a truth test."""
    name = ".".join(method.__qualname__.split(".")[-2:])

    @wraps(method)
    def hooked(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        hooks = self.hooks
        if not hooks.registered or (advice := hooks.advice(name)) is None:
            return method(self, *args, **kwargs)
        call = Call(name, self, args, kwargs)
        hooks.run(advice.before, call, None)
        try:
            result = method(self, *args, **kwargs)
        except Exception as error:
            hooks.run(advice.after_throwing, call, error)
            raise
        hooks.run(advice.after, call, result)
        return result

    return hooked


def _name(handler: Callable[..., object]) -> str:
    return getattr(handler, "__qualname__", type(handler).__qualname__)
