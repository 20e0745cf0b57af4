"""Who is told of the changes of a blackboard."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from memory.blackboard.entry import BlackboardEvent

if TYPE_CHECKING:
    from collections.abc import Callable

    from memory.blackboard.entry import Change, Entry
    from memory.faults import Faults


@dataclass(frozen=True, slots=True, eq=False)
class Listener:
    """One who is told of every change in the scopes a glob names, until it is cancelled."""

    listeners: Listeners
    scope_glob: str
    callback: Callable[[BlackboardEvent], object]

    def cancel(self) -> None:
        """Stop telling; cancelling twice does nothing."""
        self.listeners.remove(self)


class Listeners:
    """All of them. Their errors are counted in `faults`, never passed to who made the change."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._all: tuple[Listener, ...] = ()
        self._by_scope: dict[str, tuple[Listener, ...]] = {}

    def add(self, scope_glob: str, callback: Callable[[BlackboardEvent], object]) -> Listener:
        """Return a new listener to the scopes that `scope_glob` names."""
        listener = Listener(self, scope_glob, callback)
        self._all = (*self._all, listener)
        self._by_scope.clear()
        return listener

    def remove(self, listener: Listener) -> None:
        """Forget one listener."""
        self._all = tuple(each for each in self._all if each is not listener)
        self._by_scope.clear()

    def tell(self, action: Change, entry: Entry) -> None:
        """Call everybody who listens to the scope of `entry`, in the order they came."""
        listeners = self._by_scope.get(entry.scope)
        if listeners is None:
            listeners = self._by_scope[entry.scope] = tuple(
                each for each in self._all if fnmatchcase(entry.scope, each.scope_glob)
            )
        event = BlackboardEvent(action, entry)
        for listener in listeners:
            try:
                listener.callback(event)
            except Exception as error:  # noqa: BLE001  # a listener must not disturb the writer
                self._faults.note(getattr(listener.callback, "__qualname__", "listener"), error)
