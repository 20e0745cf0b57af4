"""Orders carried out on the cartridge: changes, refusals, questions."""

from dataclasses import replace
from random import Random

import pytest

from agent.battle.policy import BattlePolicy
from agent.lab.bench.battles import party_in_ram
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
from emulator.dex.trainers import Member
from emulator.profile import symbol
from tests.agent.demo import DEX, asking, at_the_menu, enemy_of
from tests.agent.ring import Script, species_of
from tests.agent.skills.test_fight import ATTACKING
from tests.agent.support import Game

FAST_AND_SET, FAST_AND_SHIFT = 0xC1, 0x81
TOWN_MAP = 5  # of no use in a battle
TRAINER = next(number for number, each in DEX.all_trainers.items() if len(each.teams[0]) > 1)


def party(game: Game, *members: tuple[int, str]) -> None:
    """Give the player this team, whole and with the moves of its levels."""
    team = [Member(level, species_of(name)) for level, name in members]
    for address, data in party_in_ram(DEX, team, 0x8888, game.state.player.player_id).items():
        game.console.poke(address, data)


def meet(game: Game, *, opponent: int, level: int = 5, number: int = 1, options: int) -> None:
    """Let the overworld find somebody, and come to the first menu."""
    for label, byte in (
        ("wOptions", options),
        ("wTrainerNo", number),
        ("wCurEnemyLevel", level),
        ("wCurOpponent", opponent),
    ):
        game.console.poke(symbol(label), bytes([byte]))
    game.console.perform(Step(None, 0, 120))
    carry_on(game, fight(ATTACKING, game.state), at_the_menu)


def carry_on(game: Game, skill: Skill, until: object, *, within: int = 1_500) -> None:
    """Perform the steps of `skill` until a state is as wanted, or it is over."""
    assert callable(until)
    course = SkillRun(skill)
    for _ in range(within):
        if course.outcome is not Outcome.RUNNING or until(game.state):
            return
        game.console.perform(course.step)
        course.resume(game.state)
    raise AssertionError("it never comes to that")


def out(state: State) -> int:
    """Return the place of the mon that fights, -1 while none does."""
    own = state.battle.own if state.battle is not None else None
    return own.position if own is not None else -1


@pytest.fixture
def wild(quiet_lane: Game) -> Game:
    """Two against something wild that hardly hurts."""
    party(quiet_lane, (12, "MOPPLE"), (13, "PLIPPET"), (14, "TOASTNUT"))
    meet(quiet_lane, opponent=species_of("NIBBIT"), level=2, options=FAST_AND_SET)
    return quiet_lane


@pytest.fixture
def trainer(quiet_lane: Game) -> Game:
    """Three against a trainer's two."""
    party(quiet_lane, (12, "MOPPLE"), (13, "PLIPPET"), (14, "TOASTNUT"))
    meet(quiet_lane, opponent=200 + TRAINER, options=FAST_AND_SHIFT)
    return quiet_lane


def once(order: Order) -> Script:
    return Script((order, Attack(0)))


@pytest.mark.parametrize("position", [1, 2])
def test_the_mon_that_was_ordered_is_sent(wild: Game, position: int) -> None:
    carry_on(wild, fight(once(Switch(position)), wild.state), lambda state: out(state) == position)
    assert out(wild.state) == position


def test_when_one_falls_the_one_that_the_commander_names_comes(wild: Game) -> None:
    wild.poke({symbol("wBattleMon") + 2: 1, symbol("wEnemyMonHP") + 1: 250})
    wild.poke({symbol("wEnemyMon") + 15 + at: byte for at, byte in enumerate((0, 250))})

    commander = Script((Attack(1),), place=2)
    carry_on(wild, fight(commander, wild.state), lambda state: out(state) > 0)
    assert out(wild.state) == 2


def test_an_order_that_stays_refused_does_not_hold_up_the_fight(wild: Game) -> None:
    give(wild, TOWN_MAP)
    stubborn = Script((UseItem(TOWN_MAP),))
    wild.carry_out(fight(stubborn, wild.state), within=1_500)
    assert wild.state.battle_result is BattleResult.WON


def give(game: Game, item: int) -> None:
    game.console.poke(symbol("wNumBagItems"), bytes([1, item, 1, 0xFF]))


@pytest.mark.parametrize("order", [Flee(), Throw(4), Switch(0), Switch(5), Attack(4), UseItem(20)])
def test_an_order_that_no_game_would_carry_out_is_never_tried(trainer: Game, order: Order) -> None:
    assert not is_allowed(order, trainer.state)
    commander = once(order)
    carry_on(trainer, fight(commander, trainer.state), lambda _state: len(commander.tried) > 1)
    assert commander.tried[1].refused == frozenset()  # an attack came in its place


def test_the_policy_fights_a_trainer_to_the_end(trainer: Game) -> None:
    assert trainer.carry_out(fight(BattlePolicy(DEX), trainer.state)) is Outcome.DONE
    assert trainer.state.battle_result is BattleResult.WON


def test_a_fight_can_be_taken_up_at_any_of_its_moments(trainer: Game) -> None:
    chance = Random(1)
    while trainer.state.in_battle:
        course = SkillRun(fight(BattlePolicy(DEX), trainer.state))  # as after a resume
        for _ in range(chance.randint(1, 6)):
            if course.outcome is Outcome.RUNNING:
                trainer.console.perform(course.step)
                course.resume(trainer.state)
    assert trainer.state.battle_result is BattleResult.WON


def test_b_is_not_held_once_somebody_may_evolve(first_turn: State) -> None:
    won = asking(first_turn, Phase.BUSY, "")
    assert won.battle is not None
    enemy = replace(enemy_of(won), hp=0)
    won = replace(won, battle=replace(won.battle, enemy=enemy, kind=BattleKind.WILD), menu=None)
    text = replace(won, battle=replace(won.battle, phase=Phase.TEXT))  # type: ignore[type-var]
    skill = fight(ATTACKING, won)
    steps = [next(skill), *[skill.send(each) for each in (won, text, won, text)]]
    assert Button.B not in {step.button for step in steps}


def test_a_name_that_is_asked_for_is_taken_as_it_is_offered(first_turn: State) -> None:
    naming = asking(first_turn, Phase.NAMING, "", MenuKind.KEYBOARD)
    assert next(fight(ATTACKING, naming)).button is Button.START


def test_a_menu_that_takes_no_order_is_not_pressed_at_for_ever(first_turn: State) -> None:
    commander = Script((Attack(0),))
    skill = fight(commander, first_turn)
    next(skill)
    for _ in range(200):  # the battle menu waits all the time, whatever is pressed
        skill.send(first_turn)
    assert len(commander.tried) > 1
    assert commander.tried[1].refused == {Attack(0)}
