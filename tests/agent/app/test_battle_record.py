"""Battles become records: who, how long, with what, and how it ended."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from unittest.mock import ANY

import pytest

from agent.app.battle_record import BattleWatch
from agent.perception.percept import Percept
from agent.story.story import Story
from emulator import BattleKind, Dex, Phase, State, demo_cartridge_path, load_cartridge
from emulator.ram.player import Bag, Stack
from memory import BattleRecord, read_run
from tests.agent.support import Played, game_at

CARTRIDGE = load_cartridge(demo_cartridge_path())
DEX = Dex.of(CARTRIDGE)
place_of = Story.of(CARTRIDGE.kind).place_of


def percept(state: State, tick: int) -> Percept:
    return Percept(tick, state, "", 1.0, (), None, None)


def test_every_battle_of_a_run_is_remembered(played: Played) -> None:
    names = {species.name for species in DEX.all_species.values()}
    moves = {move.name for move in DEX.all_moves.values()}
    with closing(read_run(played.folder)) as run:
        battles = [dict(event.payload) for event in run.store.events("battle")]
    assert len(battles) == played.summary.battles
    for battle in battles:
        assert {*battle["enemy_pokemon"].split(", "), battle["player_pokemon"]} <= names
        assert set(battle["moves_used"]) <= moves
        assert battle["outcome"] in {"victory", "defeat", "runaway"}
        assert battle["turns_taken"] >= 1
        assert battle["start_tick"] < battle["end_tick"]
        assert (battle["outcome"] == "defeat") == (battle["player_hp_remaining"] == 0)


def test_a_battle_is_followed_across_a_checkpoint(played: Played) -> None:
    records: list[BattleRecord] = []
    watch = BattleWatch(DEX, place_of)
    tick = 0

    def follow(state: State) -> bool:
        nonlocal watch, tick
        tick += 1
        again = BattleWatch(DEX, place_of)  # at every tick, as if play had been resumed there
        again.restore(watch.to_json())
        watch = again
        record = watch.saw(percept(state, tick))
        records.extend([record] if record else [])
        return bool(records)

    with game_at(played.folder, follow), closing(read_run(played.folder)) as run:
        first = next(iter(run.store.events("battle"))).payload
    (record,) = records
    assert (record.enemy_pokemon, record.outcome) == (first["enemy_pokemon"], first["outcome"])
    assert record.turns_taken == first["turns_taken"]


@pytest.fixture(scope="module")
def first_turn(first_turn: State) -> State:
    """The same with a ball and a potion in the bag."""
    return replace(first_turn, bag=Bag((Stack(4, 1), Stack(20, 2))))


@pytest.fixture(scope="module")
def after_one_left(played: Played) -> Iterator[State]:
    """A state after a battle, in which RAM says that it was left."""
    with game_at(
        played.folder, lambda state: state.game_started and bool(len(state.party))
    ) as game:
        game.poke({0xCF0B: 2})
        yield game.state


def told(first: State, *later: State) -> BattleRecord:
    watch = BattleWatch(DEX, place_of)
    *fought, ended = [first, *later]
    for tick, state in enumerate(fought):
        assert watch.saw(percept(state, tick)) is None
    record = watch.saw(percept(ended, len(fought)))
    assert record is not None
    return record


def test_a_ball_that_ended_the_battle_caught(first_turn: State, after_one_left: State) -> None:
    thrown = replace(first_turn, bag=Bag((Stack(20, 2),)))
    record = told(first_turn, thrown, after_one_left)
    assert record.outcome == "catch"
    assert record.items_used == (DEX.item(4).name,)
    assert record.key_decisions[0].startswith(f"{DEX.item(4).name} at {record.enemy_pokemon}")


def test_what_was_used_and_leaving_are_told_with_the_hp_at_that_time(
    first_turn: State, after_one_left: State
) -> None:
    healed = replace(first_turn, bag=Bag((Stack(4, 1), Stack(20, 1))))
    record = told(first_turn, healed, after_one_left)
    assert record.outcome == "runaway"
    assert record.items_used == (DEX.item(20).name,)
    assert record.key_decisions == (
        f"{DEX.item(20).name} when {record.player_pokemon} had 100% HP",
        f"left {record.enemy_pokemon} with 100% HP",
    )


def against_another(turn: State, phase: Phase = Phase.MAIN_MENU) -> tuple[State, str]:
    """Return the same turn with another enemy of level 9, and its name."""
    assert turn.battle is not None
    assert turn.battle.enemy is not None
    enemy = turn.battle.enemy
    other = next(number for number in DEX.all_species if number != enemy.species)
    enemy = replace(enemy, species=other, position=1, level=9)
    return replace(turn, battle=replace(turn.battle, enemy=enemy, phase=phase)), DEX.species(
        other
    ).name


def test_all_of_a_trainers_mons_are_told(first_turn: State, after_one_left: State) -> None:
    next_one, name = against_another(first_turn)
    record = told(first_turn, next_one, after_one_left)
    assert record.enemy_pokemon.split(", ")[1] == name
    assert record.enemy_level == 9
    assert first_turn.battle is not None
    assert first_turn.battle.kind is BattleKind.TRAINER


def test_who_was_fought_last_is_not_taken_for_who_is_met(
    first_turn: State, after_one_left: State
) -> None:
    # As RAM is for some ticks when the next battle begins: the numbers are those of the last one.
    stale, _ = against_another(first_turn, phase=Phase.BUSY)
    assert told(stale, first_turn, after_one_left) == replace(
        told(first_turn, after_one_left), battle_id=ANY, start_tick=1, end_tick=2
    )
