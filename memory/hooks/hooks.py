"""Hookable methods, their handlers, and the order in which handlers run.

A class decorates a method with `@hookable` and has an attribute `hooks`. A method that returns a generator counts as
done when it has returned the generator. Something that happens without its own method is an event: an object passed
to `Hooks.emit`, which handlers watch by its type.

Of several handlers for one moment the one with the lower priority runs first, equals in the order of registration:
the first before, after and after_throwing handler runs first, the first wrapper is the outermost. Handlers before a
method run ahead of all wrappers; those after it run after all wrappers and get the same result as the caller.

A wrapper that calls `proceed` again gets the first result, or the first error, again. If it never calls `proceed`,
the method still runs and its result is returned; otherwise the wrapper's result is returned. An error of a wrapper
that does not fail fast is ignored, as if the wrapper were absent. Only a wrapper that fails fast before it proceeds,
or a before handler that fails fast, keeps the method from running.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial, wraps
from typing import (
    Any,
    Concatenate,
    Final,
    Literal,
    NamedTuple,
    ParamSpec,
    Protocol,
    Self,
    TypeAlias,
    TypedDict,
    TypeVar,
    Unpack,
    cast,
)
from weakref import WeakMethod

from memory.errors import Faults, OnFault
from memory.hooks.pointcut import METHOD_ATTRIBUTE, Method, Pointcut, as_pointcut

# A method decorated with @hookable, a type of event passed to `Hooks.emit`, a glob over names, or a pointcut.
WatchTarget: TypeAlias = "Callable[..., object] | type | str | Pointcut"
Moment: TypeAlias = Literal["before", "around", "after", "after_throwing"]
Handler: TypeAlias = "Callable[[Call, Any], object]"


class ErrorMode(Enum):
    """How an error of a handler is treated. Only FAIL_FAST passes it to the caller."""

    FAIL_FAST = "it is raised to the caller at once, and later handlers do not run"
    CONTINUE = "it is counted, and reported each time"
    SUPPRESS = "it is counted, and reported the first time"


class Call(NamedTuple):
    """One call of a hookable method, as passed to its handlers."""

    name: str
    instance: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Registration:
    """One handler at one pointcut, until it is cancelled or the owner of a weakly held handler is gone."""

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
class MethodHandlers:
    """The handlers of one method, by moment, in the order they run."""

    before: tuple[Registration, ...]
    around: tuple[Registration, ...]
    after: tuple[Registration, ...]
    after_throwing: tuple[Registration, ...]
    depends: bool  # on the instance: pointcuts must be tested for each call


class Proceed:
    """The rest of a call: it runs on the first invocation, and later ones repeat its result or error."""

    def __init__(self, rest: Callable[[], object]) -> None:
        self._rest: Callable[[], object] | None = rest
        self._result: object = None
        self.error: BaseException | None = None

    def __call__(self) -> object:
        """Return the result of the rest of the call, or raise its error."""
        if self._rest is None:
            if self.error is not None:
                raise self.error
            return self._result
        rest, self._rest = self._rest, None
        try:
            self._result = rest()
        except BaseException as error:
            self.error = error
            raise
        return self._result

    @property
    def has_run(self) -> bool:
        """Whether the rest of the call was run."""
        return self._rest is None


def _bind_wrapper(
    wrapper: Registration, call: Call, proceed: Proceed, faults: Faults
) -> Callable[[], object]:
    def call_wrapper() -> object:
        try:
            result = wrapper.handler(call, proceed)
        except Exception as error:
            if error is proceed.error:
                raise  # raised by the method, not by the wrapper
            if wrapper.on_error is ErrorMode.FAIL_FAST:
                raise
            always = wrapper.on_error is ErrorMode.CONTINUE
            faults.note(wrapper.name, error, always=always)
            return proceed()
        return result if proceed.has_run else proceed()

    return call_wrapper


P = ParamSpec("P")
R = TypeVar("R")
E = TypeVar("E")


class Hooked(Protocol):
    """An object whose methods can be watched."""

    @property
    def hooks(self) -> Hooks:
        """The registry with the handlers of its methods."""


S = TypeVar("S", bound=Hooked)


def hookable(
    method: Callable[Concatenate[S, P], R], /, *, tags: frozenset[str] = frozenset()
) -> Callable[Concatenate[S, P], R]:
    """Return `method` opened to handlers, with `tags` that pointcuts can select.

    Without handlers it costs one look-up and a truth test.
    """
    name = ".".join(method.__qualname__.split(".")[-2:])
    method_info = Method(name, f"{method.__module__}.{method.__qualname__}", tags)

    @wraps(method)
    def hooked(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        hooks = self.hooks
        if not hooks.registered or (advice := hooks.advice(method_info, self)) is None:
            return method(self, *args, **kwargs)
        call = tuple.__new__(Call, (name, self, args, kwargs))  # Call(...), in half the time
        if advice.before:
            hooks.run(advice.before, call, None)
        try:
            if advice.around:
                rest: Callable[[], object] = partial(method, self, *args, **kwargs)
                for wrapper in reversed(advice.around):  # the first is the outermost
                    rest = _bind_wrapper(wrapper, call, Proceed(rest), hooks.faults)
                result = cast("R", rest())
            else:
                result = method(self, *args, **kwargs)
        except Exception as error:
            hooks.run(advice.after_throwing, call, error)
            raise
        if advice.after:
            hooks.run(advice.after, call, result)
        return result

    vars(hooked)[METHOD_ATTRIBUTE] = method_info
    return hooked


DEFAULT_PRIORITY: Final = 1000


class HandlerOptions(TypedDict, total=False):
    """Options of a registration; `weak` is for bound methods: the registration ends when their owner is deleted."""

    priority: int
    on_error: ErrorMode
    weak: bool


class Hooks:
    """The handlers of one application; errors that are not raised to the caller are counted in `faults`."""

    def __init__(self, on_fault: OnFault | None = None) -> None:
        self.registered: tuple[Registration, ...] = ()
        self.faults = Faults(on_fault)
        # By class and method, never by instance id: an address can be reused.
        self._advice: defaultdict[type, dict[Method, MethodHandlers | None]] = defaultdict(dict)

    @property
    def hooks(self) -> Self:
        """This registry, because its own `emit` can be watched."""
        return self

    @hookable
    def emit(self, event: E, /) -> E:
        """Return `event`, after calling the handlers that watch its type."""
        return event

    def before(
        self,
        pointcut: WatchTarget,
        handler: Callable[[Call], object],
        **options: Unpack[HandlerOptions],
    ) -> Registration:
        """Call `handler(call)` before each matching method runs."""
        return self._add("before", pointcut, handler, **options)

    def around(
        self,
        pointcut: WatchTarget,
        handler: Callable[[Call, Proceed], object],
        **options: Unpack[HandlerOptions],
    ) -> Registration:
        """Call `handler(call, proceed)` in place of each matching method; `proceed()` runs the method."""
        return self._add("around", pointcut, handler, **options)

    def after(
        self, pointcut: WatchTarget, handler: Handler, **options: Unpack[HandlerOptions]
    ) -> Registration:
        """Call `handler(call, result)` after each matching method has returned."""
        return self._add("after", pointcut, handler, **options)

    def after_throwing(
        self, pointcut: WatchTarget, handler: Handler, **options: Unpack[HandlerOptions]
    ) -> Registration:
        """Call `handler(call, error)` after each matching method has raised; the error is raised again."""
        return self._add("after_throwing", pointcut, handler, **options)

    def remove(self, registration: Registration) -> None:
        """Remove one registration."""
        self._store(each for each in self.registered if each is not registration)

    def advice(self, method: Method, instance: object) -> MethodHandlers | None:
        """Return the handlers for a call of `method` on `instance`, or None when there are none."""
        kind = type(instance)
        try:
            found = self._advice[kind][method]
        except KeyError:
            found = self._advice[kind][method] = _matching(self.registered, method, kind)
        if found is not None and found.depends:
            handlers = (*found.before, *found.around, *found.after, *found.after_throwing)
            return _matching(handlers, method, kind, instance)
        return found

    def run(self, registrations: tuple[Registration, ...], call: Call, result: object) -> None:
        """Call each handler. KeyboardInterrupt and SystemExit pass, and so do errors of FAIL_FAST handlers."""
        for registration in registrations:
            try:
                registration.handler(call, result)
            except Exception as error:
                if registration.on_error is ErrorMode.FAIL_FAST:
                    raise
                always = registration.on_error is ErrorMode.CONTINUE
                self.faults.note(registration.name, error, always=always)

    def _add(
        self,
        moment: Moment,
        pointcut: WatchTarget,
        handler: Callable[..., object],
        **options: Unpack[HandlerOptions],
    ) -> Registration:
        weak = options.get("weak", False)
        held = WeakMethod(handler, self._remove_dead) if weak else None
        called = handler if held is None else _weak_call(held)
        if moment == "before":
            called = _without_result(called)
        if isinstance(pointcut, type):
            called, pointcut = _of_type(pointcut, called), Hooks.emit
        registration = Registration(
            moment,
            as_pointcut(pointcut),
            called,
            getattr(handler, "__qualname__", type(handler).__qualname__),
            options.get("priority", DEFAULT_PRIORITY),
            options.get("on_error", ErrorMode.FAIL_FAST),
            held,
            self.remove,
        )
        self._store(sorted((*self.registered, registration), key=lambda each: each.priority))
        return registration

    def _store(self, registrations: Iterable[Registration]) -> None:
        self.registered = tuple(registrations)
        self._advice.clear()

    def _remove_dead(self, dead: WeakMethod[Callable[..., object]]) -> None:
        self._store(each for each in self.registered if each.held is not dead)


def _matching(
    registrations: Iterable[Registration], method: Method, kind: type, instance: object = None
) -> MethodHandlers | None:
    verdicts = [(each, each.pointcut.verdict(method, kind, instance)) for each in registrations]
    matching = [each for each, verdict in verdicts if verdict is not False]
    if not matching:
        return None

    def of(moment: Moment) -> tuple[Registration, ...]:
        return tuple(each for each in matching if each.moment == moment)

    depends = any(verdict is None for _, verdict in verdicts)
    return MethodHandlers(of("before"), of("around"), of("after"), of("after_throwing"), depends)


def _without_result(handler: Callable[..., object]) -> Handler:
    """Return `handler` with a second argument that is ignored, as all handlers are called."""
    return lambda call, _nothing: handler(call)


def _of_type(kind: type, handler: Handler) -> Handler:
    return lambda call, result: handler(call, result) if isinstance(call.args[0], kind) else None


def _weak_call(held: WeakMethod[Callable[..., object]]) -> Callable[..., object]:
    def call_if_alive(*args: Any) -> object:  # noqa: ANN401  # the arguments depend on the moment
        handler = held()
        return None if handler is None else handler(*args)

    return call_if_alive
