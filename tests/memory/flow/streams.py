"""Helpers for flow tests: numbered entries, and edges that copy them."""

from collections.abc import Callable, Iterable, Sequence

from memory import Blackboard, Entry, scope_name
from memory.flow.subscription import (
    ANYTHING,
    Derived,
    MemorySubscription,
    OnDemand,
    Transformer,
    Trigger,
)

X, Y, Z = (scope_name(name, "working") for name in "xyz")
NOTE = "note"


def note(
    blackboard: Blackboard,
    number: int,
    *,
    scope: str = X,
    kind: str = NOTE,
    importance: int = 3,
    tags: Iterable[str] = (),
    key: str | None = None,
    ttl_s: float | None = None,
) -> Entry:
    return blackboard.write(
        scope,
        kind,
        {"n": number},
        tick=number,
        game_s=blackboard.game_s,
        importance=importance,
        tags=tags,
        key=key,
        ttl_s=ttl_s,
    )


def notes(blackboard: Blackboard, numbers: Iterable[int], *, scope: str = X) -> None:
    for n in numbers:
        note(blackboard, n, scope=scope)


def numbers(entries: Iterable[Entry]) -> list[object]:
    return [entry.data["n"] for entry in entries]


def held(blackboard: Blackboard, scope: str) -> list[object]:
    return numbers(blackboard.entries(scope))


def copies(entries: Sequence[Entry]) -> list[Derived]:
    """Each entry under a new key, so that an entry carried twice is visible."""
    return [Derived(each.kind, each.data, (each.key,)) for each in entries]


def edge(
    name: str,
    source: str = X,
    target: str = Y,
    transformer: Transformer = copies,
    *,
    accepts: Callable[[Entry], bool] = ANYTHING,
    trigger: Trigger | None = None,
    consumes: bool = False,
    keep_last: int = 0,
    keep_s: float = 0.0,
) -> MemorySubscription:
    return MemorySubscription(
        name,
        source,
        target,
        transformer,
        accepts,
        trigger or OnDemand(),
        consumes=consumes,
        keep_last=keep_last,
        keep_s=keep_s,
    )
