"""The errors of memory, and a counter of errors that must not disturb a caller.

Each message says in one line what to do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeAlias


class MemoryFault(Exception):
    """The base class: memory refuses a request."""


class MalformedRecord(MemoryFault):
    """A value does not have the shape that its kind requires."""


class UnknownScope(MemoryFault):
    """A scope name names no level."""


class UnknownMemory(MemoryFault):
    """A tier holds no record with this id."""


class ForbiddenWrite(MemoryFault):
    """The scope does not allow this writer."""


class Conflict(MemoryFault):
    """An entry that a transaction read was changed before the transaction ended."""


class NotHookable(MemoryFault):
    """The method to watch is not decorated with @hookable."""


class StoreError(MemoryFault):
    """A file cannot be used."""


class MissingStore(StoreError):
    """There is no file to read."""


class CorruptStore(StoreError):
    """The file is damaged."""


class StrangeStore(CorruptStore):
    """The schema of the file is of none of our versions; it is not opened, and only a night moves it, to go on from its copy."""


class ForeignStore(StoreError):
    """The file is intact, but not of this kind."""


class NewerStore(StoreError):
    """The file was written by a later version."""


class RetiredStore(StoreError):
    """The file was written in a version of its schema that is no longer supported."""


class BusyStore(StoreError):
    """Another process holds the file; the write can be retried later."""


class ObservationsRefused(StoreError):
    """The file does not accept the observations; the rest of the transaction can be written without them."""


class MissingCheckpoint(StoreError):
    """There is no checkpoint to restore."""


class RunFolderError(StoreError):
    """A run's folder cannot be used."""


OnFault: TypeAlias = Callable[[str, Exception], None]


class Faults(Counter[str]):
    """Counts of the failures of each named handler; the first failure of each name is reported to `on_fault`."""

    def __init__(self, on_fault: OnFault | None = None) -> None:
        super().__init__()
        self.on_fault = on_fault

    def note(self, name: str, error: Exception, *, always: bool = False) -> None:
        """Count one failure of `name`; report it when it is the first of its name, or when `always` is set.

        MemoryError is raised again: a process without free memory must end.
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
