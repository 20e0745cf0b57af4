"""Readers against sixteen moments of the real game that an independent reader decoded."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from emulator import BattleKind, PartyMon, Ram, ScreenType, State, read_state
from emulator.profile import symbol
from emulator.ram import Waiting
from emulator.text import decode_name

IMAGES: Final = Path(__file__).resolve().parents[4] / "shared" / "red" / "wram"
EXPECTED: Final[dict[str, dict[str, Any]]] = (
    json.loads((IMAGES / "expected.json").read_text())
    if (IMAGES / "expected.json").exists()
    else {}
)
RamImage: TypeAlias = Callable[[str], Ram]

pytestmark = pytest.mark.skipif(not EXPECTED, reason=f"no RAM images of the real game in {IMAGES}")
every_image = pytest.mark.parametrize("name", EXPECTED)


@pytest.fixture
def state(name: str, ram_image: RamImage) -> State:
    return read_state(ram_image(name), 0)


@pytest.fixture
def expected(name: str) -> dict[str, Any]:
    return EXPECTED[name]


@every_image
def test_place_money_badges_and_bag(state: State, expected: dict[str, Any]) -> None:
    assert state.map.map_id == expected["map"]
    assert state.position == (expected["x"], expected["y"])
    assert state.player.money == expected["money"]
    assert list(state.player.badges) == expected["badges"]
    assert state.player.badge_count == len(expected["badges"])
    stacks = [{"item": stack.item, "quantity": stack.quantity} for stack in state.bag.items]
    assert stacks == expected["inventory"]
    assert (state.battle.kind.value if state.battle else 0) == expected["is_in_battle"]


def as_expected(mon: PartyMon) -> dict[str, Any]:
    """Return a mon under the names of the independent reader, which knows no PP Ups."""
    status = mon.status
    exps = mon.stat_exp
    return {
        "species_internal_index": mon.species,
        "hp": mon.hp,
        "max_hp": mon.stats.hp,
        "level": mon.level,
        "status": status.sleep
        | status.poisoned << 3
        | status.burned << 4
        | status.frozen << 5
        | status.paralyzed << 6,
        "type1": mon.types[0],
        "type2": mon.types[1],
        "catch_rate": mon.catch_rate,
        "moves": [slot.move for slot in mon.moves],
        "pp": [slot.pp for slot in mon.moves],
        "ot_id": mon.ot_id,
        "exp": mon.exp,
        "hp_exp": exps.hp,
        "attack_exp": exps.attack,
        "defense_exp": exps.defense,
        "speed_exp": exps.speed,
        "special_exp": exps.special,
        "dvs": mon.dvs.attack << 12 | mon.dvs.defense << 8 | mon.dvs.speed << 4 | mon.dvs.special,
        "attack": mon.stats.attack,
        "defense": mon.stats.defense,
        "speed": mon.stats.speed,
        "special": mon.stats.special,
    }


@every_image
def test_every_number_of_the_party(state: State, expected: dict[str, Any]) -> None:
    names = ("ot_name", "nickname")
    numbers = [{k: v for k, v in mon.items() if k not in names} for mon in expected["party"]]
    for mon in numbers:
        known = [
            (move, pp & 0x3F) for move, pp in zip(mon["moves"], mon["pp"], strict=True) if move
        ]
        mon["moves"], mon["pp"] = [move for move, _ in known], [pp for _, pp in known]
    assert [as_expected(mon) for mon in state.party.mons] == numbers


@every_image
def test_names_of_the_party(state: State, expected: dict[str, Any]) -> None:
    names = [
        (decode_name(bytes(m["ot_name"])), decode_name(bytes(m["nickname"])))
        for m in expected["party"]
    ]
    assert [(mon.ot_name, mon.nickname) for mon in state.party.mons] == names
    assert all(nickname.isprintable() and nickname for _, nickname in names)


@every_image
def test_stored_stats_follow_from_level_dvs_and_experience_or_are_older(state: State) -> None:
    # Stats are computed when a mon is made or levels up, so that they lag behind, never ahead.
    for mon in state.party.mons:
        assert 0 <= mon.dvs.hp <= 15
        assert mon.stats.hp >= 2 * mon.dvs.hp * mon.level // 100 + mon.level + 10


@every_image
def test_text_in_the_message_box(state: State, expected: dict[str, Any]) -> None:
    shown = expected.get("dialog")
    assert state.dialogue.is_open == (shown is not None)
    for line, start in zip(state.dialogue.lines, shown or (), strict=False):
        assert line.startswith(start)
    arrow = expected.get("waiting_arrow", "waiting_arrow" in expected)
    assert (state.dialogue.waiting is Waiting.ARROW) == bool(arrow)


@every_image
def test_what_the_screen_is_about(state: State, expected: dict[str, Any]) -> None:
    kind = ScreenType.OVERWORLD
    if expected["is_in_battle"]:
        kind = ScreenType.BATTLE
    elif expected.get("dialog") is not None:
        kind = ScreenType.DIALOGUE
    assert state.screen_type is kind
    assert state.game_started
    assert state.menu is None


@every_image
def test_people_stand_on_the_map(state: State, ram_image: RamImage, name: str) -> None:
    assert len(state.people) <= 15
    for person in state.people:
        assert 0 <= person.x < 2 * state.map.width
        assert 0 <= person.y < 2 * state.map.height
    count = ram_image(name).byte(symbol("wNumSprites"))
    assert {person.slot for person in state.people} == set(range(1, count + 1))


@every_image
def test_the_sprite_of_the_player_does_not_say_where_he_stands(
    ram_image: RamImage, name: str
) -> None:
    # Written facts have it that these are the player's square plus four; they are for other people.
    assert ram_image(name).byte(symbol("wSpritePlayerStateData2MapY")) == 0
    assert ram_image(name).byte(symbol("wSpritePlayerStateData2MapX")) == 0


def test_play_time_names_and_id_of_a_long_game(ram_image: RamImage) -> None:
    player = read_state(ram_image("victory_road_2"), 0).player
    assert (player.name, player.rival_name) == ("RED", "BLUE")
    assert player.badges == tuple(range(8))
    assert player.play_time.hours > 0
    assert player.play_time.minutes < 60 > player.play_time.seconds


def test_a_battle_in_its_first_text(ram_image: RamImage) -> None:
    state = read_state(ram_image("rival_battle_sendout"), 0)
    assert state.battle is not None
    assert state.battle.kind is BattleKind.TRAINER
    assert state.in_battle
    assert not state.in_control
    assert "AAAAAAA sent" in state.screen_text


def test_a_step_under_way_is_not_control(ram_image: RamImage) -> None:
    state = read_state(ram_image("pallet_town_walking"), 0)
    assert state.control.walking
    assert state.control.trusted
    assert not state.in_control


def test_events_of_a_finished_game_outnumber_those_of_a_new_one(ram_image: RamImage) -> None:
    champion = read_state(ram_image("beat_champion"), 0).flags
    beginner = read_state(ram_image("bedroom_new_game"), 0).flags
    assert champion.count > 100 > beginner.count
    got_starter = 34  # EVENT_GOT_STARTER
    assert champion.is_set(got_starter)
    assert not beginner.is_set(got_starter)
