"""Producers: extractors at hooks that turn calls into entries on the blackboard."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from memory.blackboard.blackboard import Blackboard
from memory.blackboard.entry import DEFAULT_IMPORTANCE, Status, scope_of
from memory.codec import Json
from memory.hooks.hooks import DEFAULT_PRIORITY, Call, ErrorMode, Hooks, Registration, WatchTarget

ProducerMoment: TypeAlias = Literal["before", "after", "after_throwing"]


class Produced(NamedTuple):
    """The arguments of one entry, returned by an extractor."""

    data: Mapping[str, Json]
    tick: int
    game_s: float
    tags: Iterable[str] = ()
    importance: int = DEFAULT_IMPORTANCE
    key: str | None = None
    status: Status = "verified"
    sources: tuple[str, ...] = ()


Extractor: TypeAlias = "Callable[[Call, Any], Produced | Sequence[Produced] | None]"


class Producers:
    """Extractors connected to a blackboard; a new kind of memory needs only one more registration."""

    def __init__(self, hooks: Hooks, blackboard: Blackboard) -> None:
        self._hooks = hooks
        self._blackboard = blackboard

    def register(  # noqa: PLR0913  # one call gives all settings of a producer
        self,
        pointcut: WatchTarget,
        extractor: Extractor,
        *,
        scope: str,
        kind: str,
        ttl_s: float | None = None,
        on: ProducerMoment = "after",
        priority: int = DEFAULT_PRIORITY,
    ) -> Registration:
        """Write to `scope` the entries that the pure `extractor` returns for each matching call or event.

        The extractor gets the call and its result, which for `emit` is the event; with `on` after_throwing it gets the
        error, with before None. Errors of the extractor are counted and never reach the caller.
        """
        scope_of(scope)  # an unknown scope is rejected here, not at the first write
        write = self._blackboard.write

        def produce(call: Call, result: object = None) -> None:
            produced = extractor(call, result)
            if not produced:
                return
            for each in (produced,) if isinstance(produced, Produced) else produced:
                write(scope, kind, ttl_s=ttl_s, **each._asdict())

        produce.__qualname__ = getattr(extractor, "__qualname__", type(extractor).__qualname__)
        register: Callable[..., Registration] = getattr(self._hooks, on)
        return register(pointcut, produce, priority=priority, on_error=ErrorMode.SUPPRESS)

    def watch(self, pointcut: WatchTarget, report: Callable[[Call, Any], object]) -> Registration:
        """Call `report`, which tells memory itself, with each matching call or event and its result."""
        return self._hooks.after(pointcut, report, on_error=ErrorMode.SUPPRESS)
