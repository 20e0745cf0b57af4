"""Pointcuts and producers: which calls a handler is for, and the entries it writes."""

import gc
from collections.abc import Callable
from typing import NamedTuple

import pytest

from memory import (
    Blackboard,
    BlackboardEvent,
    Call,
    Hooks,
    Produced,
    Producers,
    RunStore,
    hookable,
    scope_name,
)
from memory.blackboard.entry import EntryKind
from memory.errors import NotHookable, UnknownScope
from memory.hooks.hooks import WatchTarget
from memory.hooks.pointcut import Pointcut
from memory.hooks.producers import Extractor
from tests.memory.hooks.walker import Runner, Walker
from tests.memory.samples import EPISODIC, SENSORY, STM, WORKING

MANY = 5_000  # new objects, enough that one reuses an old address


def seen_of(pointcut: WatchTarget, *, other: bool = False) -> list[str]:
    """Return the methods of a Runner, or of a Walker, that match `pointcut`."""
    hooks, seen = Hooks(), []
    hooks.after(pointcut, lambda call, _result: seen.append(call.name))
    runner = Walker(hooks) if other else Runner(hooks)
    runner.walk(1)
    runner.rest()
    if isinstance(runner, Runner):
        runner.run(1)
    return seen


WALKED, RAN = ["Walker.walk", "Walker.rest"], ["Runner.run"]
ALL = [*WALKED, *RAN]


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("*", ALL),
        ("Walker.*", ["Walker.walk", "Walker.rest"]),
        ("*.walk", ["Walker.walk"]),
        ("Runner.*", ["Runner.run"]),
        ("Runner.walk", []),  # defined by Walker
        ("tests.memory.hooks.walker.*", ALL),
        ("tests.memory.hooks.walker.Walker.r*", ["Walker.rest"]),
        ("*.Walker.rest", ["Walker.rest"]),
        ("tests.memory.*.Runner.run", ["Runner.run"]),
        ("memory.walker.*", []),  # the glob must match from the start
        ("walk", []),
        ("WALKER.*", []),
    ],
)
def test_b05_a_glob_matches_short_or_full_names(glob: str, expected: list[str]) -> None:
    assert seen_of(glob) == expected
    assert seen_of(Pointcut.pattern(glob)) == expected


LEISURE, RUNNER = Pointcut.tagged("leisure"), Pointcut.pattern("Runner.*")


@pytest.mark.parametrize(
    ("pointcut", "expected"),
    [
        (Pointcut.of_class(Walker), ALL),
        (Pointcut.of_class(Runner), ALL),
        (LEISURE, ["Walker.rest", *RAN]),
        (Pointcut.tagged("sport"), RAN),
        (Pointcut.tagged("work"), []),
        (LEISURE & RUNNER, RAN),
        (LEISURE | RUNNER, ["Walker.rest", *RAN]),
        (~LEISURE, ["Walker.walk"]),
        (~LEISURE | RUNNER, ["Walker.walk", *RAN]),
        (~(LEISURE | RUNNER), ["Walker.walk"]),
        (LEISURE & ~RUNNER, ["Walker.rest"]),
        (Pointcut.of_class(Runner) & ~Pointcut.of_method(Walker.rest), ["Walker.walk", *RAN]),
    ],
    ids=repr,
)
def test_b05_pointcuts_by_class_and_tag_combine(pointcut: Pointcut, expected: list[str]) -> None:
    assert seen_of(pointcut) == expected


def test_b05_a_class_excludes_its_base_class_and_a_pointcut_names_its_parts() -> None:
    assert seen_of(Pointcut.of_class(Runner), other=True) == []
    assert seen_of(Pointcut.of_class(Walker), other=True) == WALKED
    assert repr(LEISURE & ~RUNNER) == "Pointcut(description='(tagged(leisure) & ~Runner.*)')"


def test_b01_b02_events_go_through_emit_and_are_watched_by_type(
    hooks: Hooks, producers: Producers, blackboard: Blackboard
) -> None:
    seen, all_of_them = [], []
    watching = hooks.after(Fell, lambda _call, event: seen.append(event))
    hooks.after(Hooks.emit, lambda call, event: all_of_them.append((call.name, event)))

    def depth(_call: Call, event: Fell) -> Produced:
        return Produced({"depth": event.depth}, 1, 1.0)

    producers.register(Fell, depth, scope=STM, kind="fall")
    for event in (Fell(1), "another", FellInWater(2)):
        assert hooks.emit(event) is event
    assert seen == [Fell(1), FellInWater(2)]
    assert all_of_them == [("Hooks.emit", each) for each in (Fell(1), "another", FellInWater(2))]
    watching.cancel()
    hooks.emit(Fell(3))
    assert len(seen) == 2
    assert [each.data for each in blackboard.entries(STM)] == [
        {"depth": each} for each in (1, 2, 3)
    ]
    with pytest.raises(UnknownScope, match="'attic' is no scope"):
        producers.register("*", lambda _call, _result: None, scope="attic", kind="x")


def test_b05_equal_instances_are_distinguished() -> None:
    class Twin(Walker):
        def __eq__(self, other: object) -> bool:
            return isinstance(other, Twin)

        def __hash__(self) -> int:
            return 1

    hooks, seen = Hooks(), []
    one, two = Twin(hooks), Twin(hooks)
    hooks.after(Pointcut.of_instance(one), lambda call, result: seen.append(result))
    two.walk(2)
    one.walk(1)
    two.walk(2)
    one.walk(1)
    assert seen == [1, 2]


class AddressReuse:
    """Walkers allocated together, so that the address of a deleted one is reused."""

    def __init__(self, hooks: Hooks) -> None:
        self.hooks = hooks
        self.walkers = [Walker(hooks) for _ in range(200)]

    def replace_one(self, kind: type[Walker]) -> list[Walker]:
        """Delete one walker and return new ones, one of which has its address."""
        address = id(self.walkers[100])
        del self.walkers[100]
        fresh = [kind(self.hooks) for _ in range(MANY)]
        assert address in {id(each) for each in fresh}
        return fresh


@pytest.mark.parametrize(
    ("choose", "new_kind", "expected"),
    [
        (Pointcut.of_instance, Walker, [1]),
        (lambda walker: ~Pointcut.of_instance(walker), Walker, [2, *[3] * MANY]),
        (lambda _lodger: Pointcut.of_class(Runner), Runner, [3] * MANY),
    ],
    ids=["the instance", "all others", "another class"],
)
def test_b06_an_object_at_a_reused_address_is_not_the_old_one(
    choose: Callable[[object], Pointcut], new_kind: type[Walker], expected: list[int]
) -> None:
    hooks, seen = Hooks(), []
    reuse = AddressReuse(hooks)
    hooks.after(choose(reuse.walkers[100]), lambda _call, result: seen.append(result))
    reuse.walkers[100].walk(1)
    reuse.walkers[50].walk(2)
    for each in reuse.replace_one(new_kind):
        each.walk(3)
    assert seen == expected


def test_b05_watching_does_not_keep_an_instance_alive() -> None:
    hooks, gone = Hooks(), []

    class Tracked(Walker):
        def __del__(self) -> None:
            gone.append("gone")

    tracked = Tracked(hooks)
    hooks.after(Pointcut.of_instance(tracked), lambda _call, _result: None)
    tracked.walk(1)
    del tracked
    gc.collect(0)
    assert gone == ["gone"]


def test_b05_an_override_of_an_equal_short_name_is_another_method() -> None:
    hooks, seen, named = Hooks(), [], []

    def elsewhere() -> Runner:
        class Walker(Runner):
            @hookable
            def rest(self) -> None:
                self.position = -1

        return Walker(hooks)

    at_rest = Pointcut.of_method(Walker.rest)
    hooks.after(at_rest, lambda call, _result: seen.append(type(call.instance)))
    hooks.after("Walker.rest", lambda call, _result: named.append(call.name))
    for each in (elsewhere(), Walker(hooks), Runner(hooks)):
        each.rest()
    assert seen == [Walker, Runner]
    assert named == ["Walker.rest"] * 3
    assert seen_of(Pointcut.of_method(Runner(hooks).walk)) == ["Walker.walk"]
    assert seen_of(Walker.rest) == ["Walker.rest"]
    with pytest.raises(NotHookable, match="decorate it with @hookable"):
        Hooks().after(Walker.__init__, lambda _call, _result: None)


def test_b05_instance_pointcuts_combine_with_others() -> None:
    hooks = Hooks()
    one, two = Runner(hooks), Runner(hooks)
    at_one = Pointcut.of_instance(one)
    chosen = {
        "rests of one": (at_one & Pointcut.pattern("*.rest"), ["Walker.rest"]),
        "runs, or one": (at_one | Pointcut.pattern("*.run"), ALL),
        "not one": (~at_one, ["Walker.rest", *RAN]),
        "neither": (~at_one & at_one, []),
        "any": (~at_one | at_one, ["Walker.walk", "Walker.rest", "Walker.rest", *RAN]),
    }
    seen: dict[str, list[str]] = {name: [] for name in chosen}

    def noting(name: str) -> Callable[[Call, object], None]:
        return lambda call, _result: seen[name].append(call.name)

    for name, (pointcut, _) in chosen.items():
        hooks.after(pointcut, noting(name))
    one.walk(1)
    one.rest()
    two.rest()
    two.run(1)
    assert seen == {name: expected for name, (_, expected) in chosen.items()}


@pytest.fixture
def hooks() -> Hooks:
    return Hooks()


@pytest.fixture
def producers(hooks: Hooks, blackboard: Blackboard) -> Producers:
    return Producers(hooks, blackboard)


def position(call: Call, result: int) -> Produced:
    data = {"by": call.args[0], "to": result}
    return Produced(data, tick=result, game_s=2.0, tags={"move"}, importance=7)


@pytest.mark.parametrize(
    ("ttl_s", "expires_s"), [(3.0, 5.0), (None, 12.0)]
)  # without one, the scope's
def test_b02_a_producer_has_pointcut_extractor_and_time_to_live(
    hooks: Hooks,
    producers: Producers,
    blackboard: Blackboard,
    ttl_s: float | None,
    expires_s: float,
) -> None:
    producers.register("Walker.walk", position, scope=SENSORY, kind="position", ttl_s=ttl_s)
    Walker(hooks).walk(4)
    (entry,) = blackboard.entries(SENSORY)
    assert [entry.kind, entry.data, entry.tick] == ["position", {"by": 4, "to": 4}, 4]
    assert entry.tags == {"move"}
    assert (entry.importance, entry.expires_s) == (7, expires_s)


def test_b02_producers_have_priority_1000_by_default(
    hooks: Hooks, producers: Producers, blackboard: Blackboard
) -> None:

    def noting(word: str) -> Extractor:
        return lambda _call, _result: Produced({"word": word}, 1, 0.0)

    late = producers.register("*", noting("late"), scope=WORKING, kind="w", priority=1001)
    usual = producers.register("*", noting("usual"), scope=WORKING, kind="w")
    producers.register("*", noting("early"), scope=WORKING, kind="w", priority=999)
    Walker(hooks).walk(1)
    words = [entry.data["word"] for entry in blackboard.entries(WORKING)]
    assert words == ["early", "usual", "late"]
    assert (usual.priority, late.priority) == (1000, 1001)


def test_b04_a_failing_extractor_is_counted_and_reported_once(blackboard: Blackboard) -> None:
    reported: list[str] = []
    hooks = Hooks(on_fault=lambda name, _error: reported.append(name))

    def wrong(_call: Call, _result: object) -> Produced:
        return Produced({"set": {1, 2}}, 1, 0.0)  # type: ignore[dict-item]  # that is the fault

    producers = Producers(hooks, blackboard)
    producers.register("*", wrong, scope=WORKING, kind="wrong")
    producers.register("*", position, scope=WORKING, kind="position")
    walker = Walker(hooks)
    assert [walker.walk(1), walker.walk(1)] == [1, 2]
    assert hooks.faults == {wrong.__qualname__: 2}
    assert reported == [wrong.__qualname__]
    assert [entry.kind for entry in blackboard.entries(WORKING)] == ["position", "position"]


def test_b08_a_new_memory_needs_only_a_registration(
    store: RunStore, blackboard: Blackboard
) -> None:
    diary = scope_name("cartographer", "ltm:episodic")

    def footprint(call: Call, result: int) -> Produced:
        return Produced({"at": result // 10, "by": type(call.instance).__name__}, result, 0.0)

    hooks = Hooks()
    events: list[BlackboardEvent] = []
    blackboard.subscribe("agent:cartographer:*", events.append)
    blackboard.define(EntryKind("footprint", key=lambda data: str(data["at"]), lasting=True))
    Producers(hooks, blackboard).register("*.walk", footprint, scope=diary, kind="footprint")
    walker = Walker(hooks)
    for distance in (3, 4, 5):
        walker.walk(distance)
    assert [event.entry.data["at"] for event in events if event.action == "write"] == [0, 0, 1]
    store.commit()
    entries = Blackboard(store).entries(diary, kind="footprint")  # read from the file
    assert [(entry.key, entry.version) for entry in entries] == [
        ("footprint:0", 2),
        ("footprint:1", 1),
    ]


def test_b09_several_memories_observe_one_event_independently(
    hooks: Hooks, producers: Producers, blackboard: Blackboard
) -> None:

    def raw(call: Call, result: int) -> Produced:
        return Produced({"to": result}, result, 0.0)

    def episode(call: Call, result: int) -> Produced | None:
        if result % 10:
            return None
        return Produced({"miles": result // 10}, result, 0.0)

    def never(_call: Call, _result: int) -> None:
        return None

    producers.register("Walker.walk", raw, scope=SENSORY, kind="step")
    boundary = producers.register("Walker.walk", episode, scope=EPISODIC, kind="episode")
    producers.register("Walker.walk", never, scope=STM, kind="other")
    walker = Walker(hooks)
    for _ in range(6):
        walker.walk(5)
    assert len(blackboard.entries(SENSORY)) == 6
    assert [entry.data["miles"] for entry in blackboard.entries(EPISODIC)] == [1, 2, 3]
    assert blackboard.entries(STM) == []
    boundary.cancel()
    walker.walk(10)
    assert len(blackboard.entries(SENSORY)) == 7
    assert len(blackboard.entries(EPISODIC)) == 3


class Fell(NamedTuple):
    """An event, which has no method of its own."""

    depth: int


class FellInWater(Fell):
    """A subtype of the event."""


def test_b02_an_extractor_may_return_none_or_several_with_a_key_status_and_sources(
    hooks: Hooks, producers: Producers, blackboard: Blackboard
) -> None:
    def claim(_call: Call, result: int) -> Produced:
        sources = (f"tick:{result}",)
        return Produced({"to": result}, 1, 0.0, key="home", status="claim", sources=sources)

    def several(_call: Call, result: int) -> list[Produced]:
        return [Produced({"n": n}, n, 0.0) for n in range(result)]

    leisure = Pointcut.tagged("leisure")
    producers.register(leisure, lambda _call, _result: None, scope=WORKING, kind="nothing")
    producers.register("*.walk", claim, scope=WORKING, kind="rumour")
    producers.register("*.walk", position, scope=STM, kind="position")
    producers.register("*.walk", several, scope=SENSORY, kind="many")
    walker = Walker(hooks)
    walker.walk(1)
    walker.walk(1)
    walker.rest()
    (entry,) = blackboard.entries(WORKING)
    assert (entry.key, entry.version, entry.data) == ("home", 2, {"to": 2})
    assert (entry.status, entry.sources) == ("claim", ("tick:2",))
    one, two = blackboard.entries(STM)
    assert (one.status, one.sources, one.key != two.key) == ("verified", (), True)
    assert [entry.data["n"] for entry in blackboard.entries(SENSORY)] == [0, 0, 1]


def test_b03_b04_errors_and_calls_can_be_remembered_whatever_another_extractor_raises(
    hooks: Hooks, producers: Producers, blackboard: Blackboard
) -> None:
    def wrong(_call: Call, _error: object) -> Produced:
        raise ValueError("wrong")

    def failure(call: Call, error: object) -> Produced:
        return Produced({"failed": call.name, "error": str(error)}, 1, 0.0)

    def beginning(call: Call, _nothing: object) -> Produced:
        return Produced({"begins": call.name}, 1, 0.0)

    for each in (position, wrong, failure):
        producers.register("*", each, scope=WORKING, kind="failure", on="after_throwing")
    producers.register("*", beginning, scope=WORKING, kind="beginning", on="before")
    with pytest.raises(RuntimeError, match="bump"):
        Walker(hooks).walk(1, bump=True)
    assert [entry.data for entry in blackboard.entries(WORKING)] == [
        {"begins": "Walker.walk"},
        {"failed": "Walker.walk", "error": "bump"},
    ]
    assert hooks.faults == {wrong.__qualname__: 1, position.__qualname__: 1}
