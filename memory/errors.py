"""The errors of memory, and the count of those that must not disturb a caller.

Every message says in one line what to do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeAlias


class MemoryFault(Exception):
    """Anything memory refuses to do."""


class MalformedRecord(MemoryFault):
    """A value does not have the shape its kind promises."""


class UnknownScope(MemoryFault):
    """A scope name that no level answers to."""


class UnknownMemory(MemoryFault):
    """An id that this tier does not hold."""


class ForbiddenWrite(MemoryFault):
    """A scope that does not admit the writer."""


class Conflict(MemoryFault):
    """What a transaction read was written by another meanwhile."""


class NotHookable(MemoryFault):
    """A method that is not opened by @hookable is to be watched."""


class StoreError(MemoryFault):
    """A file cannot be used."""


class MissingStore(StoreError):
    """There is no file to read."""


class CorruptStore(StoreError):
    """The file is damaged."""


class ForeignStore(StoreError):
    """The file is healthy, but not of this kind."""


class NewerStore(StoreError):
    """The file was written by a later version."""


class RetiredStore(StoreError):
    """The file was written before version 1 of its schema."""


class BusyStore(StoreError):
    """Another process holds the file; what was to be written can be written later."""


class ObservationsRefused(StoreError):
    """A file takes no observations; what goes with them can be written without."""


class MissingCheckpoint(StoreError):
    """There is no moment to go back to."""


class RunFolderError(StoreError):
    """A run's folder cannot be used."""


OnFault: TypeAlias = Callable[[str, Exception], None]


class Faults(Counter[str]):
    """How often each named handler failed; the first failure of each name is told to `on_fault`."""

    def __init__(self, on_fault: OnFault | None = None) -> None:
        super().__init__()
        self.on_fault = on_fault

    def note(self, name: str, error: Exception, *, always: bool = False) -> None:
        """Count one failure of `name`; tell the listener when it is the first, or always.

        A process without memory keeps nothing that it is told to: MemoryError is raised again, and ends it.
        """
        if isinstance(error, MemoryError):
            raise error
        self[name] += 1
        if self.on_fault is None or (self[name] > 1 and not always):
            return
        try:
            self.on_fault(name, error)
        except Exception:  # noqa: BLE001  # a broken listener must not become the caller's fault
            self["on_fault"] += 1
