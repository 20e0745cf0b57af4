"""Registrations: how they end, and what they cost."""

import gc
from timeit import repeat

import pytest

from memory import Call, Hooks
from memory.hooks import Proceed
from tests.memory.hooks.walker import Walker


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


def test_b10_a_cancelled_handler_is_not_called_again() -> None:
    hooks, seen = Hooks(), []
    registration = hooks.after("*", lambda _call, result: seen.append(result))
    walker = Walker(hooks)
    walker.walk(1)
    registration.cancel()
    registration.cancel()
    walker.walk(1)
    assert seen == [1]
    assert hooks.registered == ()


def test_b10_one_cancelled_handler_leaves_the_others() -> None:
    hooks, seen = Hooks(), []
    hooks.after("*", lambda _call, _result: seen.append("one"))
    two = hooks.after("*", lambda _call, _result: seen.append("two"))
    hooks.after("*", lambda _call, _result: seen.append("three"))
    two.cancel()
    Walker(hooks).walk(1)
    assert seen == ["one", "three"]


def test_b10_a_handler_may_cancel_itself() -> None:
    hooks, seen = Hooks(), []

    def once(_call: Call, result: object) -> None:
        seen.append(result)
        registration.cancel()

    registration = hooks.after("*", once)
    hooks.after("*", lambda _call, _result: seen.append("other"))
    walker = Walker(hooks)
    walker.walk(1)
    walker.walk(1)
    assert seen == [1, "other", "other"]


def test_b10_a_weakly_held_owner_takes_its_handlers_along() -> None:
    hooks, diary = Hooks(), Diary()
    hooks.before("*", diary.begin, weak=True)
    hooks.around("*", diary.wrap, weak=True)
    hooks.after("*", diary.note, weak=True)
    hooks.after_throwing("*", diary.note, weak=True)
    kept = hooks.after("*", lambda _call, _result: None)
    walker = Walker(hooks)
    assert walker.walk(1) == 1
    assert diary.lines == ["Walker.walk", 1, 1]
    del diary
    gc.collect()
    assert hooks.registered == (kept,)
    assert walker.walk(1) == 2


def test_b10_an_owner_that_goes_in_the_middle_of_a_call_is_not_missed() -> None:
    hooks = Hooks()
    diaries = [Diary()]
    hooks.before("*", lambda _call: diaries.clear())
    hooks.around("*", diaries[0].wrap, weak=True)
    hooks.after("*", diaries[0].note, weak=True)
    assert Walker(hooks).walk(1) == 1


def test_b10_an_owner_stays_where_it_is_not_held_weakly() -> None:
    hooks = Hooks()
    lines = (diary := Diary()).lines
    hooks.after("*", diary.note)
    del diary
    gc.collect()
    Walker(hooks).walk(1)
    assert lines == [1]


def test_b10_what_has_no_owner_cannot_be_held_weakly() -> None:
    with pytest.raises(TypeError, match="bound method"):
        Hooks().after("*", lambda _call, _result: None, weak=True)


def test_b10_an_unwatched_method_costs_next_to_nothing() -> None:
    class Plain:
        position = 0

        def rest(self) -> None:
            self.position = 0

    watched_elsewhere = Hooks()
    watched_elsewhere.after("Walker.walk", lambda _call, _result: None)
    plain, calls = Plain(), 5_000
    for hooks in (Hooks(), watched_elsewhere):
        hooked = Walker(hooks)
        cost = min(repeat(hooked.rest, number=calls, repeat=9)) - min(
            repeat(plain.rest, number=calls, repeat=9)
        )
        assert cost / calls < 2e-6  # the aim is 1 microsecond; a busy machine gets twice that
