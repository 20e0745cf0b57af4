"""Orders on the cartridge: switches, refusals, questions."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from agent.battle.policy import BattlePolicy
from agent.skills import (
    Attack,
    Flee,
    Order,
    Outcome,
    Skill,
    SkillRun,
    Switch,
    Throw,
    UseItem,
    fight,
    is_allowed,
)
from emulator import BattleKind, BattleResult, Button, MenuKind, Phase, State
from tests.agent.demo import DEX, asking, enemy_of
from tests.agent.ring import FAST_AND_SHIFT, Fighter, Ring, Script

TEAM = Fighter("MOPPLE", 12), Fighter("PLIPPET", 13), Fighter("TOASTNUT", 14)
TOWN_MAP = 5  # not usable in a battle
TRAINER = next(number for number, each in DEX.all_trainers.items() if len(each.teams[0]) > 1)


def run_until(ring: Ring, skill: Skill, until: Callable[[State], bool]) -> None:
    """Perform the steps of `skill` until `until` is true or the skill is over."""
    run = SkillRun(skill)
    while run.outcome is Outcome.RUNNING and not until(ring.state):
        ring.game.console.perform(run.step)
        run.resume(ring.state)


def active(state: State) -> int:
    """Return the party position of the active mon, or -1 without one."""
    own = state.battle.own if state.battle is not None else None
    return own.position if own is not None else -1


@pytest.fixture
def wild(ring: Ring) -> Ring:
    """Three mons against a weak wild one."""
    ring.enter(*TEAM, wild=("NIBBIT", 2), bag=[(TOWN_MAP, 1)])
    return ring


@pytest.fixture
def trainer(ring: Ring) -> Ring:
    """Three mons against a trainer's two."""
    ring.enter(*TEAM, trainer=(TRAINER, 1), options=FAST_AND_SHIFT)
    return ring


@pytest.mark.parametrize("position", [1, 2])
def test_the_ordered_mon_is_sent(wild: Ring, position: int) -> None:
    skill = fight(Script((Switch(position), Attack(0))), wild.state)
    run_until(wild, skill, lambda state: active(state) == position)
    assert active(wild.state) == position


def test_the_commander_chooses_the_next_mon_after_a_faint(wild: Ring) -> None:
    wild.poke("wBattleMon", [1], 2)
    wild.poke("wEnemyMonHP", [250], 1)
    wild.poke("wEnemyMon", [0, 250], 15)
    skill = fight(Script((Attack(1),), place=2), wild.state)
    run_until(wild, skill, lambda state: active(state) > 0)
    assert active(wild.state) == 2


def test_an_order_refused_forever_does_not_block_the_battle(wild: Ring) -> None:
    wild.fight(Script((UseItem(TOWN_MAP),)))
    assert wild.state.battle_result is BattleResult.WON


@pytest.mark.parametrize("order", [Flee(), Throw(4), Switch(0), Switch(5), Attack(4), UseItem(20)])
def test_an_order_that_is_not_allowed_is_never_tried(trainer: Ring, order: Order) -> None:
    assert not is_allowed(order, trainer.state)
    commander = Script((order, Attack(0)))
    run_until(trainer, fight(commander, trainer.state), lambda _state: len(commander.tried) > 1)
    assert commander.tried[1].refused == frozenset()  # an attack was used instead


def test_the_policy_beats_a_trainer_also_when_resumed_at_any_state(trainer: Ring) -> None:
    chance = Random(1)
    while trainer.state.in_battle:
        run = SkillRun(fight(BattlePolicy(DEX), trainer.state))  # as after a resume
        for _ in range(chance.randint(1, 6)):
            if run.outcome is Outcome.RUNNING:
                trainer.game.console.perform(run.step)
                run.resume(trainer.state)
    assert trainer.state.battle_result is BattleResult.WON


def test_b_is_not_held_while_an_evolution_may_start(first_turn: State) -> None:
    won = asking(first_turn, Phase.BUSY, "")
    assert won.battle is not None
    enemy = replace(enemy_of(won), hp=0)
    won = replace(won, battle=replace(won.battle, enemy=enemy, kind=BattleKind.WILD), menu=None)
    text = replace(won, battle=replace(won.battle, phase=Phase.TEXT))  # type: ignore[type-var]
    skill = fight(Script(), won)
    steps = [next(skill), *[skill.send(each) for each in (won, text, won, text)]]
    assert Button.B not in {step.button for step in steps}


def test_the_default_name_is_accepted(first_turn: State) -> None:
    naming = asking(first_turn, Phase.NAMING, "", MenuKind.KEYBOARD)
    assert next(fight(Script(), naming)).button is Button.START


def test_a_menu_without_effect_counts_as_a_refusal(first_turn: State) -> None:
    commander = Script()
    skill = fight(commander, first_turn)
    next(skill)
    for _ in range(200):  # the battle menu stays open after each press
        skill.send(first_turn)
    assert len(commander.tried) > 1
    assert commander.tried[1].refused == {Attack(0)}
