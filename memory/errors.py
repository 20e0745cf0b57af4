"""The errors of memory; every message says in one line what to do.

MemoryFault
├── MalformedRecord      a value does not have the shape its kind promises
├── UnknownScope         a scope name that no level answers to
├── UnknownMemory        an id that this tier does not hold
├── ForbiddenWrite       a scope that does not admit the writer
├── Conflict             what a transaction read was written by another
├── NotHookable          a method that nobody opened is to be watched
└── StoreError           a file cannot be used
    ├── MissingStore     there is no file to read
    ├── CorruptStore     the file is damaged (one that can start anew is set aside)
    ├── ForeignStore     the file is healthy, but not of this kind
    ├── NewerStore       the file was written by a later version
    ├── BusyStore        somebody else holds the file, and did not let go of it in time
    ├── ObservationsRefused  a file takes no observations; it may still take the rest
    ├── MissingCheckpoint  there is no moment to go back to
    └── RunFolderError   a run's folder cannot be used
"""


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
    """A method that nobody opened is to be watched."""


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


class BusyStore(StoreError):
    """Somebody else holds the file; what was to be written can be written later."""


class ObservationsRefused(StoreError):
    """A file takes no observations; what goes with them can be written without."""


class MissingCheckpoint(StoreError):
    """There is no moment to go back to."""


class RunFolderError(StoreError):
    """A run's folder cannot be used."""
