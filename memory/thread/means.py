"""What a conversation works with: who observes and reflects, where, by which clock, and who is told."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memory.faults import Faults
from memory.thread.background import Background, Immediate
from memory.thread.observing import HeuristicObserver
from memory.thread.reflecting import HeuristicReflector
from memory.tokens import tokens

if TYPE_CHECKING:
    from memory.thread.parts import Part
    from memory.thread.port import Observer, Reflector


def _nobody(_part: Part) -> None:
    """Tell nobody."""


def _this_process() -> str:
    return f"process {os.getpid()}"


@dataclass(frozen=True, slots=True)
class Means:
    """What a conversation works with.

    `clock` gives epoch seconds. `fallback` and `reflector_in_need` use no model; they are asked where everything else
    has failed for too long. `holder` is the name under which work is claimed: no two processes of one
    name may have the file open, and one that was killed comes again under its name.
    """

    observer: Observer
    reflector: Reflector
    clock: Callable[[], float]
    fallback: Observer = field(default_factory=HeuristicObserver)
    reflector_in_need: Reflector = field(default_factory=HeuristicReflector)
    estimate: Callable[[str], int] = tokens
    background: Background = field(default_factory=Immediate)
    on_part: Callable[[Part], None] = _nobody
    faults: Faults = field(default_factory=Faults)
    holder: str = field(default_factory=_this_process)

    @property
    def now_ms(self) -> int:
        """The time in epoch milliseconds."""
        return round(self.clock() * 1_000)

    def tell(self, part: Part) -> None:
        """Tell of something that has happened; who listens must not become our fault."""
        try:
            self.on_part(part)
        except Exception as error:  # noqa: BLE001  # whoever looks on is somebody else's code
            self.faults.note("on_part", error)
