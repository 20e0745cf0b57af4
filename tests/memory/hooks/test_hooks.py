"""Handlers before, around and after a method: their order, their errors, and exactly one call of the method."""

import gc
import sys
from collections.abc import Callable
from types import FrameType

import pytest

from memory import Call, ErrorMode, Hooks
from memory.hooks.hooks import Proceed
from tests.memory.hooks.walker import Walker

QUIET = (ErrorMode.CONTINUE, ErrorMode.SUPPRESS)


def broken(*_seen: object) -> None:
    raise ValueError("broken")


def deaf(_name: str, _error: Exception) -> None:
    raise ValueError("deaf")


def calls_made(function: Callable[[], object]) -> int:
    """Return how many Python functions are called in all."""
    calls = []

    def count(frame: FrameType, event: str, _arg: object) -> None:
        if event == "call":
            calls.append(frame.f_code.co_name)

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(before)
    return len(calls)


def test_b03_handlers_see_the_call_and_its_result_or_only_its_error() -> None:
    hooks, seen, raised = Hooks(), [], []
    hooks.before("Walker.walk", lambda call: seen.append((call, "before")))
    hooks.after("Walker.walk", lambda call, result: seen.append((call, result)))
    hooks.after_throwing("*", lambda _call, error: raised.append(str(error)))
    walker = Walker(hooks)
    assert walker.walk(3, bump=False) == 3
    call = Call("Walker.walk", walker, (3,), {"bump": False})
    assert (seen, raised) == ([(call, "before"), (call, 3)], [])
    with pytest.raises(RuntimeError, match="bump"):
        walker.walk(1, bump=True)
    assert [words for _, words in seen[2:]] == ["before"]
    assert raised == ["bump"]


def test_b03_b06_a_wrapper_may_catch_an_error_but_a_suppressed_one_not_replace_it() -> None:
    hooks, seen = Hooks(), []
    catching = hooks.around("*", catches, on_error=ErrorMode.SUPPRESS)
    hooks.after("*", lambda _call, result: seen.append(result))
    hooks.after_throwing("*", lambda _call, error: seen.append(str(error)))
    walker = Walker(hooks)
    result: object = walker.walk(5, bump=True)
    assert (result, walker.tried) == ("swallowed", 1)
    catching.cancel()
    hooks.around("*", translates, on_error=ErrorMode.SUPPRESS)
    with pytest.raises(RuntimeError, match="bump"):
        walker.walk(5, bump=True)
    assert (walker.tried, hooks.faults, seen) == (2, {"translates": 1}, ["swallowed", "bump"])


def test_b10_an_owner_deleted_during_a_call_is_no_error_and_no_function_is_held_weakly() -> None:
    hooks = Hooks()
    diaries = [Diary()]
    hooks.before("*", lambda _call: diaries.clear())
    hooks.around("*", diaries[0].wrap, weak=True)
    hooks.after("*", diaries[0].note, weak=True)
    assert Walker(hooks).walk(1) == 1
    with pytest.raises(TypeError, match="bound method"):
        hooks.after("*", lambda _call, _result: None, weak=True)


def test_b03_a_wrapper_runs_between_caller_and_method() -> None:
    hooks, seen = Hooks(), []

    def double(_call: Call, proceed: Proceed) -> object:
        return 2 * int(str(proceed()))

    hooks.around("Walker.walk", double)
    hooks.after("Walker.walk", lambda _call, result: seen.append(result))
    walker = Walker(hooks)
    assert walker.walk(3) == 6
    assert walker.position == 3
    assert seen == [6]


def test_b06_lower_priority_runs_first_and_equals_in_order_of_registration() -> None:
    hooks, order = Hooks(), []

    def note(words: str) -> Callable[..., None]:
        return lambda *_seen: order.append(words)

    def wrap(words: str) -> Callable[[Call, Proceed], object]:
        def wrapper(_call: Call, proceed: Proceed) -> object:
            order.append(f"{words} in")
            result = proceed()
            order.append(f"{words} out")
            return result

        return wrapper

    for moment in (hooks.after, hooks.before):
        name = moment.__name__
        moment("*", note(f"{name}: late"), priority=2000)
        moment("*", note(f"{name}: first equal"))
        moment("*", note(f"{name}: second equal"))
        moment("*", note(f"{name}: early"), priority=1)
    hooks.around("*", wrap("first equal"))
    hooks.around("*", wrap("second equal"))
    hooks.around("*", wrap("outer"), priority=1)
    Walker(hooks).walk(1)
    assert order == [
        *("before: early", "before: first equal", "before: second equal", "before: late"),
        *("outer in", "first equal in", "second equal in"),
        *("second equal out", "first equal out", "outer out"),
        *("after: early", "after: first equal", "after: second equal", "after: late"),
    ]


def never(_call: Call, _proceed: Proceed) -> object:
    return "never"


def twice(_call: Call, proceed: Proceed) -> object:
    return [proceed(), proceed()]


def breaks_early(_call: Call, _proceed: Proceed) -> object:
    raise ValueError("broken")


def breaks_late(_call: Call, proceed: Proceed) -> object:
    proceed()
    raise ValueError("broken")


def lets_through(_call: Call, proceed: Proceed) -> object:
    return proceed()


def catches(_call: Call, proceed: Proceed) -> object:
    try:
        proceed()
    except RuntimeError:
        return "swallowed"
    return "nothing to swallow"


def translates(_call: Call, proceed: Proceed) -> object:
    try:
        return proceed()
    except RuntimeError as error:
        raise ValueError("translated") from error


@pytest.mark.parametrize("mode", QUIET)
@pytest.mark.parametrize(
    ("wrapper", "expected"),
    [
        (never, 5),
        (twice, [5, 5]),
        (breaks_early, 5),
        (breaks_late, 5),
        (lets_through, 5),
        (catches, "nothing to swallow"),
    ],
)
def test_b06_a_method_runs_once_under_any_wrappers(
    wrapper: Callable[[Call, Proceed], object], expected: object, mode: ErrorMode
) -> None:
    hooks = Hooks()
    hooks.around("*", wrapper, on_error=mode)
    walker = Walker(hooks)
    result: object = walker.walk(5)
    assert result == expected
    assert (walker.tried, walker.position) == (1, 5)


@pytest.mark.parametrize("wrapper", [never, twice, breaks_early, breaks_late, lets_through])
@pytest.mark.parametrize("mode", QUIET)
def test_b06_a_method_fails_once_under_any_wrappers(
    wrapper: Callable[[Call, Proceed], object], mode: ErrorMode
) -> None:
    hooks, seen = Hooks(), []
    hooks.around("*", wrapper, on_error=mode)
    hooks.around("*", lets_through, on_error=mode)
    hooks.after_throwing("*", lambda _call, error: seen.append(str(error)))
    walker = Walker(hooks)
    with pytest.raises(RuntimeError, match="bump"):
        walker.walk(5, bump=True)
    assert (walker.tried, seen) == (1, ["bump"])
    assert hooks.faults == ({"breaks_early": 1} if wrapper is breaks_early else {})


def test_b06_an_interrupt_that_a_wrapper_catches_does_not_repeat_the_call() -> None:
    hooks, asked = Hooks(), []

    def stop(_call: Call, _proceed: Proceed) -> object:
        asked.append("stop")
        raise KeyboardInterrupt

    def catches_all(_call: Call, proceed: Proceed) -> object:
        for _ in range(2):
            try:
                proceed()
            except KeyboardInterrupt as error:
                asked.append(type(error).__name__)
        return 0

    hooks.around("*", catches_all)
    hooks.around("*", stop)
    assert Walker(hooks).walk(1) == 0
    assert asked == ["stop", "KeyboardInterrupt", "KeyboardInterrupt"]


MOMENTS = ("before", "around", "after")


@pytest.mark.parametrize("moment", MOMENTS)
def test_b04_a_handler_fails_fast_by_default(moment: str) -> None:
    hooks, seen = Hooks(), []
    getattr(hooks, moment)("*", broken)
    getattr(hooks, moment)("*", lambda *_seen: seen.append("later"))
    walker = Walker(hooks)
    with pytest.raises(ValueError, match="broken"):
        walker.walk(1)
    assert (hooks.faults, seen) == ({}, [])
    assert walker.tried == (1 if moment == "after" else 0)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, MemoryError])
@pytest.mark.parametrize("mode", ErrorMode)
def test_b04_an_interrupt_or_lack_of_memory_passes_any_handler(
    stop: type[BaseException], mode: ErrorMode
) -> None:
    def stopping(_call: Call, _result: object) -> None:
        raise stop

    for moment in ("around", "after"):
        hooks = Hooks()
        getattr(hooks, moment)("*", stopping, on_error=mode)
        with pytest.raises(stop):
            Walker(hooks).walk(1)
        assert not hooks.faults


def test_b04_a_failing_after_throwing_handler_replaces_the_error_unless_suppressed() -> None:
    for mode, said in ((ErrorMode.FAIL_FAST, "broken"), *((each, "bump") for each in QUIET)):
        hooks = Hooks()
        hooks.after_throwing("*", broken, on_error=mode)
        with pytest.raises((ValueError, RuntimeError), match=said) as raised:
            Walker(hooks).walk(1, bump=True)
        assert (str(raised.value.__context__) == "bump") is (said == "broken")
        assert hooks.faults == ({} if said == "broken" else {"broken": 1})


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("mode", QUIET)
def test_b04_a_failing_suppressed_handler_changes_nothing(moment: str, mode: ErrorMode) -> None:
    reported: list[str] = []
    hooks = Hooks(on_fault=lambda name, error: reported.append(f"{name}: {error}"))
    seen: list[object] = []
    getattr(hooks, moment)("*", broken, on_error=mode)
    hooks.after("Walker.walk", lambda _call, result: seen.append(result))
    walker = Walker(hooks)
    assert [walker.walk(1), walker.walk(1), walker.walk(1)] == [1, 2, 3]
    assert hooks.faults == {"broken": 3}
    assert reported == ["broken: broken"] * (3 if mode is ErrorMode.CONTINUE else 1)
    assert seen == [1, 2, 3]


def test_b04_a_failing_fault_listener_changes_nothing() -> None:
    hooks = Hooks(on_fault=deaf)
    hooks.before("*", broken, on_error=ErrorMode.CONTINUE)
    walker = Walker(hooks)
    assert [walker.walk(1), walker.walk(1)] == [1, 2]
    assert hooks.faults == {"broken": 2, "on_fault": 2}


class Diary:
    def __init__(self) -> None:
        self.lines: list[object] = []

    def note(self, _call: Call, result: object) -> None:
        self.lines.append(result)

    def begin(self, call: Call) -> None:
        self.lines.append(call.name)

    def wrap(self, _call: Call, proceed: Proceed) -> object:
        result = proceed()
        self.lines.append(result)
        return result


def test_b10_a_cancelled_handler_is_not_called_again_and_the_others_are() -> None:
    hooks, seen = Hooks(), []

    def once(_call: Call, _result: object) -> None:
        seen.append("once")
        itself.cancel()

    one = hooks.after("*", lambda _call, _result: seen.append("one"))
    two = hooks.after("*", lambda _call, _result: seen.append("two"))
    itself = hooks.after("*", once)
    three = hooks.after("*", lambda _call, _result: seen.append("three"))
    walker = Walker(hooks)
    walker.walk(1)
    two.cancel()
    two.cancel()
    walker.walk(1)
    assert seen == ["one", "two", "once", "three", "one", "three"]
    assert hooks.registered == (one, three)


def test_b10_handlers_of_a_deleted_weak_owner_are_removed() -> None:
    hooks, diary, strong = Hooks(), Diary(), Diary()
    hooks.before("*", diary.begin, weak=True)
    hooks.around("*", diary.wrap, weak=True)
    hooks.after("*", diary.note, weak=True)
    hooks.after_throwing("*", diary.note, weak=True)
    lines, kept = strong.lines, hooks.after("*", strong.note)
    walker = Walker(hooks)
    assert walker.walk(1) == 1
    assert diary.lines == ["Walker.walk", 1, 1]
    del diary, strong
    gc.collect(0)
    assert hooks.registered == (kept,)
    assert walker.walk(1) == 2
    assert lines == [1, 2]


def test_b10_an_unwatched_method_costs_almost_nothing() -> None:
    class Plain:
        position = 0

        def rest(self) -> None:
            self.position = 0

    watched_elsewhere = Hooks()
    watched_elsewhere.after("Walker.walk", lambda _call, _result: None)
    for hooks in (Hooks(), watched_elsewhere):
        hooked = Walker(hooks)
        hooked.rest()  # looks once whether it is watched
        # `tests/proofs/memory_limits.py` measures the time; this counts what is called.
        assert calls_made(hooked.rest) <= calls_made(Plain().rest) + 2
