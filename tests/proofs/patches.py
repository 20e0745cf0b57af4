"""Replacement of attributes of the running program, for observation or for bugs, and forks of it."""

import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeAlias

Wrapper: TypeAlias = Callable[..., Any]


def around(owner: object, name: str, wrapper: Wrapper) -> None:
    """Replace calls of `owner.name(*args)` by `wrapper(original, *args)`."""
    original = getattr(owner, name)

    @wraps(original)
    def replaced(*args: Any, **more: Any) -> Any:  # noqa: ANN401
        return wrapper(original, *args, **more)

    setattr(owner, name, replaced)


@contextmanager
def wrapped(owner: object, name: str, wrapper: Wrapper) -> Iterator[None]:
    """Do the same while the context lasts."""
    original = getattr(owner, name)
    around(owner, name, wrapper)
    try:
        yield
    finally:
        setattr(owner, name, original)


def replace_everywhere(old: object, new: object) -> None:
    """Bind `new` to every module attribute that is bound to `old`, since `from x import y` copies."""
    for module in list(sys.modules.values()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if value is old:
                setattr(module, name, new)


def fork(work: Callable[[], int]) -> int:
    """Run `work` in a fork of this process, whose exit code is its result; return the process id."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        code = work()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001  # a child must not return into the parent's code
        traceback.print_exc(file=sys.stderr)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
