"""A count of what went wrong in code that must not disturb its caller."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

OnFault: TypeAlias = "Callable[[str, Exception], None]"


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
