"""Watching methods: order, faults, and nothing when nobody watches."""

from timeit import repeat

import pytest

from memory import Blackboard, Call, Hooks, MalformedRecord, Produced, Producers, hookable
from memory.errors import UnknownScope
from tests.memory.samples import SENSORY, WORKING


class Walker:
    def __init__(self, hooks: Hooks) -> None:
        self.hooks = hooks
        self.position = 0

    @hookable
    def walk(self, distance: int, *, bump: bool = False) -> int:
        if bump:
            raise RuntimeError("bump")
        self.position += distance
        return self.position

    @hookable
    def rest(self) -> None:
        self.position = 0


def test_handlers_see_the_call_and_its_result() -> None:
    hooks, seen = Hooks(), []
    hooks.after("Walker.walk", lambda call, result: seen.append((call, result)))
    walker = Walker(hooks)
    assert walker.walk(3, bump=False) == 3
    assert seen == [(Call("Walker.walk", walker, (3,), {"bump": False}), 3)]


def test_lower_priority_runs_first_and_equals_in_order_of_registration() -> None:
    hooks, order = Hooks(), []
    hooks.after("*", lambda _call, _result: order.append("late"), priority=2000)
    hooks.after("*", lambda _call, _result: order.append("first equal"))
    hooks.after("*", lambda _call, _result: order.append("second equal"))
    hooks.after("*", lambda _call, _result: order.append("early"), priority=1)
    hooks.before("*", lambda _call: order.append("before, late"), priority=2)
    hooks.before("*", lambda _call: order.append("before, early"), priority=1)
    Walker(hooks).walk(1)
    assert order == [
        "before, early",
        "before, late",
        "early",
        "first equal",
        "second equal",
        "late",
    ]


def test_a_pointcut_is_a_glob_on_class_and_method() -> None:
    hooks, seen = Hooks(), []
    hooks.after("Walker.*", lambda call, _result: seen.append(call.name))
    hooks.after("Runner.*", lambda call, _result: seen.append("never"))
    walker = Walker(hooks)
    walker.walk(1)
    walker.rest()
    assert seen == ["Walker.walk", "Walker.rest"]


def test_a_failure_is_seen_by_after_throwing_only_and_goes_on() -> None:
    hooks, seen = Hooks(), []
    hooks.after("*", lambda _call, _result: seen.append("after"))
    hooks.after_throwing("*", lambda _call, error: seen.append(str(error)))
    with pytest.raises(RuntimeError, match="bump"):
        Walker(hooks).walk(1, bump=True)
    assert seen == ["bump"]


def test_a_broken_handler_is_counted_reported_once_and_changes_nothing() -> None:
    told: list[tuple[str, str]] = []
    hooks = Hooks(on_fault=lambda name, error: told.append((name, str(error))))

    def broken(_call: Call, _result: object) -> None:
        raise ValueError("broken")

    seen: list[object] = []
    hooks.after("Walker.walk", broken)
    hooks.after("Walker.walk", lambda _call, result: seen.append(result))
    walker = Walker(hooks)
    assert [walker.walk(1), walker.walk(1)] == [1, 2]
    name = broken.__qualname__
    assert hooks.faults == {name: 2}
    assert told == [(name, "broken")]
    assert seen == [1, 2]


def test_a_broken_listener_for_faults_changes_nothing_either() -> None:
    def deaf(_name: str, _error: Exception) -> None:
        raise ValueError("deaf")

    hooks = Hooks(on_fault=deaf)
    hooks.before("*", lambda _call: 1 / 0)
    assert Walker(hooks).walk(1) == 1
    assert hooks.faults["on_fault"] == 1


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_a_wish_to_stop_passes_through_a_handler(stop: type[BaseException]) -> None:
    def stopping(_call: Call, _result: object) -> None:
        raise stop

    hooks = Hooks()
    hooks.after("*", stopping)
    with pytest.raises(stop):
        Walker(hooks).walk(1)


def test_a_cancelled_handler_is_not_called_again() -> None:
    hooks, seen = Hooks(), []
    registration = hooks.after("*", lambda _call, result: seen.append(result))
    walker = Walker(hooks)
    walker.walk(1)
    registration.cancel()
    registration.cancel()
    walker.walk(1)
    assert seen == [1]


def test_an_unwatched_method_costs_next_to_nothing() -> None:
    class Plain:
        def rest(self) -> None:
            self.position = 0

    hooked, plain = Walker(Hooks()), Plain()
    calls = 20_000
    cost = min(repeat(hooked.rest, number=calls, repeat=5)) - min(
        repeat(plain.rest, number=calls, repeat=5)
    )
    assert cost / calls < 2e-6  # the aim is 1 microsecond; a busy machine gets twice that


def test_producers_write_what_they_see(blackboard: Blackboard) -> None:
    hooks = Hooks()
    producers = Producers(hooks, blackboard)

    def position(call: Call, result: int) -> Produced:
        data = {"by": call.args[0], "to": result}
        return Produced(data, tick=result, game_s=2.0, tags={"move"}, importance=7)

    producers.register("Walker.walk", position, scope=SENSORY, kind="position", ttl_s=3.0)
    Walker(hooks).walk(4)
    (entry,) = blackboard.entries(SENSORY)
    assert [entry.kind, entry.data, entry.tick] == ["position", {"by": 4, "to": 4}, 4]
    assert entry.tags == {"move"}
    assert (entry.importance, entry.expires_s) == (7, 5.0)


def test_an_extractor_may_find_nothing_or_several_things(blackboard: Blackboard) -> None:
    hooks = Hooks()
    producers = Producers(hooks, blackboard)
    producers.register("Walker.rest", lambda _call, _result: None, scope=WORKING, kind="nothing")
    producers.register(
        "Walker.walk",
        lambda _call, result: [Produced({"n": n}, n, 0.0) for n in range(result)],
        scope=WORKING,
        kind="many",
    )
    walker = Walker(hooks)
    walker.walk(3)
    walker.rest()
    assert [entry.data for entry in blackboard.entries(WORKING)] == [{"n": 0}, {"n": 1}, {"n": 2}]


def test_failures_and_beginnings_can_be_remembered_too(blackboard: Blackboard) -> None:
    hooks = Hooks()
    producers = Producers(hooks, blackboard)
    producers.register(
        "*",
        lambda _call, error: Produced({"error": str(error)}, 1, 0.0),
        scope=WORKING,
        kind="failure",
        on="after_throwing",
    )
    producers.register(
        "*",
        lambda call, _nothing: Produced({"begins": call.name}, 1, 0.0),
        scope=WORKING,
        kind="beginning",
        on="before",
    )
    with pytest.raises(RuntimeError):
        Walker(hooks).walk(1, bump=True)
    assert [entry.data for entry in blackboard.entries(WORKING)] == [
        {"begins": "Walker.walk"},
        {"error": "bump"},
    ]


def test_a_broken_extractor_is_counted_under_its_own_name(blackboard: Blackboard) -> None:
    hooks = Hooks()

    def wrong(_call: Call, _result: object) -> Produced:
        return Produced({"set": {1, 2}}, 1, 0.0)  # type: ignore[dict-item]  # that is the fault

    Producers(hooks, blackboard).register("*", wrong, scope=WORKING, kind="wrong")
    assert Walker(hooks).walk(1) == 1
    assert hooks.faults == {wrong.__qualname__: 1}
    assert blackboard.entries(WORKING) == []


def test_an_unknown_scope_is_refused_at_registration(blackboard: Blackboard) -> None:
    producers = Producers(Hooks(), blackboard)
    with pytest.raises(UnknownScope, match="'attic' is no scope"):
        producers.register("*", lambda _call, _result: None, scope="attic", kind="x")


def test_what_is_not_json_is_refused_at_the_write(blackboard: Blackboard) -> None:
    with pytest.raises(MalformedRecord, match="is not JSON"):
        blackboard.write(WORKING, "x", {"v": float("nan")}, tick=1, game_s=0.0)
