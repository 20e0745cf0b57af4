"""No skill runs forever: in a game that never changes, each ends within a number of steps."""

import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import get_type_hints

import pytest

from agent import skills
from agent.battle.policy import BattlePolicy
from agent.capabilities.registry import capabilities_for
from agent.capabilities.unstuck import escape, inquiry
from agent.skills import errands
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
    return (yield skills.wait(8))


def talk(state: State) -> skills.Skill:
    return skills.talk(1, skills.Terrain(WORLD), state)


THERE, CORNER = skills.Destination(LANE), (4, 3)
# Each skill by its name: the state repeated forever, how the skill begins, and its maximum steps.
TABLE: dict[str, tuple[str, Callable[..., skills.Skill], int]] = {
    "say_yes": ("free", lambda s, terrain: errands.say_yes(THERE, terrain, s), 2_000),
    "in_start_menu": ("free", lambda s, _: in_start_menu(never_answer, never, s), 500),
    "boot": ("title", lambda s, _: skills.boot(10, s), 400),
    "buy": ("free", lambda s, terrain: skills.buy(1, {4: 1}, terrain, s), 2_000),
    "choose": ("menu", lambda s, _: skills.choose(5, s), 50),
    "collect": ("free", lambda s, terrain: errands.collect(1, LANE, terrain, never, s), 4_000),
    "examine": ("free", lambda s, terrain: skills.examine(CORNER, terrain, s), 2_000),
    "pick_up": ("free", lambda s, terrain: errands.pick_up(1, LANE, terrain, s), 2_000),
    "fight": ("battle", lambda s, _: skills.fight(BattlePolicy(DEX), s), 250_000),
    "fly": ("free", lambda s, _: skills.fly(0, {0: "THISTLE END"}, s), 500),
    "hand_in": ("free", lambda s, terrain: errands.hand_in(1, 41, "STONE", terrain, s), 2_000),
    "leave_map": ("free", lambda s, terrain: skills.leave_map(terrain, s), 1_000),
    "show_menu": ("free", lambda s, _: skills.show_menu(MenuKind.PARTY, bool, s, patience=30), 200),
    "no_skill": ("free", lambda _state, _: skills.no_skill(), 0),
    "once": ("free", lambda _state, _: skills.once(skills.wait(8)), 1),
    "stopped_when": ("free", lambda s, _: skills.stopped_when(talk(s), never), 2_000),
    "observed": ("free", lambda s, _: skills.observed(talk(s), repr), 2_000),
    "use_at": ("free", lambda s, terrain: errands.use_at(73, CORNER, terrain, s), 2_000),
    "push_boulders": (
        "free",
        lambda s, terrain: skills.push_boulders([(1, CORNER)], terrain, s),
        2_000,
    ),
    "roam": ("lane", lambda s, terrain: skills.roam(terrain, s), 5_000),
    "search": ("free", lambda s, terrain: errands.search([CORNER] * 15, terrain, s), 2_000),
    "sell": ("free", lambda s, terrain: skills.sell(1, {20}, terrain, s), 2_000),
    "swap": ("free", lambda s, _: skills.swap(0, 1, s), 500),
    "talk": ("free", lambda s, _: talk(s), 2_000),
    "teach": ("free", lambda s, _: skills.teach(196, 0, s), 500),
    "toss": ("free", lambda s, _: skills.toss(20, s), 500),
    "travel": ("free", lambda s, terrain: skills.travel(terrain, THERE, s), 2_000),
    "use_item": ("free", lambda s, _: skills.use_item(20, 0, s), 500),
    "vend": ("free", lambda s, terrain: errands.vend(60, 0, CORNER, terrain, s), 2_000),
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


def public_skills() -> Iterator[str]:
    """Yield the names of the public functions of `agent.skills` that return a skill."""
    for module in iter_modules(skills.__path__):
        loaded = import_module(f"agent.skills.{module.name}")
        for name, function in inspect.getmembers(loaded, inspect.isfunction):
            is_own = function.__module__ == loaded.__name__ and not name.startswith("_")
            if is_own and get_type_hints(function).get("return") == skills.Skill:
                yield name


def steps_to_the_end(skill: skills.Skill, state: State, within: int) -> int:
    run = skills.SkillRun(skill)
    for step in range(within + 1):
        if run.outcome is not skills.Outcome.RUNNING:
            return step
        run.resume(state)
    raise AssertionError("the skill does not end")


def test_every_skill_has_a_deadline_in_the_table() -> None:
    assert set(public_skills()) == set(TABLE)


@pytest.mark.parametrize("name", TABLE)
def test_a_skill_ends_in_a_game_that_never_changes(name: str, moments: Moments) -> None:
    moment, begin, within = TABLE[name]
    state = moments[moment]
    assert steps_to_the_end(begin(state, skills.Terrain(WORLD)), state, within) <= within


def test_every_action_ends_from_any_start(moments: Moments) -> None:
    game = game_context()
    actions = [bound for each in capabilities_for(game) for bound in each.actions]
    peaceful = [each for each in actions if each.while_true.at_most == 0]  # `TABLE` bounds a battle
    for moment in ("title", "menu", "free", "battle"):
        state = moments[moment]
        for bound in (*peaceful, escape(game), inquiry(game).action):
            steps_to_the_end(bound.begin(state), state, 5_000)
