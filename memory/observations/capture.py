"""From the calls of a model's tools to observations that are kept, without ever disturbing who calls."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memory.faults import Faults
    from memory.observations.extractors import Extractors, Result
    from memory.observations.observation import Observed

MOST_OPEN: Final = 256  # calls whose result is awaited; of more, the oldest is given up


class Capture:
    """Holds what each call was given until its result is there, and has kept what both come to.

    A call is known by its id, so that several of one tool at a time are told apart, and what it was given is as it was
    then. Errors, of rules as of whoever keeps, are counted in `faults`.
    """

    def __init__(
        self, extractors: Extractors, keep: Callable[[Sequence[Observed]], object], faults: Faults
    ) -> None:
        self.faults = faults
        self._extractors = extractors
        self._keep = keep
        self._open: dict[str, tuple[str, Mapping[str, Any]]] = {}

    def called(self, call_id: str, tool: str, args: Mapping[str, Any]) -> None:
        """Take note of a call that begins."""
        self._open[call_id] = tool, deepcopy(dict(args))
        if len(self._open) > MOST_OPEN:
            del self._open[next(iter(self._open))]

    def returned(self, call_id: str, result: Result) -> int:
        """Return how many observations the call came to; one that nobody announced comes to none."""
        call = self._open.pop(call_id, None)
        return 0 if call is None else self.saw(*call, result)

    def saw(self, tool: str, args: Mapping[str, Any], result: Result) -> int:
        """Return how many observations a call that is over came to."""
        try:
            observed = self._extractors(tool, args, result)
            if observed:
                self._keep(observed)
        except Exception as error:  # noqa: BLE001  # what is observed is never worth a call
            self.faults.note(f"observe {tool}", error)
            return 0
        return len(observed)
