"""Handlers around a method, which runs exactly once whatever they do.

A wrapper that calls `proceed` again gets the first result, or the first error, again. For one that never calls it the
method runs all the same, and its result stands; else what the wrapper returns does. The error of a wrapper that is not
to fail fast is passed over as if the wrapper had not been there. One that fails fast before it proceeds is the only way
to keep a method from running, as a handler before it can too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory.hooks.registration import Call, ErrorMode, Registration

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory.faults import Faults


class Proceed:
    """The rest of a call, which happens at the first asking and is remembered for the others."""

    def __init__(self, rest: Callable[[], object]) -> None:
        self._rest: Callable[[], object] | None = rest
        self._result: object = None
        self.error: BaseException | None = None

    def __call__(self) -> object:
        """Return what the rest of the call returned, or raise what it raised."""
        if self._rest is None:
            if self.error is not None:
                raise self.error
            return self._result
        rest, self._rest = self._rest, None
        try:
            self._result = rest()
        except BaseException as error:
            self.error = error
            raise
        return self._result

    @property
    def has_run(self) -> bool:
        """Whether anybody asked."""
        return self._rest is None


def wrapped(
    wrappers: Sequence[Registration], call: Call, body: Callable[[], object], faults: Faults
) -> object:
    """Return what comes of `body` inside of all `wrappers`, the first of which is the outermost."""
    rest = body
    for wrapper in reversed(wrappers):
        rest = _around(wrapper, call, Proceed(rest), faults)
    return rest()


def _around(
    wrapper: Registration, call: Call, proceed: Proceed, faults: Faults
) -> Callable[[], object]:
    def through() -> object:
        try:
            result = wrapper.handler(call, proceed)
        except Exception as error:
            if error is proceed.error:
                raise  # the method's own; the wrapper only let it through
            if wrapper.on_error is ErrorMode.FAIL_FAST:
                raise
            always = wrapper.on_error is ErrorMode.CONTINUE
            faults.note(wrapper.name, error, always=always)
            return proceed()
        return result if proceed.has_run else proceed()

    return through
