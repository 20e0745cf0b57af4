"""RAM that is written: what a model of the game puts there is what the readers find."""

from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emulator import (
    Facing,
    PartyMon,
    PyBoyConsole,
    Ram,
    Status,
    demo_cartridge_path,
    load_cartridge,
    read_state,
)
from emulator.model import GameRam, MapInRam, without
from emulator.ram import Dvs, MoveOffer, MoveSlot, Stack, Stats, read_offer, read_party
from tests.emulator.moments import state_with

BYTES = st.integers(0, 255)
STATS = st.builds(Stats, *[st.integers(1, 999)] * 5)
MONS = st.builds(
    PartyMon,
    species=st.integers(1, 190),
    nickname=st.text("ABCXYZ", min_size=1, max_size=10),
    ot_id=st.integers(0, 0xFFFF),
    level=st.integers(2, 100),
    hp=st.integers(0, 999),
    status=st.builds(Status, st.integers(0, 7), *[st.booleans()] * 4),
    types=st.tuples(BYTES, BYTES),
    catch_rate=BYTES,
    moves=st.lists(
        st.builds(MoveSlot, st.integers(1, 165), st.integers(0, 63), st.integers(0, 3)),
        min_size=1,
        max_size=4,
    ).map(tuple),
    exp=st.integers(0, 0xFFFFFF),
    stat_exp=STATS,
    dvs=st.builds(Dvs, *[st.integers(0, 15)] * 4),
    stats=STATS,
)


@pytest.fixture
def ram() -> GameRam:
    return GameRam(state_with({}).ram)


@settings(max_examples=30)
@given(st.lists(MONS, max_size=6))
def test_a_written_team_is_read_as_it_was(mons: list[PartyMon]) -> None:
    ram = GameRam(state_with({}).ram)
    ram.put_party(mons)
    assert list(read_party(ram.view).mons) == mons


@given(money=st.integers(-5, 2_000_000), stacks=st.dictionaries(st.integers(1, 250), BYTES))
@settings(max_examples=30)
def test_a_bag_and_money_are_kept_within_what_the_game_can_hold(
    money: int, stacks: dict[int, int]
) -> None:
    ram = GameRam(state_with({}).ram)
    ram.put_money(money)
    ram.put_bag(Stack(*each) for each in stacks.items())
    state = read_state(ram.view, 0)
    assert state.player.money == min(max(money, 0), 999_999)
    kept = [Stack(item, min(count, 99)) for item, count in stacks.items() if count][:20]
    assert list(state.bag.items) == kept


def test_facts_are_set_and_cleared_one_by_one(ram: GameRam) -> None:
    for number in (0, 7, 8, 300):
        ram.put_event(number)
    ram.put_event(7, happened=False)
    ram.put_badge(3)
    ram.put_home(2)
    ram.put_offer(MoveOffer(1, 57))
    ram.stand(4, 5, Facing.LEFT)
    state = read_state(ram.view, 0)
    assert [number for number in range(400) if state.flags.is_set(number)] == [0, 8, 300]
    assert (state.player.badges, state.flags.blackout_map, ram.home) == ((3,), 2, 2)
    assert read_offer(ram.view) == MoveOffer(1, 57)
    assert (state.map.x, state.map.y, state.map.facing) == (4, 5, Facing.LEFT)
    with pytest.raises(KeyError, match="no window has 0x1000"):
        ram.put_byte(0x1000, 1)


def test_a_repellent_counts_down_and_a_medicine_cures_what_it_should(ram: GameRam) -> None:
    assert not ram.use_repel()
    ill = Status(3, poisoned=True, burned=False, frozen=False, paralyzed=False)
    assert without(ill, 1 << 3) == ill._replace(poisoned=False)
    assert without(ill, 0xFF) == Status(
        0, poisoned=False, burned=False, frozen=False, paralyzed=False
    )


def test_a_copy_of_the_ram_of_a_console_has_its_digests() -> None:
    with closing(PyBoyConsole(load_cartridge(demo_cartridge_path()))) as console:
        copy = GameRam(console.ram())
        assert isinstance(copy.view, Ram)
        assert (copy.digest(), copy.full_digest()) == (console.digest(), console.full_digest())
        assert MapInRam(copy, None).map_id == copy.map_id  # type: ignore[arg-type]  # not asked
