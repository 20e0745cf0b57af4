"""How an agent's loop is remembered: extractors at hooks, entries on the blackboard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from memory.blackboard.blackboard import Blackboard
from memory.blackboard.entry import DEFAULT_IMPORTANCE
from memory.blackboard.scopes import scope_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from memory.codec import Json
    from memory.hooks.hooks import Call, Hooks, Moment, Registration


class Produced(NamedTuple):
    """What an extractor found worth keeping, and when that was."""

    data: Mapping[str, Json]
    tick: int
    game_s: float
    tags: Iterable[str] = ()
    importance: int = DEFAULT_IMPORTANCE


Extractor: TypeAlias = "Callable[[Call, Any], Produced | Sequence[Produced] | None]"


class Producers:
    """Extractors wired to a blackboard; a new kind of memory is one more registration."""

    def __init__(self, hooks: Hooks, blackboard: Blackboard) -> None:
        self._hooks = hooks
        self._blackboard = blackboard

    def register(
        self,
        pointcut: str,
        extractor: Extractor,
        *,
        scope: str,
        kind: str,
        ttl_s: float | None = None,
        on: Moment = "after",
    ) -> Registration:
        """Write to `scope` what the pure `extractor` makes of each matching call.

        It is given the call and its result; the error when `on` is after_throwing, None when it is before.
        """
        scope_of(scope)  # an unknown scope is refused here, not at the first write
        write = self._blackboard.write

        def remember(call: Call, result: object = None) -> None:
            produced = extractor(call, result)
            if produced is None:
                return
            for each in (produced,) if isinstance(produced, Produced) else produced:
                write(
                    scope,
                    kind,
                    each.data,
                    tick=each.tick,
                    game_s=each.game_s,
                    tags=each.tags,
                    importance=each.importance,
                    ttl_s=ttl_s,
                )

        remember.__qualname__ = getattr(extractor, "__qualname__", type(extractor).__qualname__)
        match on:
            case "before":
                return self._hooks.before(pointcut, remember)
            case "after":
                return self._hooks.after(pointcut, remember)
            case "after_throwing":
                return self._hooks.after_throwing(pointcut, remember)
