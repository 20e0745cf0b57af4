"""Opening a method to those who watch.

A class opens a method with `@hookable` and carries an attribute `hooks`. A method that returns a generator counts as done
when it has returned the generator.
"""

from __future__ import annotations

from functools import partial, wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar, cast, overload

from memory.hooks.pointcut import OPENED, Method
from memory.hooks.registration import Call
from memory.hooks.wrapping import wrapped

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    from memory.hooks.hooks import Hooks

P = ParamSpec("P")
R = TypeVar("R")


class Hooked(Protocol):
    """Anything whose methods can be watched."""

    @property
    def hooks(self) -> Hooks:
        """The registry that its methods ask."""


S = TypeVar("S", bound=Hooked)


@overload
def hookable(method: Callable[Concatenate[S, P], R], /) -> Callable[Concatenate[S, P], R]: ...


@overload
def hookable(
    *, tags: AbstractSet[str]
) -> Callable[[Callable[Concatenate[S, P], R]], Callable[Concatenate[S, P], R]]: ...


def hookable(
    method: Callable[Concatenate[S, P], R] | None = None, /, *, tags: AbstractSet[str] = frozenset()
) -> (
    Callable[Concatenate[S, P], R]
    | Callable[[Callable[Concatenate[S, P], R]], Callable[Concatenate[S, P], R]]
):
    """Return `method` opened to handlers; unwatched, it costs a look-up and a truth test.

    Use it bare, or as `@hookable(tags={"action_executor"})` for handlers that go by tags.
    """

    def opening(closed: Callable[Concatenate[S, P], R], /) -> Callable[Concatenate[S, P], R]:
        return _opened(closed, frozenset(tags))

    return opening if method is None else opening(method)


def _opened(
    method: Callable[Concatenate[S, P], R], tags: frozenset[str]
) -> Callable[Concatenate[S, P], R]:
    name = ".".join(method.__qualname__.split(".")[-2:])
    known = Method(name, f"{method.__module__}.{method.__qualname__}", tags)

    @wraps(method)
    def hooked(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        hooks = self.hooks
        if not hooks.registered or (advice := hooks.advice(known, self)) is None:
            return method(self, *args, **kwargs)
        call = tuple.__new__(Call, (name, self, args, kwargs))  # Call(...), in half the time
        if advice.before:
            hooks.run(advice.before, call, None)
        try:
            if advice.around:
                body = partial(method, self, *args, **kwargs)
                result = cast("R", wrapped(advice.around, call, body, hooks.faults))
            else:
                result = method(self, *args, **kwargs)
        except Exception as error:
            hooks.run(advice.after_throwing, call, error)
            raise
        if advice.after:
            hooks.run(advice.after, call, result)
        return result

    vars(hooked)[OPENED] = known
    return hooked
