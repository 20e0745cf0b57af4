"""Milestones need two witnesses: work RAM, and the pixels of the frame of the same tick."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
import pytest

from agent.perception.percept import Due, Perceiver, Percept, ScreenReading
from agent.story.facts import FactKind, RamFact
from agent.story.milestones import Milestone, MilestoneLedger, Witness
from agent.story.story import Story
from emulator import (
    CartridgeKind,
    Facing,
    Font,
    GameMap,
    MapSquare,
    MenuKind,
    Screen,
    State,
    Step,
    World,
    demo_cartridge_path,
    load_cartridge,
)
from emulator.screen.glyphs import read_glyphs
from memory import Hooks
from tests.agent.support import Played, game_at

FONT = Font.of(load_cartridge(demo_cartridge_path()))
GOT_STARTER, BATTLED_RIVAL, LATER = (RamFact(FactKind.EVENT, n) for n in (0x22, 0x23, 0x24))
TEAM = Milestone("starter", "get a starter", Witness.TEAM, mark=GOT_STARTER)
HEALTHY = Milestone("healed", "be healed", Witness.HEALTHY_TEAM, home=1)
RIVAL = Milestone(
    "rival", "face the rival", Witness.TEXT, mark=BATTLED_RIVAL, words=("{rival}: Good",)
)


def shows_team(state: State) -> bool:
    return state.menu is not None and state.menu.kind is MenuKind.PARTY and not state.in_battle


def seen(state: State, text: str) -> Percept:
    reading = ScreenReading(1, Screen(np.zeros((144, 160), np.uint8)), text, None) if text else None
    return Percept(1, state, "", 1.0, (), reading, None)


@pytest.fixture(scope="module")
def team(played: Played) -> Iterator[tuple[State, str]]:
    """Yield the state with the party list open after healing, and the text of its pixels."""

    def healed(state: State) -> bool:
        return shows_team(state) and state.flags.used_center

    with game_at(played.folder, healed) as game:
        for _ in range(2):  # the first picture that an emulator draws is one line off
            game.console.perform(Step(None, 0, 20), render=True)
        yield game.state, read_glyphs(game.console.screen(), FONT)


def test_a_milestone_is_recorded_by_both_witnesses(team: tuple[State, str]) -> None:
    state, text = team
    ledger = MilestoneLedger((TEAM, HEALTHY), Hooks())
    assert ledger.due(state) is Due.FRAME
    ledger.observe(seen(state, text))
    assert [each.id for each in ledger.reached] == ["starter", "healed"]
    assert state.party.mons[0].nickname in ledger.reached[0].witnesses["frame"]
    assert "0x22" in ledger.reached[0].witnesses["ram"]
    assert ledger.due(state) is Due.NOTHING


def test_a_frame_is_drawn_at_every_tick_while_a_milestone_is_due(played: Played) -> None:
    """However short a scene is, as that of the last milestone, the frame of its text is read."""
    with game_at(played.folder, shows_team) as game:
        ledger = MilestoneLedger((TEAM,), Hooks())
        perceiver = Perceiver(game.console, FONT, WORLD, ledger.due)
        for tick in range(1, 30):
            percept = perceiver.perceive(game.state, tick)
            assert perceiver.wants_frame
            game.console.perform(Step(None, 0, 8), render=perceiver.wants_frame)
            assert tick == 1 or percept.reading is not None


def test_without_a_frame_no_milestone_is_recorded(team: tuple[State, str]) -> None:
    ledger = MilestoneLedger((TEAM,), Hooks())
    assert ledger.observe(seen(team[0], "")) == ()
    assert not ledger.has("starter")


def test_a_frame_with_other_content_is_no_witness(team: tuple[State, str]) -> None:
    state, text = team
    ledger = MilestoneLedger((TEAM, HEALTHY), Hooks())
    ledger.observe(seen(state, "a meadow"))
    hp = state.party.mons[0].hp
    ledger.observe(seen(state, text.replace(f"{hp}/", f"{hp - 1}/").replace("PL", "??")))
    assert not ledger.has("healed")


def test_ram_without_the_fact_is_no_witness(team: tuple[State, str]) -> None:
    state, text = team
    later = replace(TEAM, mark=LATER)
    elsewhere = replace(HEALTHY, home=9)
    ledger = MilestoneLedger((later, elsewhere), Hooks())
    assert ledger.due(state) is Due.NOTHING
    assert ledger.observe(seen(state, text)) == ()


def test_words_are_searched_while_text_is_open(played: Played) -> None:
    def is_talking(state: State) -> bool:
        return BATTLED_RIVAL.shown_by(state) and state.dialogue.is_open and state.game_started

    with game_at(played.folder, is_talking) as game:
        state = game.state
        ledger = MilestoneLedger((RIVAL,), Hooks())
        assert ledger.due(state) is Due.FRAME
        assert ledger.observe(seen(state, "other: Good")) == ()
        ledger.observe(seen(state, f"{state.player.rival_name}: Good."))
    assert ledger.has("rival")


def test_reached_milestones_survive_a_checkpoint(team: tuple[State, str]) -> None:
    ledger = MilestoneLedger((TEAM, HEALTHY), Hooks())
    ledger.observe(seen(*team))
    again = MilestoneLedger((TEAM, HEALTHY), Hooks())
    again.restore(ledger.to_json())
    assert again.reached == ledger.reached
    assert again.due(team[0]) is Due.NOTHING


BADGE = Milestone(
    "badge", "earn it", Witness.TEXT, mark=RamFact(FactKind.BADGE, 0), words=("{rival}", "{player}")
)
PARCEL = Milestone("parcel", "carry it", Witness.BAG, mark=GOT_STARTER, words=("PARCEL",))
DEX = Milestone("dex", "have it", Witness.START_MENU, mark=GOT_STARTER, words=("DEX",))


def test_a_badge_requires_all_words_in_the_same_frame(played: Played) -> None:
    with game_at(
        played.folder, lambda state: state.game_started and state.dialogue.is_open
    ) as game:
        state = game.state
    names = state.player
    with_badge = replace(state, player=replace(names, badges=(0,)))
    ledger = MilestoneLedger((BADGE,), Hooks())
    ledger.observe(seen(state, f"{names.rival_name} {names.name}"))
    ledger.observe(seen(with_badge, names.rival_name))
    assert not ledger.has("badge")
    ledger.observe(seen(with_badge, f"{names.rival_name}\n{names.name}"))
    assert ledger.has("badge")
    assert "bit 0" in ledger.reached[0].witnesses["ram"]


@pytest.mark.parametrize(
    ("milestone", "kind", "words"),
    [(PARCEL, MenuKind.ITEMS, "a PARCEL"), (DEX, MenuKind.START, "DEX, TEAM")],
)
def test_menus_are_witnesses_of_their_words(
    milestone: Milestone, kind: MenuKind, words: str, team: tuple[State, str]
) -> None:
    state, text = team
    assert state.menu is not None
    opened = replace(state, menu=replace(state.menu, kind=kind))
    ledger = MilestoneLedger((milestone,), Hooks())
    ledger.observe(seen(state, words))  # another menu is open
    ledger.observe(seen(opened, text))  # the words are not in it
    assert not ledger.has(milestone.id)
    assert ledger.due(opened) is Due.FRAME
    ledger.observe(seen(opened, words))
    assert ledger.has(milestone.id)


WORLD: Final = World.of(load_cartridge(demo_cartridge_path()))
STORY: Final = Story.of(CartridgeKind.DEMO)
ARROWS: Final = {
    7: {0x3C: Facing.DOWN, 0x3D: Facing.UP, 0x4C: Facing.LEFT, 0x4D: Facing.RIGHT},
    22: {0x30: Facing.DOWN, 0x31: Facing.UP, 0x32: Facing.LEFT, 0x33: Facing.RIGHT},
}
LANDINGS: Final = {7: 0x3F, 22: 0x10}


def slides(here: GameMap) -> Iterator[tuple[MapSquare, MapSquare]]:
    """Yield each arrow of a map and its end: on a landing tile, or before a solid tile."""
    arrows = ARROWS.get(here.tileset.tileset_id, {})
    squares = [(x, y) for x in range(here.columns) for y in range(here.rows)]
    for x, y in squares:
        if here.tile(x, y) not in arrows:
            continue
        at, facing = (x, y), arrows[here.tile(x, y)]
        while here.passable(at[0] + facing.dx, at[1] + facing.dy):
            at = at[0] + facing.dx, at[1] + facing.dy
            if here.tile(*at) == LANDINGS[here.tileset.tileset_id]:
                break
            facing = arrows.get(here.tile(*at), facing)
        if at != (x, y):
            yield (here.map_id, x, y), (here.map_id, *at)


def test_each_arrow_ends_where_the_story_says() -> None:
    by_maps = dict(each for here in WORLD.maps for each in slides(here))
    by_story = {start: end for start, end in STORY.carries.items() if start[0] == end[0]}
    assert by_maps
    assert by_story == by_maps


def test_each_hole_of_the_story_leads_to_a_dungeon_warp() -> None:
    landings = {(fall.map_id, fall.x, fall.y) for fall in WORLD.dungeon_warps}
    holes = {start: end for start, end in STORY.carries.items() if start[0] != end[0]}
    assert set(holes.values()) == landings
    for map_id, x, y in holes:
        here = WORLD.map(map_id)
        assert here.tile(x, y) in here.tileset.holes
