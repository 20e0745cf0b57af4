"""Function calls observed while a program runs: the own time of each part of a tick, and arguments and results.

Knows functions by the names they are found under. Knows nothing of what they do.
"""

import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial, wraps
from statistics import median
from time import perf_counter, thread_time
from typing import Any, Final, NamedTuple, TypeAlias

# "module:Class.method", or "module:function" in the module that calls it, to the name of a part.
Parts: TypeAlias = Mapping[str, str]
Function: TypeAlias = Callable[..., Any]

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
        with ExitStack() as stack:
            for name, part in parts.items():
                stack.enter_context(_replaced(name, partial(self.timed, part)))
            yield

    def timed(self, part: str, function: Function) -> Function:
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


@contextmanager
def _replaced(name: str, wrapped: Callable[[Function], Function]) -> Iterator[None]:
    """Have the function that `name` names be what `wrapped` makes of it."""
    path, _, attribute = name.replace(":", ".").rpartition(".")
    owner = pkgutil.resolve_name(path)
    function = getattr(owner, attribute)
    setattr(owner, attribute, wrapped(function))
    try:
        yield
    finally:
        setattr(owner, attribute, function)


CONSOLE: Final = "console"
SAVING: Final = "checkpoints: PyBoy's own saving"
CHECKPOINTS: Final = "checkpoints"
PLANNING: Final = "planning"

# What goes on inside of PyBoy, timed in every round. What we make of a saved state is ours again.
INSIDE: Final[Parts] = {
    "emulator.pyboy_console:PyBoyConsole.perform": CONSOLE,
    "emulator.pyboy_console:PyBoyConsole.save": SAVING,
    "emulator.pyboy_console:encode_state": CHECKPOINTS,
}

PARTS: Final[Parts] = {
    **INSIDE,
    "emulator.pyboy_console:PyBoyConsole.ram": "RAM read",
    "agent.loop:Loop.look": "state decoded",
    "agent.perception.percept:Perceiver.perceive": "perception",
    "emulator.pyboy_console:PyBoyConsole.screen": "frames read: the picture",
    "agent.perception.percept:read_glyphs": "frames read: glyphs",
    "agent.perception.percept:locate": "frames read: place",
    "agent.mind.mind:Mind.sense": "facts sensed",
    "agent.mind.mind:Mind.decide": "deciding",
    "agent.mind.mind:Mind.learn": "deciding",
    "agent.experience.action_costs:plan": PLANNING,
    "agent.skills.skill:SkillRun.resume": "skills, with their routes",
    "memory.hooks.hooks:Hooks.run": "remembering",
    "memory.tiers.consolidator:MemoryConsolidator.consolidate": "consolidation",
    "emulator.recording:RecordingConsole.perform": "recording",
    "emulator.pyboy_console:PyBoyConsole.digest": "recording: digests",
    "emulator.pyboy_console:PyBoyConsole.full_digest": "recording: digests",
    "agent.app.checkpoints:Checkpoints.save": CHECKPOINTS,
    "agent.app.session:Session._show": "the moment, for who watches",
}


class ObservedCall(NamedTuple):
    """One call. Seconds are of the wall from `began` on, and of the processor in the thread that called."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    result: Any
    began: float
    wall_s: float
    cpu_s: float


Calls: TypeAlias = Mapping[str, Sequence[ObservedCall]]


@contextmanager
def heard(name: str) -> Iterator[list[ObservedCall]]:
    """Lend a list of the calls of `name`, which is as `module:Class.method`, or `module:function` of the module that calls it.

    Calls that raise are left out.
    """
    calls: list[ObservedCall] = []

    def wrapped(function: Function) -> Function:
        @wraps(function)
        def listening(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # whatever it takes and returns
            began, cpu = perf_counter(), thread_time()
            result = function(*args, **kwargs)
            cpu, wall = thread_time() - cpu, perf_counter() - began
            calls.append(ObservedCall(args, kwargs, result, began, wall, cpu))
            return result

        return listening

    with _replaced(name, wrapped):
        yield calls


@contextmanager
def all_heard(names: Iterable[str]) -> Iterator[Calls]:
    """Lend the calls of several functions, by their names."""
    with ExitStack() as stack:
        yield {name: stack.enter_context(heard(name)) for name in names}
