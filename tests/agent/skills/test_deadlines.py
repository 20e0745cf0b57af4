"""No skill runs forever: in a game that never changes, each ends within a number of steps."""

import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import get_type_hints

import pytest

import agent.skills
from agent.battle.policy import BattlePolicy
from agent.capabilities.registry import capabilities_for
from agent.capabilities.unstuck import escape, inquiry
from agent.skills import (
    BoulderGoal,
    Destination,
    Outcome,
    Skill,
    SkillRun,
    Terrain,
    boot,
    buy,
    choose,
    examine,
    fight,
    fly,
    leave_map,
    no_skill,
    observed,
    once,
    push_boulders,
    roam,
    sell,
    show_menu,
    stopped_when,
    swap,
    talk,
    teach,
    toss,
    travel,
    use_item,
    wait,
)
from agent.skills.errands import collect, hand_in, pick_up, say_yes, search, use_at, vend
from agent.skills.menu import in_start_menu
from agent.skills.skill import Movement
from emulator import Menu, MenuKind, State
from tests.agent.demo import DEX, WORLD, at_the_menu, free_in, game_context
from tests.agent.support import Played, game_at

LANE = 12

Moments = dict[str, State]


def never(_state: State) -> bool:
    return False


def never_answer(_state: State, _menu: Menu) -> Movement:
    return (yield wait(8))


# Each skill by its name: the state repeated forever, how the skill begins, and its maximum steps.
TABLE: dict[str, tuple[str, Callable[[State], Skill], int]] = {
    "say_yes": ("free", lambda s: say_yes(Destination(LANE), Terrain(WORLD), s), 2_000),
    "in_start_menu": ("free", lambda s: in_start_menu(never_answer, never, s), 500),
    "boot": ("title", lambda state: boot(10, state), 400),
    "buy": ("free", lambda state: buy(1, {4: 1}, Terrain(WORLD), state), 2_000),
    "choose": ("menu", lambda state: choose(5, state), 50),
    "collect": ("free", lambda s: collect(1, LANE, Terrain(WORLD), never, s), 4_000),
    "examine": ("free", lambda state: examine((4, 3), Terrain(WORLD), state), 2_000),
    "pick_up": ("free", lambda s: pick_up(1, LANE, Terrain(WORLD), s), 2_000),
    "fight": ("battle", lambda state: fight(BattlePolicy(DEX), state), 250_000),
    "fly": ("free", lambda state: fly(0, {0: "THISTLE END"}, state), 500),
    "hand_in": ("free", lambda s: hand_in(1, 41, "STONE", Terrain(WORLD), s), 2_000),
    "leave_map": ("free", lambda state: leave_map(Terrain(WORLD), state), 1_000),
    "show_menu": ("free", lambda s: show_menu(MenuKind.PARTY, bool, s, patience=30), 200),
    "no_skill": ("free", lambda _state: no_skill(), 0),
    "once": ("free", lambda _state: once(wait(8)), 1),
    "stopped_when": (
        "free",
        lambda s: stopped_when(talk(1, Terrain(WORLD), s), lambda _: False),
        2_000,
    ),
    "observed": ("free", lambda s: observed(talk(1, Terrain(WORLD), s), repr), 2_000),
    "use_at": ("free", lambda s: use_at(73, (4, 3), Terrain(WORLD), s), 2_000),
    "push_boulders": (
        "free",
        lambda s: push_boulders([BoulderGoal(1, (4, 4))], Terrain(WORLD), s),
        2_000,
    ),
    "roam": ("lane", lambda state: roam(Terrain(WORLD), state), 5_000),
    "search": ("free", lambda s: search([(4, 3)] * 15, Terrain(WORLD), s), 2_000),
    "sell": ("free", lambda state: sell(1, {20}, Terrain(WORLD), state), 2_000),
    "swap": ("free", lambda state: swap(0, 1, state), 500),
    "talk": ("free", lambda state: talk(1, Terrain(WORLD), state), 2_000),
    "teach": ("free", lambda state: teach(196, 0, state), 500),
    "toss": ("free", lambda state: toss(20, state), 500),
    "travel": ("free", lambda s: travel(Terrain(WORLD), Destination(LANE), s), 2_000),
    "use_item": ("free", lambda state: use_item(20, 0, state), 500),
    "vend": ("free", lambda s: vend(60, 0, (4, 3), Terrain(WORLD), s), 2_000),
}


@pytest.fixture(scope="module")
def moments(played: Played) -> Moments:
    wanted: dict[str, Callable[[State], bool]] = {
        "title": lambda state: not state.game_started,
        "menu": lambda state: state.menu is not None,
        "free": free_in(0),
        "battle": at_the_menu,
        "lane": free_in(LANE),
    }
    found = {}
    for name, moment in wanted.items():
        with game_at(played.folder, moment) as game:
            found[name] = game.state
    return found


def skills() -> Iterator[str]:
    """Yield the names of the public functions of `agent.skills` that return a skill."""
    for module in iter_modules(agent.skills.__path__):
        loaded = import_module(f"agent.skills.{module.name}")
        for name, function in inspect.getmembers(loaded, inspect.isfunction):
            is_own = function.__module__ == loaded.__name__ and not name.startswith("_")
            if is_own and get_type_hints(function).get("return") == Skill:
                yield name


def steps_to_the_end(skill: Skill, state: State, within: int) -> int:
    run = SkillRun(skill)
    for step in range(within + 1):
        if run.outcome is not Outcome.RUNNING:
            return step
        run.resume(state)
    raise AssertionError("the skill does not end")


def test_every_skill_has_a_deadline_in_the_table() -> None:
    assert set(skills()) == set(TABLE)


@pytest.mark.parametrize("name", TABLE)
def test_a_skill_ends_in_a_game_that_never_changes(name: str, moments: Moments) -> None:
    moment, begin, within = TABLE[name]
    state = moments[moment]
    assert steps_to_the_end(begin(state), state, within) <= within


@pytest.mark.parametrize("moment", ["title", "menu", "free", "battle"])
def test_every_action_ends_from_any_start(moment: str, moments: Moments) -> None:
    state = moments[moment]
    for capability in capabilities_for(game_context()):
        for action in capability.actions:
            if action.while_true.at_most == 0:  # `TABLE` bounds a battle
                steps_to_the_end(action.begin(state), state, 5_000)
    steps_to_the_end(escape(Terrain(WORLD)).begin(state), state, 5_000)
    steps_to_the_end(inquiry(game_context()).action.begin(state), state, 5_000)
