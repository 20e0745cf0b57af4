"""What passes through a function while others call it: with what, what came of it, and how long it took."""

import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from time import perf_counter, thread_time
from typing import Any, NamedTuple


class Heard(NamedTuple):
    """One call. Seconds are of the wall from `began` on, and of the processor in the thread that called."""

    args: tuple[Any, ...]
    result: Any
    began: float
    wall_s: float
    cpu_s: float


@contextmanager
def heard(name: str) -> Iterator[list[Heard]]:
    """Lend a list of the calls of `name`, which is as `module:Class.method`, or `module:function` of the module that calls it.

    Calls that raise are left out.
    """
    path, _, attribute = name.replace(":", ".").rpartition(".")
    owner = pkgutil.resolve_name(path)
    function = getattr(owner, attribute)
    calls: list[Heard] = []

    @wraps(function)
    def listening(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # whatever it takes and returns
        began, cpu = perf_counter(), thread_time()
        result = function(*args, **kwargs)
        cpu, wall = thread_time() - cpu, perf_counter() - began
        calls.append(Heard(args, result, began, wall, cpu))
        return result

    setattr(owner, attribute, listening)
    try:
        yield calls
    finally:
        setattr(owner, attribute, function)
