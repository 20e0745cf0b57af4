"""Recorded model calls in the Tapes format: reader, recorder, and an observer that needs no model.

What only some runs need is loaded when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

from memory.tapes.entries import MADE_UP, is_made_up
from memory.tapes.notes import load_page, note_run, observe
from memory.tapes.observer import Priority, SessionObservation

if TYPE_CHECKING:
    from memory.tapes.recorder import TapeRecorder, run_mark
    from memory.tapes.tape import SqliteTape, open_tape
else:
    LATER: Final = {
        "SqliteTape": "memory.tapes.tape",
        "TapeRecorder": "memory.tapes.recorder",
        "open_tape": "memory.tapes.tape",
        "run_mark": "memory.tapes.recorder",
    }

    def __getattr__(name: str) -> object:
        """Return a name of LATER."""
        if name not in LATER:
            raise AttributeError(name)
        return getattr(import_module(LATER[name]), name)
