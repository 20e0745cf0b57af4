"""Records of battles: opponents, turns, moves, items and outcome."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from unittest.mock import ANY

import pytest

from agent.perception.percept import Percept
from agent.record.battles import BattleWatch
from emulator import BattleKind, Phase, State
from emulator.ram.player import Bag, Stack
from memory import BattleRecord, read_run
from tests.agent.demo import DEX, STORY, battle_of, enemy_of, own_of
from tests.agent.support import Played, events_of, game_at

place_of = STORY.place_of


def percept(state: State, tick: int) -> Percept:
    return Percept(tick, state, "", 1.0, (), None, None)


def test_every_battle_of_a_run_has_a_record(played: Played) -> None:
    names = {species.name for species in DEX.all_species.values()}
    moves = {move.name for move in DEX.all_moves.values()}
    battles = [dict(event.payload) for event in events_of(played.folder, "battle")]
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
        restored = BattleWatch(DEX, place_of)  # as if play were resumed at every tick
        restored.restore(watch.to_json())
        watch = restored
        record = watch.observe(percept(state, tick))
        records.extend([record] if record else [])
        return bool(records)

    with game_at(played.folder, follow), closing(read_run(played.folder)) as run:
        first = next(iter(run.store.record.events("battle"))).payload
    (record,) = records
    assert (record.enemy_pokemon, record.outcome) == (first["enemy_pokemon"], first["outcome"])
    assert record.turns_taken == first["turns_taken"]


@pytest.fixture(scope="module")
def first_turn(first_turn: State) -> State:
    """The first turn with a ball and a potion in the bag."""
    return replace(first_turn, bag=Bag((Stack(4, 1), Stack(20, 2))))


@pytest.fixture(scope="module")
def after_running(played: Played) -> Iterator[State]:
    """A state after a battle that ended by running away, according to RAM."""
    with game_at(
        played.folder, lambda state: state.game_started and bool(len(state.party))
    ) as game:
        game.poke({0xCF0B: 2})
        yield game.state


def record_of_battle(first: State, *later: State) -> BattleRecord:
    watch = BattleWatch(DEX, place_of)
    *turns, ended = [first, *later]
    for tick, state in enumerate(turns):
        assert watch.observe(percept(state, tick)) is None
    record = watch.observe(percept(ended, len(turns)))
    assert record is not None
    return record


def test_a_battle_that_ends_with_a_ball_is_a_catch(first_turn: State, after_running: State) -> None:
    thrown = replace(first_turn, bag=Bag((Stack(20, 2),)))
    record = record_of_battle(first_turn, thrown, after_running)
    assert record.outcome == "catch"
    assert record.items_used == (DEX.item(4).name,)
    assert record.key_decisions[0].startswith(f"{DEX.item(4).name} at {record.enemy_pokemon}")


def test_items_and_running_are_recorded_with_the_hp_at_that_time(
    first_turn: State, after_running: State
) -> None:
    healed = replace(first_turn, bag=Bag((Stack(4, 1), Stack(20, 1))))
    record = record_of_battle(first_turn, healed, after_running)
    assert record.outcome == "runaway"
    assert record.items_used == (DEX.item(20).name,)
    assert record.key_decisions == (
        f"{DEX.item(20).name} when {record.player_pokemon} had 100% HP",
        f"left {record.enemy_pokemon} with 100% HP",
    )


def busy_with(turn: State, move: int, place: int = 0, hp: int | None = None) -> State:
    """Return the same turn while a move is used by the own Pokemon at a place in the team."""
    own = own_of(turn)
    moves = tuple(each._replace(pp=each.pp - (each.move == move)) for each in own.moves)
    own = replace(own, position=place, hp=own.hp if hp is None else hp, moves=moves)
    battle = replace(battle_of(turn), own=own, own_move=move, phase=Phase.BUSY)
    return replace(turn, battle=battle)


def test_moves_belong_to_who_used_them(first_turn: State, after_running: State) -> None:
    first, second = [slot.move for slot in own_of(first_turn).moves][:2]
    watch = BattleWatch(DEX, place_of)
    for tick, state in enumerate(
        (
            first_turn,
            busy_with(first_turn, first),
            busy_with(first_turn, 0, place=1),
            busy_with(first_turn, second, place=1),
        )
    ):
        watch.observe(percept(state, tick))
    record = watch.observe(percept(after_running, 4))
    assert record is not None
    assert record.moves_used == (DEX.move(first).name,)
    assert watch.around["finisher_moves"] == [DEX.move(second).name]
    assert len(watch.around["fighters"]) == 2


def test_the_hp_of_an_item_is_that_of_the_menu_where_it_was_chosen(
    first_turn: State, after_running: State
) -> None:
    # The game raises the HP before it takes the item from the bag.
    healed = busy_with(first_turn, 0, hp=1)
    used = replace(healed, bag=Bag((Stack(4, 1), Stack(20, 1))))
    record = record_of_battle(first_turn, healed, used, after_running)
    assert record.key_decisions[0].endswith("had 100% HP")


def against_another(turn: State, phase: Phase = Phase.MAIN_MENU) -> tuple[State, str]:
    """Return the same turn with another enemy of level 9, and its name."""
    enemy = enemy_of(turn)
    other = next(number for number in DEX.all_species if number != enemy.species)
    enemy = replace(enemy, species=other, position=1, level=9)
    battle = replace(battle_of(turn), enemy=enemy, phase=phase)
    return replace(turn, battle=battle), DEX.species(other).name


def test_a_record_lists_all_pokemon_of_a_trainer(first_turn: State, after_running: State) -> None:
    next_one, name = against_another(first_turn)
    record = record_of_battle(first_turn, next_one, after_running)
    assert record.enemy_pokemon.split(", ")[1] == name
    assert record.enemy_level == 9
    assert battle_of(first_turn).kind is BattleKind.TRAINER


def test_a_stale_enemy_in_ram_does_not_get_into_the_record(
    first_turn: State, after_running: State
) -> None:
    # At the start of a battle RAM holds the enemy of the last battle for some ticks.
    stale, _ = against_another(first_turn, phase=Phase.BUSY)
    assert record_of_battle(stale, first_turn, after_running) == replace(
        record_of_battle(first_turn, after_running), battle_id=ANY, start_tick=1, end_tick=2
    )
