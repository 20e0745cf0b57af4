"""The position that RAM holds, field by field, and turns that go on from it."""

from emulator.engine.choices import legal_choices
from emulator.engine.from_ram import read_position
from emulator.engine.turn import play_turn
from emulator.rules import codes
from tests.emulator.engine.small_battle import tables_of
from tests.emulator.moments import bytes_from, state_with
from tests.emulator.ram.test_battle import TRAINER as TRAINER_RAM
from tests.emulator.ram.test_battle import WILD as WILD_RAM

MORE = (
    {0xD06D: 0x23, 0xCCEE: 45, 0xCCF1: 33, 0xCCF2: 45, 0xCC2E: 1, 0xD058: 2, 0xCCF5: 3, 0xD356: 5}
    | bytes_from(0xD0D7, bytes([1, 2]))
    | bytes_from(0xD074, bytes([0, 9]))
    | bytes_from(0xCFD2, bytes([45, 18, 0, 0, 255, 40]))
    | bytes_from(0xD31D, bytes([1, 20, 3, 0xFF]))
)


def test_every_field_of_a_wild_battle() -> None:
    position = read_position(state_with(WILD_RAM | MORE), tables_of())
    assert position is not None
    us, them = position.sides
    assert (position.kind, position.run_attempts, position.damage) == (codes.WILD, 2, 258)
    assert (position.gainers, position.participants, position.badges) == (2, 3, 5)
    assert (us.out, us.species, us.level, us.hp, us.max_hp, us.status) == (1, 7, 6, 17, 21, 8)
    assert (us.type1, us.type2) == (20, 2)
    assert list(us.moves) == [33, 45, 0, 0]
    assert list(us.pp) == [35, 40, 0, 0]
    assert list(us.stats) == [11, 12, 269, 14]
    assert list(us.stages) == [0, -1, 6, -6, 1, 0]
    assert us.volatile == codes.CONFUSED | codes.SEEDED | 1 << 16
    assert (us.attacks_left, us.confused, us.toxic, us.substitute) == (2, 3, 4, 6)
    assert (us.disabled, us.disabled_turns, us.disabled_move) == (2, 3, 45)
    assert (us.used, us.slot, us.selected, us.bide_damage) == (33, 1, 33, 9)
    assert (us.move.number, us.move.effect, us.move.accuracy) == (45, 18, 255)
    assert (them.count, them.species, them.hp, them.used) == (1, 9, 21, 45)
    assert list(them.team[0].moves[:2]) == [33, 45]
    assert list(legal_choices(position, 0))[-2:] == [codes.choice_of_item(20, 1), 10]


def test_a_trainers_team_is_read_and_the_battle_can_go_on() -> None:
    tables = tables_of()
    position = read_position(state_with(TRAINER_RAM), tables)
    assert position is not None
    assert (position.kind, position.trainer_class) == (codes.TRAINER, 25)
    assert (position.sides[1].count, position.sides[1].out) == (2, 1)
    assert codes.SWITCH in legal_choices(position, 0)
    play_turn(position, 0, codes.DECIDES, tables)
    assert position.turns == 1


def test_a_trainers_pokemon_may_be_out_before_its_team_is_in_ram() -> None:
    position = read_position(state_with(TRAINER_RAM | {0xD89C: 0}), tables_of())
    assert position is not None
    assert (position.sides[1].count, position.sides[1].hp) == (0, 21)
    assert list(position.sides[1].plain) == [0, 0, 0, 0]


def test_without_a_battle_there_is_no_position() -> None:
    assert read_position(state_with({}), tables_of()) is None


def test_critical_hits_of_a_transformed_enemy_use_the_species_it_shows() -> None:
    changes = WILD_RAM | {0xD069: 8}
    position = read_position(state_with(changes), tables_of())
    assert position is not None
    assert position.sides[1].volatile & codes.TRANSFORMED
    assert list(position.sides[1].plain) == [5, 5, 5, 5]
