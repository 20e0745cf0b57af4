"""Pointcuts: which calls a handler is for."""

import gc
from collections.abc import Callable

import pytest

from memory import Call, Hooks, hookable
from memory.errors import NotHookable
from memory.hooks import Pointcut
from tests.memory.hooks.walker import Runner, Walker

MANY = 5_000  # new objects, for one of them to come to live where an old one was


def seen_of(pointcut: Pointcut | str, *, other: bool = False) -> list[str]:
    """Return which methods of a runner, or of a walker, are seen at `pointcut`."""
    hooks, seen = Hooks(), []
    hooks.after(pointcut, lambda call, _result: seen.append(call.name))
    runner = Walker(hooks) if other else Runner(hooks)
    runner.walk(1)
    runner.rest()
    if isinstance(runner, Runner):
        runner.run(1)
    return seen


ALL = ["Walker.walk", "Walker.rest", "Runner.run"]


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("*", ALL),
        ("Walker.*", ["Walker.walk", "Walker.rest"]),
        ("*.walk", ["Walker.walk"]),
        ("Runner.*", ["Runner.run"]),
        ("Runner.walk", []),  # it is the walker's method
        ("tests.memory.walker.*", ALL),
        ("tests.memory.walker.Walker.r*", ["Walker.rest"]),
        ("*.Walker.rest", ["Walker.rest"]),
        ("tests.memory.*.Runner.run", ["Runner.run"]),
        ("memory.walker.*", []),  # a full name begins at the beginning
        ("walk", []),
        ("WALKER.*", []),
    ],
)
def test_b05_a_glob_fits_a_short_name_or_a_full_one(glob: str, expected: list[str]) -> None:
    assert seen_of(glob) == expected
    assert seen_of(Pointcut.pattern(glob)) == expected


def test_b05_a_class_means_its_subclasses_too() -> None:
    assert seen_of(Pointcut.of_class(Walker)) == ALL
    assert seen_of(Pointcut.of_class(Runner)) == ALL
    assert seen_of(Pointcut.of_class(Runner), other=True) == []
    assert seen_of(Pointcut.of_class(Walker), other=True) == ["Walker.walk", "Walker.rest"]


def test_b05_one_instance_is_told_from_another_of_its_class() -> None:
    hooks, seen = Hooks(), []
    one, two = Walker(hooks), Walker(hooks)
    hooks.after(Pointcut.of_instance(one), lambda call, result: seen.append(result))
    two.walk(2)
    one.walk(1)
    two.walk(2)
    one.walk(1)
    assert seen == [1, 2]


def test_b05_equal_instances_are_not_the_same() -> None:
    class Twin(Walker):
        def __eq__(self, other: object) -> bool:
            return isinstance(other, Twin)

        def __hash__(self) -> int:
            return 1

    hooks, seen = Hooks(), []
    one, two = Twin(hooks), Twin(hooks)
    hooks.after(Pointcut.of_instance(one), lambda _call, result: seen.append(result))
    two.walk(2)
    one.walk(1)
    assert seen == [1]


class Lodging:
    """Walkers close together in memory, so that what one leaves is given to the next of its size."""

    def __init__(self, hooks: Hooks) -> None:
        self.hooks = hooks
        self.lodgers = [Walker(hooks) for _ in range(200)]

    def let_again(self, kind: type[Walker] = Walker) -> list[Walker]:
        """Return new lodgers, one of whom lives where the hundredth did."""
        address = id(self.lodgers[100])
        del self.lodgers[100]
        fresh = [kind(self.hooks) for _ in range(MANY)]
        assert address in {id(each) for each in fresh}
        return fresh


def test_b06_an_instance_that_came_to_live_at_the_address_of_another_is_not_taken_for_it() -> None:
    hooks, seen = Hooks(), []
    lodging = Lodging(hooks)
    at_one = Pointcut.of_instance(lodging.lodgers[100])
    hooks.after(at_one, lambda _call, result: seen.append(result))
    lodging.lodgers[100].walk(1)
    for each in lodging.let_again():
        each.walk(2)
    assert seen == [1]


def test_b06_one_that_was_not_watched_leaves_nothing_to_its_address() -> None:
    hooks, seen = Hooks(), []
    lodging = Lodging(hooks)
    not_one = ~Pointcut.of_instance(lodging.lodgers[100])
    hooks.after(not_one, lambda _call, result: seen.append(result))
    lodging.lodgers[100].walk(1)
    lodging.lodgers[50].walk(2)
    for each in lodging.let_again():
        each.walk(3)
    assert seen == [2, *[3] * MANY]


def test_b06_what_was_seen_of_one_class_leaves_nothing_to_its_address() -> None:
    hooks, seen = Hooks(), []
    lodging = Lodging(hooks)
    hooks.after(Pointcut.of_class(Runner), lambda _call, result: seen.append(result))
    lodging.lodgers[100].walk(1)
    for each in lodging.let_again(Runner):
        each.walk(2)
    assert seen == [2] * MANY


def test_b05_an_instance_is_not_kept_alive_by_being_watched() -> None:
    hooks, gone = Hooks(), []

    class Mortal(Walker):
        def __del__(self) -> None:
            gone.append("gone")

    mortal = Mortal(hooks)
    hooks.after(Pointcut.of_instance(mortal), lambda _call, _result: None)
    mortal.walk(1)
    del mortal
    gc.collect()
    assert gone == ["gone"]


def test_b05_tags_of_the_decorator_choose_methods() -> None:
    assert seen_of(Pointcut.tagged("leisure")) == ["Walker.rest", "Runner.run"]
    assert seen_of(Pointcut.tagged("sport")) == ["Runner.run"]
    assert seen_of(Pointcut.tagged("work")) == []


def test_b05_a_method_is_itself_and_not_one_of_its_name() -> None:
    class Sleeper(Walker):
        @hookable
        def rest(self) -> None:
            self.position = -1

    hooks, seen = Hooks(), []
    hooks.after(Pointcut.of_method(Walker.rest), lambda call, _result: seen.append(call.name))
    Sleeper(hooks).rest()
    Walker(hooks).rest()
    Runner(hooks).rest()
    assert seen == ["Walker.rest", "Walker.rest"]
    assert seen_of(Pointcut.of_method(Runner(hooks).walk)) == ["Walker.walk"]


def test_b05_a_method_is_not_taken_for_one_of_the_same_short_name() -> None:
    hooks, seen = Hooks(), []

    def elsewhere() -> Runner:
        class Walker(Runner):
            @hookable
            def rest(self) -> None:
                self.position = -1

        return Walker(hooks)

    hooks.after(Pointcut.of_method(Walker.rest), lambda _call, _result: seen.append("never"))
    hooks.after("Walker.rest", lambda call, _result: seen.append(call.name))
    elsewhere().rest()
    assert seen == ["Walker.rest"]


def test_b05_a_method_that_nobody_opened_is_refused() -> None:
    with pytest.raises(NotHookable, match="open it with @hookable"):
        Pointcut.of_method(Walker.__init__)


def test_b05_pointcuts_combine() -> None:
    leisure, runner = Pointcut.tagged("leisure"), Pointcut.pattern("Runner.*")
    assert seen_of(leisure & runner) == ["Runner.run"]
    assert seen_of(leisure | runner) == ["Walker.rest", "Runner.run"]
    assert seen_of(~leisure) == ["Walker.walk"]
    assert seen_of(~leisure | runner) == ["Walker.walk", "Runner.run"]
    assert seen_of(~(leisure | runner)) == ["Walker.walk"]
    assert seen_of(leisure & ~runner) == ["Walker.rest"]
    both = Pointcut.of_class(Runner) & ~Pointcut.of_method(Walker.rest)
    assert seen_of(both) == ["Walker.walk", "Runner.run"]
    assert repr(leisure & ~runner) == "Pointcut(says='(tagged(leisure) & ~Runner.*)')"


def test_b05_instances_combine_with_all_else() -> None:
    hooks = Hooks()
    one, two = Runner(hooks), Runner(hooks)
    at_one = Pointcut.of_instance(one)
    chosen = {
        "rests of one": at_one & Pointcut.pattern("*.rest"),
        "runs, or one": at_one | Pointcut.pattern("*.run"),
        "not one": ~at_one,
        "neither": ~at_one & at_one,
        "any": ~at_one | at_one,
    }
    seen: dict[str, list[str]] = {name: [] for name in chosen}

    def noting(name: str) -> Callable[[Call, object], None]:
        return lambda call, _result: seen[name].append(call.name)

    for name, pointcut in chosen.items():
        hooks.after(pointcut, noting(name))
    one.walk(1)
    one.rest()
    two.rest()
    two.run(1)
    assert seen == {
        "rests of one": ["Walker.rest"],
        "runs, or one": ["Walker.walk", "Walker.rest", "Runner.run"],
        "not one": ["Walker.rest", "Runner.run"],
        "neither": [],
        "any": ["Walker.walk", "Walker.rest", "Walker.rest", "Runner.run"],
    }
