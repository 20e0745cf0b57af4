"""How an agent's loop is remembered: extractors at hooks, entries on the blackboard."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from memory.blackboard.blackboard import Blackboard
from memory.blackboard.entry import DEFAULT_IMPORTANCE, Status, scope_of
from memory.codec import Json
from memory.hooks.hooks import DEFAULT_PRIORITY, Call, ErrorMode, Hooks, Registration, Watched

Occasion: TypeAlias = Literal["before", "after", "after_throwing"]


class Produced(NamedTuple):
    """What an extractor found worth keeping, when that was, and what it is founded on."""

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
    """Extractors wired to a blackboard; a new kind of memory is one more registration."""

    def __init__(self, hooks: Hooks, blackboard: Blackboard) -> None:
        self._hooks = hooks
        self._blackboard = blackboard

    def register(  # noqa: PLR0913  # one call says all there is to know about a producer
        self,
        pointcut: Watched,
        extractor: Extractor,
        *,
        scope: str,
        kind: str,
        ttl_s: float | None = None,
        on: Occasion = "after",
        priority: int = DEFAULT_PRIORITY,
    ) -> Registration:
        """Write to `scope` what the pure `extractor` makes of each matching call, or each event of a type.

        It is given the call and its result, which is the event; the error when `on` is after_throwing, None when it is before.
        Its own errors are counted and never the caller's.
        """
        scope_of(scope)  # an unknown scope is refused here, not at the first write
        write = self._blackboard.write

        def remember(call: Call, result: object = None) -> None:
            produced = extractor(call, result)
            if not produced:
                return
            for each in (produced,) if isinstance(produced, Produced) else produced:
                write(scope, kind, ttl_s=ttl_s, **each._asdict())

        remember.__qualname__ = getattr(extractor, "__qualname__", type(extractor).__qualname__)
        register: Callable[..., Registration] = getattr(self._hooks, on)
        return register(pointcut, remember, priority=priority, on_error=ErrorMode.SUPPRESS)
