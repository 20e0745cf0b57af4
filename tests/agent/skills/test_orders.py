"""Orders on the cartridge: switches, refusals, questions."""

from dataclasses import replace
from random import Random

import pytest

from agent.battle.policy import BattlePolicy
from agent.lab.bench.battle_setup import party_in_ram
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
from emulator import BattleKind, BattleResult, Button, MenuKind, Phase, State, Step
from emulator.dex.trainers import TeamMember
from emulator.profile import symbol
from tests.agent.demo import DEX, asking, at_the_menu, enemy_of
from tests.agent.ring import Script, species_of
from tests.agent.skills.test_fight import ATTACKING
from tests.agent.support import Game

FAST_AND_SET, FAST_AND_SHIFT = 0xC1, 0x81
TOWN_MAP = 5  # not usable in a battle
TRAINER = next(number for number, each in DEX.all_trainers.items() if len(each.teams[0]) > 1)


def party(game: Game, *members: tuple[int, str]) -> None:
    """Give the player this team, with full HP and the moves of its levels."""
    team = [TeamMember(level, species_of(name)) for level, name in members]
    for address, data in party_in_ram(DEX, team, 0x8888, game.state.player.player_id).items():
        game.console.poke(address, data)


def begin(game: Game, *, opponent: int, level: int = 5, number: int = 1, options: int) -> None:
    """Start a battle from the overworld, and play up to the first menu."""
    for label, byte in (
        ("wOptions", options),
        ("wTrainerNo", number),
        ("wCurEnemyLevel", level),
        ("wCurOpponent", opponent),
    ):
        game.console.poke(symbol(label), bytes([byte]))
    game.console.perform(Step(None, 0, 120))
    run_until(game, fight(ATTACKING, game.state), at_the_menu)


def run_until(game: Game, skill: Skill, until: object, *, within: int = 1_500) -> None:
    """Perform the steps of `skill` until `until` is true or the skill is over."""
    assert callable(until)
    run = SkillRun(skill)
    for _ in range(within):
        if run.outcome is not Outcome.RUNNING or until(game.state):
            return
        game.console.perform(run.step)
        run.resume(game.state)
    raise AssertionError("the wanted state was not reached")


def active(state: State) -> int:
    """Return the party position of the active mon, or -1 without one."""
    own = state.battle.own if state.battle is not None else None
    return own.position if own is not None else -1


@pytest.fixture
def wild(quiet_lane: Game) -> Game:
    """Three mons against a weak wild one."""
    party(quiet_lane, (12, "MOPPLE"), (13, "PLIPPET"), (14, "TOASTNUT"))
    begin(quiet_lane, opponent=species_of("NIBBIT"), level=2, options=FAST_AND_SET)
    return quiet_lane


@pytest.fixture
def trainer(quiet_lane: Game) -> Game:
    """Three mons against a trainer's two."""
    party(quiet_lane, (12, "MOPPLE"), (13, "PLIPPET"), (14, "TOASTNUT"))
    begin(quiet_lane, opponent=200 + TRAINER, options=FAST_AND_SHIFT)
    return quiet_lane


def once(order: Order) -> Script:
    return Script((order, Attack(0)))


@pytest.mark.parametrize("position", [1, 2])
def test_the_ordered_mon_is_sent(wild: Game, position: int) -> None:
    run_until(
        wild, fight(once(Switch(position)), wild.state), lambda state: active(state) == position
    )
    assert active(wild.state) == position


def test_the_commander_chooses_the_next_mon_after_a_faint(wild: Game) -> None:
    wild.poke({symbol("wBattleMon") + 2: 1, symbol("wEnemyMonHP") + 1: 250})
    wild.poke({symbol("wEnemyMon") + 15 + at: byte for at, byte in enumerate((0, 250))})

    commander = Script((Attack(1),), place=2)
    run_until(wild, fight(commander, wild.state), lambda state: active(state) > 0)
    assert active(wild.state) == 2


def test_an_order_refused_forever_does_not_block_the_battle(wild: Game) -> None:
    give(wild, TOWN_MAP)
    stubborn = Script((UseItem(TOWN_MAP),))
    wild.carry_out(fight(stubborn, wild.state), within=1_500)
    assert wild.state.battle_result is BattleResult.WON


def give(game: Game, item: int) -> None:
    game.console.poke(symbol("wNumBagItems"), bytes([1, item, 1, 0xFF]))


@pytest.mark.parametrize("order", [Flee(), Throw(4), Switch(0), Switch(5), Attack(4), UseItem(20)])
def test_an_order_that_is_not_allowed_is_never_tried(trainer: Game, order: Order) -> None:
    assert not is_allowed(order, trainer.state)
    commander = once(order)
    run_until(trainer, fight(commander, trainer.state), lambda _state: len(commander.tried) > 1)
    assert commander.tried[1].refused == frozenset()  # an attack was used instead


def test_the_policy_beats_a_trainer(trainer: Game) -> None:
    assert trainer.carry_out(fight(BattlePolicy(DEX), trainer.state)) is Outcome.DONE
    assert trainer.state.battle_result is BattleResult.WON


def test_a_battle_can_be_resumed_at_any_state(trainer: Game) -> None:
    chance = Random(1)
    while trainer.state.in_battle:
        run = SkillRun(fight(BattlePolicy(DEX), trainer.state))  # as after a resume
        for _ in range(chance.randint(1, 6)):
            if run.outcome is Outcome.RUNNING:
                trainer.console.perform(run.step)
                run.resume(trainer.state)
    assert trainer.state.battle_result is BattleResult.WON


def test_b_is_not_held_while_an_evolution_may_start(first_turn: State) -> None:
    won = asking(first_turn, Phase.BUSY, "")
    assert won.battle is not None
    enemy = replace(enemy_of(won), hp=0)
    won = replace(won, battle=replace(won.battle, enemy=enemy, kind=BattleKind.WILD), menu=None)
    text = replace(won, battle=replace(won.battle, phase=Phase.TEXT))  # type: ignore[type-var]
    skill = fight(ATTACKING, won)
    steps = [next(skill), *[skill.send(each) for each in (won, text, won, text)]]
    assert Button.B not in {step.button for step in steps}


def test_the_default_name_is_accepted(first_turn: State) -> None:
    naming = asking(first_turn, Phase.NAMING, "", MenuKind.KEYBOARD)
    assert next(fight(ATTACKING, naming)).button is Button.START


def test_a_menu_without_effect_counts_as_a_refusal(first_turn: State) -> None:
    commander = Script((Attack(0),))
    skill = fight(commander, first_turn)
    next(skill)
    for _ in range(200):  # the battle menu stays open after each press
        skill.send(first_turn)
    assert len(commander.tried) > 1
    assert commander.tried[1].refused == {Attack(0)}
