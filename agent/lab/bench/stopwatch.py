"""Observation of function calls in a running program: own time of each part of a tick, arguments and results."""

import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import wraps
from statistics import median
from time import perf_counter, thread_time
from typing import Any, Final, NamedTuple, TypeAlias

from agent.app.checkpoints import Checkpoints
from agent.app.session import Session
from agent.loop import Loop
from agent.mind.mind import Mind
from agent.perception.percept import Perceiver
from agent.planning.search import plan
from agent.skills import SkillRun
from emulator import PyBoyConsole, RecordingConsole
from emulator.savestate import encode_state
from emulator.screen import locate, read_glyphs
from memory import Hooks
from memory.tiers import MemoryConsolidator

Function: TypeAlias = Callable[..., Any]
Parts: TypeAlias = Mapping[Function, str]  # the part of a tick that a function belongs to

CALIBRATIONS: Final = 5
CALLS: Final = 2_000


class Stopwatch:
    """Own time by part since the last lap, in seconds, without the cost of timing a call."""

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._own: dict[str, float] = {}
        self._called: list[float] = []  # for each active call: the time of the calls in it
        self._inside = self._outside = 0.0
        self._inside, self._outside = self._calibrate()

    @contextmanager
    def on(self, parts: Parts) -> Iterator[None]:
        """Time all calls of the functions of `parts`."""
        with ExitStack() as stack:
            for function, part in parts.items():
                stack.enter_context(_replaced(function, self.timed(part, function)))
            yield

    def timed(self, part: str, function: Function) -> Function:
        """Return `function`, timed as `part`."""
        own, called, clock = self._own, self._called, self._clock

        @wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # any signature
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
        """Return the time of each part since the last lap."""
        lap = dict(self._own)
        self._own.clear()
        return lap

    def _calibrate(self) -> tuple[float, float]:
        """Return the cost of timing a call: in its own time, and in the time of its caller."""
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


@contextmanager
def _replaced(function: Function, other: Function) -> Iterator[None]:
    """Replace `function` by `other`: a method in its class, a function in every module that imports it."""
    *classes, name = function.__qualname__.split(".")
    if classes:
        owners = [pkgutil.resolve_name(f"{function.__module__}:{'.'.join(classes)}")]
    else:
        modules = list(sys.modules.values())
        owners = [each for each in modules if vars(each).get(name) is function]
    for owner in owners:
        setattr(owner, name, other)
    try:
        yield
    finally:
        for owner in owners:
            setattr(owner, name, function)


CONSOLE: Final = "console"
SAVING: Final = "checkpoints: PyBoy's own saving"
CHECKPOINTS: Final = "checkpoints"
PLANNING: Final = "planning"

# Functions inside of PyBoy, timed in every round. Encoding a saved state is our time again.
INSIDE: Final[Parts] = {
    PyBoyConsole.perform: CONSOLE,
    PyBoyConsole.save: SAVING,
    encode_state: CHECKPOINTS,
}

PARTS: Final[Parts] = {
    **INSIDE,
    PyBoyConsole.ram: "RAM read",
    Loop.look: "state decoded",
    Perceiver.perceive: "perception",
    PyBoyConsole.screen: "frames read: the picture",
    read_glyphs: "frames read: glyphs",
    locate: "frames read: place",
    Mind.sense: "facts sensed",
    Mind.decide: "deciding",
    Mind.learn: "deciding",
    plan: PLANNING,
    SkillRun.resume: "skills, with their routes",
    Hooks.run: "remembering",
    MemoryConsolidator.consolidate: "consolidation",
    RecordingConsole.perform: "recording",
    PyBoyConsole.digest: "recording: digests",
    PyBoyConsole.full_digest: "recording: digests",
    Checkpoints.save: CHECKPOINTS,
    Session._show: "the moment, for who watches",  # noqa: SLF001  # only timed
}


class ObservedCall(NamedTuple):
    """One call: wall time from `began` on, and processor time of the calling thread, in seconds."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    result: Any
    began: float
    wall_s: float
    cpu_s: float


Calls: TypeAlias = Mapping[Function, Sequence[ObservedCall]]


@contextmanager
def calls_of(functions: Iterable[Function]) -> Iterator[Calls]:
    """Record the calls of several functions, except those that raise."""
    calls: dict[Function, list[ObservedCall]] = {each: [] for each in functions}
    with ExitStack() as stack:
        for function, found in calls.items():
            stack.enter_context(_replaced(function, _recorded(function, found)))
        yield calls


def _recorded(function: Function, calls: list[ObservedCall]) -> Function:
    @wraps(function)
    def recorded(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # any signature
        began, cpu = perf_counter(), thread_time()
        result = function(*args, **kwargs)
        cpu, wall = thread_time() - cpu, perf_counter() - began
        calls.append(ObservedCall(args, kwargs, result, began, wall, cpu))
        return result

    return recorded
