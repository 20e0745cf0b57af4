"""The one door of numba: functions on integers and records, compiled once and kept on disk.

With NUMBA_DISABLE_JIT=1 the same functions run as plain Python, with the same results.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from typing import Any, Final, TypeVar, cast

import numba
from numba.core import types

_type_without_value: Any = types.unliteral
_njit: Any = numba.njit  # its types do not name all of its options
Function = TypeVar("Function", bound=Callable[..., object])

HERE: Final = Path(__file__).resolve().parent
# A compiled function contains those it calls, but numba compares the date of its own file only. So what is kept is
# kept under a digest of all sources that are compiled together: a change of one of them compiles all of them again.
_ENGINE: Final = (*sorted(HERE.glob("engine/*.py")), *sorted(HERE.glob("rules/*.py")))


@cache
def kept_in(source: Path) -> Path:
    """Return the directory for what is compiled of a file: one of the turn engine, or one that calls only that."""
    together = _ENGINE if source in _ENGINE else (*_ENGINE, source)
    place = "engine" if source in _ENGINE else f"{source.parent.name}.{source.stem}"
    name = f"compiled-{place}"
    digest = sha256(b"".join(path.read_bytes() for path in together)).hexdigest()[:16]
    kept = HERE / "__pycache__" / f"{name}-{digest}"
    for old in kept.parent.glob(f"{name}-*"):  # of older sources
        if old != kept:
            rmtree(old, ignore_errors=True)
    return kept


# Written when all that play needs was compiled.
COMPLETE: Final = kept_in(_ENGINE[0]) / "complete"


def compiled(function: Function) -> Function:
    """Return `function` compiled at its first call; it may call other compiled functions only."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    numba.config.CACHE_DIR = str(kept_in(Path(function.__code__.co_filename)))  # type: ignore[attr-defined]
    # Nothing of C calls them: a wrapper for it would cost a seventh of the time.
    dispatcher: Any = _njit(cache=True, error_model="numpy", no_cfunc_wrapper=True)(function)
    find = dispatcher.get_call_template

    def find_for_any_value(args: Sequence[Any], kwargs: Mapping[str, Any]) -> object:
        # Numba would compile a version for each constant that is passed, a third more in all.
        return find(tuple([_type_without_value(each) for each in args]), kwargs)

    dispatcher.get_call_template = find_for_any_value
    return cast("Function", dispatcher)
