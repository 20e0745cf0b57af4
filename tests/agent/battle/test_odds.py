"""Odds by the turn engine: orders that follow from them, and what they foresee beside what the cartridge does."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import pytest

from agent.battle import search
from agent.battle.odds import Foe, Foes, beats, chance_to_beat, mon_from, position_in, tables_of
from agent.battle.policy import BattleGoals, choose_order
from agent.skills import Attack, Flee, Order, Switch, TriedOrders, first_able
from emulator import BattleKind, BattleMon, BattleResult, Party, State
from emulator.engine.choices import AS_THE_GAME, ATTACKS, best_move
from emulator.engine.foe import choose_move
from emulator.engine.stages import raise_stage, send_out
from emulator.engine.turn import copies, play_on
from emulator.ram.party import MoveSlot
from emulator.rules import effects
from emulator.rules.codes import OURS, SLOTS, WON
from emulator.rules.position import Position, Tables
from tests.agent.demo import DEX, enemy_of, own_of
from tests.agent.ring import Fighter, Ring, Script, number_of, species_of

NAMES = ("NUDGE", "GLOWER", "SPLISH", "CURL UP")
NUDGE, GLOWER, SPLISH, CURL_UP = map(number_of, NAMES)
ENOUGH_PP = 20


def armed(mon: BattleMon, *moves: tuple[int, int]) -> BattleMon:
    return replace(mon, moves=tuple(MoveSlot(move, pp, 0) for move, pp in moves))


def order_for(state: State, own: BattleMon, enemy: BattleMon, kind: BattleKind) -> Order:
    """Return the order when these two are alone."""
    assert state.battle is not None
    mons = (replace(state.party[0], hp=own.hp, moves=own.moves),)
    foe = replace(state.battle.enemy_party[0], hp=enemy.hp, moves=enemy.moves)
    battle = replace(state.battle, own=own, enemy=enemy, kind=kind, enemy_party=Party((foe,)))
    alone = replace(state, battle=battle, party=Party(mons))
    return choose_order(DEX, alone, BattleGoals()).order


def test_a_move_without_pp_is_not_chosen(first_turn: State) -> None:
    own = armed(own_of(first_turn), (NUDGE, 0), (SPLISH, 3))
    assert order_for(first_turn, own, enemy_of(first_turn), BattleKind.TRAINER) == Attack(1)


def test_a_disabled_move_is_not_chosen(first_turn: State) -> None:
    own = replace(armed(own_of(first_turn), (NUDGE, 9), (SPLISH, 9)), disabled=1)
    assert order_for(first_turn, own, enemy_of(first_turn), BattleKind.TRAINER) == Attack(0)


def test_without_an_attack_a_move_with_pp_is_used(first_turn: State) -> None:
    own = armed(own_of(first_turn), (NUDGE, 0), (GLOWER, 4))
    assert order_for(first_turn, own, enemy_of(first_turn), BattleKind.TRAINER) == Attack(1)


def test_a_lost_wild_battle_is_left_by_running(first_turn: State) -> None:
    own, enemy = own_of(first_turn), enemy_of(first_turn)
    weak = replace(own, hp=1, stats=own.stats._replace(speed=enemy.stats.speed))
    assert order_for(first_turn, weak, enemy, BattleKind.WILD) == Flee()
    assert isinstance(order_for(first_turn, weak, enemy, BattleKind.TRAINER), Attack)


def test_a_battle_that_will_be_won_is_fought(first_turn: State) -> None:
    easy = replace(enemy_of(first_turn), hp=1)
    assert isinstance(order_for(first_turn, own_of(first_turn), easy, BattleKind.WILD), Attack)


def test_an_enemy_with_low_hp_is_attacked(first_turn: State) -> None:
    own = armed(own_of(first_turn), (NUDGE, 20), (CURL_UP, 20))
    weak = replace(enemy_of(first_turn), hp=2)
    assert order_for(first_turn, own, weak, BattleKind.TRAINER) == Attack(0)


def test_unknown_species_and_moves_still_give_an_attack(first_turn: State) -> None:
    strange = replace(DEX, all_species={}, all_moves={NUDGE: DEX.all_moves[NUDGE]})
    assert isinstance(choose_order(strange, first_turn, BattleGoals()).order, Attack)
    empty = replace(DEX, all_species={}, all_moves={})
    assert isinstance(choose_order(empty, first_turn, BattleGoals()).order, Attack)


def position_of(ring: Ring) -> Position:
    found = position_in(DEX, ring.state)
    assert found is not None
    return found


CAIRN = (34, 1)  # prefers strong types, and gives no second status
RAMBLER = (1, 1)  # chooses any move
POISONED = 8


def foreseen(ring: Ring) -> set[str]:
    """Return the moves that the enemy chooses in a hundred turns of the engine."""
    turns = copies(position_of(ring), 100, seed=1)
    slots = {choose_move(each, tables_of(DEX)) for each in turns}
    return {DEX.move(ring.enemy.moves[slot].move).name for slot in slots}


class EnoughTurns(Exception):
    """Raised when a test has seen enough turns."""


def seen(ring: Ring, turns: int) -> set[str]:
    """Return the moves that the enemy uses in `turns` turns."""

    def watch(state: State) -> Attack:
        if len(script.seen) > turns:
            raise EnoughTurns
        return Attack(0)

    script = Script((watch,))
    with pytest.raises(EnoughTurns):
        ring.fight(script)
    moves = [state.battle.enemy_move for state in script.seen[1:] if state.battle is not None]
    return {DEX.move(move).name for move in moves if move is not None}


@pytest.mark.parametrize(
    ("name", "status", "trainer", "known", "chosen"),
    [
        ("WRENKIN", 0, CAIRN, ("NUDGE", "GRAVEL"), {"GRAVEL"}),  # strong against its type
        ("TOASTNUT", 0, CAIRN, ("NUDGE", "LEAF FLICK"), {"NUDGE"}),  # the other is weak
        ("TOASTNUT", POISONED, CAIRN, ("NUDGE", "ITCH DUST"), {"NUDGE"}),
        ("TOASTNUT", 0, RAMBLER, ("NUDGE", "GRAVEL"), {"NUDGE", "GRAVEL"}),
    ],
)
def test_a_trainer_chooses_only_moves_that_the_engine_foresees(
    ring: Ring,
    name: str,
    status: int,
    trainer: tuple[int, int],
    known: tuple[str, ...],
    chosen: set[str],
) -> None:
    ring.enter(Fighter(name, 40, ("PONDER",), status=status), trainer=trainer)
    ring.arm(*known)
    assert foreseen(ring) == chosen
    assert seen(ring, 5) <= chosen


def test_a_wild_mon_may_choose_any_move(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 12))
    ring.arm("NUDGE", "GRAVEL")
    assert foreseen(ring) == {"NUDGE", "GRAVEL"}


EVERY_BADGE = 0xFF


def test_badges_raise_the_stats_of_the_bench_and_of_raised_stages_as_in_the_game(
    ring: Ring,
) -> None:
    ring.enter(Fighter("TOASTNUT", 12), Fighter("PLIPPET", 30, moves=("PUFF UP",)))
    ring.arm("PONDER")
    ring.poke("wObtainedBadges", [EVERY_BADGE])
    position, tables = position_of(ring), tables_of(DEX)
    send_out(position, OURS, 1, tables)
    sent = list(position.sides[OURS].stats)
    raise_stage(position, OURS, effects.ATTACK_UP_1 + 1, tables)
    raised = list(position.sides[OURS].stats)
    commander = Script((Switch(1), Attack(0), Flee()))
    ring.fight(commander)
    in_game = [own_of(state) for state in commander.seen[1:3]]
    assert [list(mon.stats[1:]) for mon in in_game] == [sent, raised]
    assert all(mon.stats.attack > mon.unmodified.attack for mon in in_game)


def alone(ring: Ring, *moves: str) -> Position:
    """Return the position with these moves of ours and no others."""
    position = position_of(ring)
    numbers = [number_of(each) for each in moves]
    for each in (position.sides[OURS], position.sides[OURS].team[0]):
        each.moves[:], each.pp[:] = 0, 0
        each.moves[: len(numbers)], each.pp[: len(numbers)] = numbers, ENOUGH_PP
    return position


class Playouts(NamedTuple):
    """The share of playouts that were won, and their turns on average."""

    won: float
    turns: float


def played_out(position: Position, tables: Tables | None = None) -> Playouts:
    """Use our first move again and again."""
    battles = copies(position, 400, seed=3)
    outcomes = [
        play_on(each, 0, AS_THE_GAME, search.LONGEST, tables or tables_of(DEX)) for each in battles
    ]
    return Playouts(outcomes.count(WON) / len(outcomes), float(battles["turns"].mean()))


def with_effect(move: str, effect: int) -> Tables:
    tables = tables_of(DEX).copy()
    tables.moves[number_of(move)].effect = effect
    return tables


def test_a_charged_move_wins_a_turn_later_than_one_with_recharge(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 30), wild=("NIBBIT", 3))
    charged, rested = [played_out(alone(ring, each)) for each in ("SLOW BLOOM", "ALL AT ONCE")]
    assert rested.turns < 1.5
    assert 1.9 < charged.turns < 2.5


@pytest.mark.parametrize(
    ("move", "level", "plain"), [("TANGLE", 10, 0), ("BURROW", 12, effects.HYPER_BEAM)]
)
def test_a_trapping_move_and_being_out_of_reach_win_more_often(
    move: str, level: int, plain: int, ring: Ring
) -> None:
    ring.enter(Fighter("TOASTNUT", 12), wild=("NIBBIT", level))
    ring.arm("NUDGE")
    position = alone(ring, move)
    assert played_out(position).won > played_out(position, with_effect(move, plain)).won + 0.1


@dataclass
class BestAttack(Script):
    """A commander that attacks as playouts do."""

    def order(self, state: State, tried: TriedOrders) -> Order:
        position = position_in(DEX, state)
        assert position is not None
        choice = best_move(position, OURS, ATTACKS, tables_of(DEX))
        return Attack(choice if choice < SLOTS else 0)

    def next_mon(self, state: State) -> int:
        return first_able(state)


@pytest.mark.parametrize(("level", "won"), [(6, False), (40, True)])
def test_what_is_said_to_be_certain_happens_on_the_cartridge(
    level: int, ring: Ring, *, won: bool
) -> None:
    trainer = DEX.trainer(CAIRN[0])
    team: Foes = tuple([Foe(*each, trainer_class=CAIRN[0]) for each in trainer.teams[0]])
    for name in ("TOASTNUT", "NIBBIT"):
        mon = mon_from(DEX, Foe(level, species_of(name)))
        assert mon is not None
        said = chance_to_beat(DEX, Party((mon,)), team)
        assert said > 0.98 if won else said < 0.02
        ring.enter(Fighter(name, level), trainer=CAIRN)
        ring.fight(BestAttack())
        assert (ring.state.battle_result is BattleResult.WON) is won


@pytest.mark.parametrize("exact_first", [True, False])
def test_whether_a_team_beats_another_agrees_with_its_chance(*, exact_first: bool) -> None:
    trainer = DEX.trainer(CAIRN[0])
    team: Foes = tuple([Foe(*each, trainer_class=CAIRN[0]) for each in trainer.teams[0]])
    chances = set()
    for level in range(6, 16):
        mons = [mon_from(DEX, Foe(level, species_of(name))) for name in ("TOASTNUT", "NIBBIT")]
        # Nicknames keep what one order of asking has shown from the other.
        party = Party(tuple([replace(mon, nickname=f"{exact_first}") for mon in mons if mon]))
        exact = chance_to_beat(DEX, party, team) if exact_first else None
        found = {least: beats(DEX, party, team, least) for least in (0.95, 0.5, 0.9, 0.02)}
        chance = chance_to_beat(DEX, party, team) if exact is None else exact
        assert found == {least: chance >= least for least in found}
        chances.add(chance)
    assert len(chances) > 4  # not all certain
