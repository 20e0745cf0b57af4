"""Who watches which methods, and in what order.

Of several handlers of a moment the lower priority comes first, equals in the order of registration: the first before, after
and after_throwing handler runs first, the first wrapper is the outermost. Handlers before a method run ahead of all wrappers; those
after it run behind them, and see what the caller gets.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakMethod

from memory.faults import Faults, OnFault
from memory.hooks.pointcut import Method, Pointcut, as_pointcut
from memory.hooks.registration import Advice, Call, ErrorMode, Handler, Moment, Registration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memory.hooks.wrapping import Proceed

DEFAULT_PRIORITY: Final = 1000


class Hooks:
    """The handlers of one application; errors that stay with their handler are counted in `faults`.

    `weak` is for bound methods: the registration goes when their owner does.
    """

    def __init__(self, on_fault: OnFault | None = None) -> None:
        self.registered: tuple[Registration, ...] = ()
        self.faults = Faults(on_fault)
        # By class and method, never by instance: another one may come to live at an address.
        self._advice: defaultdict[type, dict[Method, Advice | None]] = defaultdict(dict)

    def before(
        self,
        pointcut: Pointcut | str,
        handler: Callable[[Call], object],
        *,
        priority: int = DEFAULT_PRIORITY,
        on_error: ErrorMode = ErrorMode.FAIL_FAST,
        weak: bool = False,
    ) -> Registration:
        """Call `handler(call)` before each matching method runs."""
        return self._add("before", pointcut, handler, priority, on_error, weak=weak)

    def around(
        self,
        pointcut: Pointcut | str,
        handler: Callable[[Call, Proceed], object],
        *,
        priority: int = DEFAULT_PRIORITY,
        on_error: ErrorMode = ErrorMode.FAIL_FAST,
        weak: bool = False,
    ) -> Registration:
        """Call `handler(call, proceed)` in place of each matching method; `proceed()` runs that."""
        return self._add("around", pointcut, handler, priority, on_error, weak=weak)

    def after(
        self,
        pointcut: Pointcut | str,
        handler: Handler,
        *,
        priority: int = DEFAULT_PRIORITY,
        on_error: ErrorMode = ErrorMode.FAIL_FAST,
        weak: bool = False,
    ) -> Registration:
        """Call `handler(call, result)` after each matching method has returned."""
        return self._add("after", pointcut, handler, priority, on_error, weak=weak)

    def after_throwing(
        self,
        pointcut: Pointcut | str,
        handler: Handler,
        *,
        priority: int = DEFAULT_PRIORITY,
        on_error: ErrorMode = ErrorMode.FAIL_FAST,
        weak: bool = False,
    ) -> Registration:
        """Call `handler(call, error)` after each matching method has raised; the error goes on."""
        return self._add("after_throwing", pointcut, handler, priority, on_error, weak=weak)

    def remove(self, registration: Registration) -> None:
        """Forget one registration."""
        self._keep(each for each in self.registered if each is not registration)

    def advice(self, method: Method, instance: object) -> Advice | None:
        """Return the handlers for a call of `method` on `instance`, or None when there are none."""
        kind = type(instance)
        try:
            found = self._advice[kind][method]
        except KeyError:
            found = self._advice[kind][method] = _matching(self.registered, method, kind)
        if found is not None and found.depends:
            return _matching(found.registrations, method, kind, instance)
        return found

    def run(self, registrations: tuple[Registration, ...], call: Call, result: object) -> None:
        """Call each handler. KeyboardInterrupt and SystemExit pass, as do errors that are to."""
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
        pointcut: Pointcut | str,
        handler: Callable[..., object],
        priority: int,
        on_error: ErrorMode,
        *,
        weak: bool,
    ) -> Registration:
        held = WeakMethod(handler, self._bury) if weak else None
        registration = Registration(
            moment,
            as_pointcut(pointcut),
            _called(moment, handler if held is None else _through(held)),
            getattr(handler, "__qualname__", type(handler).__qualname__),
            priority,
            on_error,
            held,
            self.remove,
        )
        self._keep(sorted((*self.registered, registration), key=lambda each: each.priority))
        return registration

    def _keep(self, registrations: Iterable[Registration]) -> None:
        self.registered = tuple(registrations)
        self._advice.clear()

    def _bury(self, dead: WeakMethod[Callable[..., object]]) -> None:
        self._keep(each for each in self.registered if each.held is not dead)


def _matching(
    registrations: Iterable[Registration], method: Method, kind: type, instance: object = None
) -> Advice | None:
    verdicts = [(each, each.pointcut.verdict(method, kind, instance)) for each in registrations]
    meant = [each for each, verdict in verdicts if verdict is not False]
    if not meant:
        return None

    def of(moment: Moment) -> tuple[Registration, ...]:
        return tuple(each for each in meant if each.moment == moment)

    depends = any(verdict is None for _, verdict in verdicts)
    return Advice(of("before"), of("around"), of("after"), of("after_throwing"), depends)


def _called(moment: Moment, handler: Callable[..., object]) -> Handler:
    """Return `handler` as all are called, with something beside the call."""
    if moment != "before":
        return handler

    def without_result(call: Call, _nothing: None) -> object:
        return handler(call)

    return without_result


def _through(held: WeakMethod[Callable[..., object]]) -> Callable[..., object]:
    def while_owned(*args: Any) -> object:  # noqa: ANN401  # whatever its moment gives
        handler = held()
        return None if handler is None else handler(*args)

    return while_owned
