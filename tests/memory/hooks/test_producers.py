"""Producers: what is watched is remembered, and nobody has to store it."""

import pytest

from memory import (
    Blackboard,
    BlackboardEvent,
    Call,
    Hooks,
    MalformedRecord,
    Produced,
    Producers,
    RunStore,
    scope_name,
)
from memory.blackboard import EntryKind
from memory.errors import UnknownScope
from memory.hooks import Extractor, Pointcut
from tests.memory.hooks.walker import Walker
from tests.memory.samples import EPISODIC, SENSORY, STM, WORKING


def position(call: Call, result: int) -> Produced:
    data = {"by": call.args[0], "to": result}
    return Produced(data, tick=result, game_s=2.0, tags={"move"}, importance=7)


def test_b02_a_producer_is_a_pointcut_an_extractor_and_a_time_to_live(
    blackboard: Blackboard,
) -> None:
    hooks = Hooks()
    producers = Producers(hooks, blackboard)
    producers.register("Walker.walk", position, scope=SENSORY, kind="position", ttl_s=3.0)
    Walker(hooks).walk(4)
    (entry,) = blackboard.entries(SENSORY)
    assert [entry.kind, entry.data, entry.tick] == ["position", {"by": 4, "to": 4}, 4]
    assert entry.tags == {"move"}
    assert (entry.importance, entry.expires_s) == (7, 5.0)


def test_b02_without_a_time_to_live_that_of_the_scope_holds(blackboard: Blackboard) -> None:
    hooks = Hooks()
    Producers(hooks, blackboard).register("*", position, scope=SENSORY, kind="position")
    Walker(hooks).walk(4)
    (entry,) = blackboard.entries(SENSORY)
    assert entry.expires_s == 12.0


def test_b02_an_extractor_may_find_nothing_or_several_things(blackboard: Blackboard) -> None:
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


def test_b02_producers_have_the_priority_1000_and_may_have_another(blackboard: Blackboard) -> None:
    hooks = Hooks()
    producers = Producers(hooks, blackboard)

    def noting(word: str) -> Extractor:
        return lambda _call, _result: Produced({"word": word}, 1, 0.0)

    late = producers.register("*", noting("late"), scope=WORKING, kind="w", priority=1001)
    usual = producers.register("*", noting("usual"), scope=WORKING, kind="w")
    producers.register("*", noting("early"), scope=WORKING, kind="w", priority=999)
    Walker(hooks).walk(1)
    words = [entry.data["word"] for entry in blackboard.entries(WORKING)]
    assert words == ["early", "usual", "late"]
    assert (usual.priority, late.priority) == (1000, 1001)


def test_b02_any_pointcut_will_do(blackboard: Blackboard) -> None:
    hooks = Hooks()
    one, two = Walker(hooks), Walker(hooks)
    at_one = Pointcut.of_instance(one) & ~Pointcut.tagged("leisure")
    Producers(hooks, blackboard).register(at_one, position, scope=WORKING, kind="position")
    two.walk(2)
    one.walk(1)
    one.rest()
    assert [entry.data["to"] for entry in blackboard.entries(WORKING)] == [1]


def test_b02_what_an_entry_is_about_and_founded_on_goes_with_it(blackboard: Blackboard) -> None:
    hooks = Hooks()

    def rumour(_call: Call, result: int) -> Produced:
        sources = (f"tick:{result}",)
        return Produced({"to": result}, 1, 0.0, key="home", status="claim", sources=sources)

    producers = Producers(hooks, blackboard)
    producers.register("*", rumour, scope=WORKING, kind="rumour")
    producers.register("*", position, scope=STM, kind="position")
    walker = Walker(hooks)
    walker.walk(1)
    walker.walk(1)
    (entry,) = blackboard.entries(WORKING)
    assert (entry.key, entry.version, entry.data) == ("home", 2, {"to": 2})
    assert (entry.status, entry.sources) == ("claim", ("tick:2",))
    one, two = blackboard.entries(STM)
    assert (one.status, one.sources, one.key != two.key) == ("verified", (), True)


def test_b03_failures_and_beginnings_are_remembered_too(blackboard: Blackboard) -> None:
    hooks = Hooks()
    producers = Producers(hooks, blackboard)
    producers.register(
        "*",
        lambda call, error: Produced({"failed": call.name, "error": str(error)}, 1, 0.0),
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
    with pytest.raises(RuntimeError, match="bump"):
        Walker(hooks).walk(1, bump=True)
    assert [entry.data for entry in blackboard.entries(WORKING)] == [
        {"begins": "Walker.walk"},
        {"failed": "Walker.walk", "error": "bump"},
    ]


def test_b04_a_broken_extractor_is_counted_told_once_and_changes_nothing(
    blackboard: Blackboard,
) -> None:
    told: list[str] = []
    hooks = Hooks(on_fault=lambda name, _error: told.append(name))

    def wrong(_call: Call, _result: object) -> Produced:
        return Produced({"set": {1, 2}}, 1, 0.0)  # type: ignore[dict-item]  # that is the fault

    producers = Producers(hooks, blackboard)
    producers.register("*", wrong, scope=WORKING, kind="wrong")
    producers.register("*", position, scope=WORKING, kind="position")
    walker = Walker(hooks)
    assert [walker.walk(1), walker.walk(1)] == [1, 2]
    assert hooks.faults == {wrong.__qualname__: 2}
    assert told == [wrong.__qualname__]
    assert [entry.kind for entry in blackboard.entries(WORKING)] == ["position", "position"]


def test_b04_a_broken_extractor_of_failures_leaves_the_failure_alone(
    blackboard: Blackboard,
) -> None:
    hooks = Hooks()
    producers = Producers(hooks, blackboard)
    producers.register("*", position, scope=WORKING, kind="x", on="after_throwing")

    def wrong(_call: Call, _error: object) -> Produced:
        raise ValueError("wrong")

    producers.register("*", wrong, scope=WORKING, kind="x", on="after_throwing")
    with pytest.raises(RuntimeError, match="bump"):
        Walker(hooks).walk(1, bump=True)
    assert hooks.faults == {wrong.__qualname__: 1, position.__qualname__: 1}


def test_b08_a_new_memory_is_registered_and_nothing_else_is_edited(
    store: RunStore, blackboard: Blackboard
) -> None:
    diary = scope_name("cartographer", "ltm:episodic")

    def footprint(call: Call, result: int) -> Produced:
        return Produced({"at": result // 10, "by": type(call.instance).__name__}, result, 0.0)

    hooks = Hooks()
    heard: list[BlackboardEvent] = []
    blackboard.subscribe("agent:cartographer:*", heard.append)
    blackboard.define(EntryKind("footprint", key=lambda data: str(data["at"]), lasting=True))
    Producers(hooks, blackboard).register("*.walk", footprint, scope=diary, kind="footprint")
    walker = Walker(hooks)
    for distance in (3, 4, 5):
        walker.walk(distance)
    assert [event.entry.data["at"] for event in heard if event.action == "write"] == [0, 0, 1]
    store.commit()
    entries = Blackboard(store).entries(diary, kind="footprint")  # as read back from the file
    assert [(entry.key, entry.version) for entry in entries] == [
        ("footprint:0", 2),
        ("footprint:1", 1),
    ]


def test_b09_several_memories_observe_one_event_and_decide_each_for_itself(
    blackboard: Blackboard,
) -> None:
    hooks = Hooks()
    producers = Producers(hooks, blackboard)

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


def test_an_unknown_scope_is_refused_at_registration(blackboard: Blackboard) -> None:
    producers = Producers(Hooks(), blackboard)
    with pytest.raises(UnknownScope, match="'attic' is no scope"):
        producers.register("*", lambda _call, _result: None, scope="attic", kind="x")


def test_what_is_not_json_is_refused_at_the_write(blackboard: Blackboard) -> None:
    with pytest.raises(MalformedRecord, match="is not JSON"):
        blackboard.write(WORKING, "x", {"v": float("nan")}, tick=1, game_s=0.0)
