"""A stopwatch for parts of a program as it runs: what each took itself, without the parts that it called.

Knows functions by the names they are found under. Knows nothing of what they do.
"""

import pkgutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from statistics import median
from time import perf_counter
from typing import Any, Final, TypeAlias

# "module:Class.method", or "module:function" in the module that calls it, to the name of a part.
Parts: TypeAlias = Mapping[str, str]

CALIBRATIONS: Final = 5
CALLS: Final = 2_000


class Stopwatch:
    """Own time by part since the last lap, in seconds; the cost of timing a call is taken off."""

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._own: dict[str, float] = {}
        self._called: list[float] = []  # for each call under way: what the calls in it took
        self._inside = self._outside = 0.0
        self._inside, self._outside = self._calibrate()

    @contextmanager
    def on(self, parts: Parts) -> Iterator[None]:
        """Time the functions that `parts` names, for whoever calls them meanwhile."""
        originals = []
        for name, part in parts.items():
            owner, attribute = _home(name)
            function = getattr(owner, attribute)
            originals.append((owner, attribute, function))
            setattr(owner, attribute, self.timed(part, function))
        try:
            yield
        finally:
            for owner, attribute, function in originals:
                setattr(owner, attribute, function)

    def timed(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return `function`, timed as `part`."""
        own, called, clock = self._own, self._called, self._clock

        @wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # whatever it takes and returns
            called.append(0.0)
            start = clock()
            try:
                return function(*args, **kwargs)
            finally:
                took = clock() - start
                own[part] = own.get(part, 0.0) + took - called.pop() - self._inside
                if called:
                    called[-1] += took + self._outside

        return timed

    def lap(self) -> dict[str, float]:
        """Return what each part took since the last lap."""
        lap = dict(self._own)
        self._own.clear()
        return lap

    def _calibrate(self) -> tuple[float, float]:
        """Return what a timed call costs: in its own figure, and beside it in its caller's."""
        nothing = self.timed("nothing", lambda: None)
        insides, totals = [], []
        for _ in range(CALIBRATIONS):
            self.lap()
            start = self._clock()
            for _ in range(CALLS):
                nothing()
            totals.append((self._clock() - start) / CALLS)
            insides.append(self.lap()["nothing"] / CALLS)
        inside = median(insides)
        return inside, median(totals) - inside


def _home(name: str) -> tuple[Any, str]:
    """Return the class or module that holds what `name` names, and its name there."""
    path, _, attribute = name.replace(":", ".").rpartition(".")
    return pkgutil.resolve_name(path), attribute
