"""Whole games in the model: the agent decides as in play, and what its actions do is modelled."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace

import pytest

from agent.app import TickView
from agent.battle.odds import Foe
from agent.battle.policy import BattlePolicy
from agent.lab.rehearse import play
from agent.lab.rehearse.battle import HEALTHY, Trainer
from agent.lab.rehearse.console import ModelConsole
from agent.lab.rehearse.game import WILD, ModelGame
from agent.lab.rehearse.play import MilestoneWatcher, RehearsedGame, rehearse
from agent.lab.rehearse.scripts import Script, ScriptBook
from agent.record.battles import team_hp
from agent.skills import STRENGTH, Flee
from agent.story.facts import FactKind
from agent.story.story import Story
from emulator import (
    Cartridge,
    CartridgeKind,
    Facing,
    PyBoyConsole,
    State,
    Step,
    World,
    read_state,
    symbol,
)
from emulator.dex import engine_tables
from emulator.engine import read_position
from emulator.model import with_open
from emulator.ram import BattleType, MoveSlot
from emulator.world.map_objects import find_trainer_headers
from emulator.world.world import FIGHTERS
from memory import read_run
from tests.agent.demo import CARTRIDGE, DEX, STORY, WORLD
from tests.agent.support import Agent, Played

LAST = "third_badge"


@dataclass
class Looked:
    """A rehearsed game with what was looked at in it: states, and saved games in and out of battle."""

    game: RehearsedGame
    states: list[State]
    saved: list[bytes]


@pytest.fixture(scope="module")
def looked() -> Looked:
    """Return the rehearsed game of seed 0 to the last milestone."""
    states, saved, consoles = list[State](), list[bytes](), list[ModelConsole]()

    class Kept(ModelConsole):
        """A model that keeps itself for the test."""

        def __init__(self, *parts: object) -> None:
            super().__init__(*parts)  # type: ignore[arg-type]  # as the class it replaces
            consoles.append(self)

    class Watcher(MilestoneWatcher):
        """A viewer that keeps states and saved games as well."""

        def show(self, moment: TickView) -> None:
            super().show(moment)
            states.append(moment.state)
            if consoles[0].game is not None and moment.tick % 10 == 0:
                saved.append(consoles[0].save())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(play, "ModelConsole", Kept)
        patch.setattr(play, "MilestoneWatcher", Watcher)
        return Looked(rehearse(CARTRIDGE, 0, LAST), states, saved)


def test_a_game_is_rehearsed_to_its_last_milestone(looked: Looked) -> None:
    game = looked.game
    assert (game.stop, game.reason) == ("goal", "")
    assert list(game.milestones) == list(STORY.up_to(LAST))
    end = game.milestones[LAST]
    assert end.frames > 50_000
    assert end.battles > 20
    assert 14 <= end.level <= 25


def test_every_state_is_one_that_a_cartridge_could_show(looked: Looked) -> None:
    started = [each for each in looked.states if each.game_started]
    assert len(started) > 300
    for state in started:
        assert state.map.on_map
        assert 0 <= team_hp(state) <= 100
        assert len(state.party) <= 6
        assert all(mon.hp <= mon.stats.hp and mon.moves for mon in state.party.mons)


def test_the_same_seed_gives_the_same_game_and_another_seed_another_one() -> None:
    one, again, other = (rehearse(CARTRIDGE, seed, "parcel") for seed in (3, 3, 4))
    assert one == again
    assert one.frames != other.frames


@pytest.fixture
def model() -> Iterator[ModelConsole]:
    with closing(PyBoyConsole(CARTRIDGE)) as console:
        yield ModelConsole(console, STORY, ScriptBook.of(CARTRIDGE.kind), 0)


def test_a_saved_game_is_restored_whole_in_battle_and_out_of_it(
    looked: Looked, model: ModelConsole
) -> None:
    kinds = set()
    for state in looked.saved:
        model.load(state)
        assert model.save() == state
        game = model.game
        assert isinstance(game, ModelGame)
        kinds.add(game.battle is not None)
        if game.battle is not None:
            read = read_position(game.state(), engine_tables(DEX))
            assert read is not None
            ours, theirs = game.battle.position.sides[0], read.sides[0]
            assert (ours.hp, ours.out) == (theirs.hp, theirs.out)
            assert (ours.moves == theirs.moves).all()
    assert kinds == {True, False}


def test_other_steps_only_let_time_pass(looked: Looked, model: ModelConsole) -> None:
    model.load(looked.saved[0])
    before = model.ram(), model.frame
    model.perform(Step(None, 0, 30))
    assert (model.ram(), model.frame) == (before[0], before[1] + 30)


def test_the_headers_of_trainers_are_found_where_the_map_scripts_point(played: Played) -> None:
    """RAM points to the header checked last: one of the list, or its end."""
    size, maps = 12, set[int]()
    with closing(read_run(played.folder)) as run, closing(PyBoyConsole(CARTRIDGE)) as console:
        checkpoints = run.store.checkpoints
        for mark in checkpoints.marks():
            console.load(checkpoints.numbered(mark.id).state)
            state = read_state(console.ram(), console.frame)
            header = WORLD.map(state.map.map_id).header
            texts = tuple(each.text_id for each in header.people if each.kind in FIGHTERS)
            if texts and state.in_control:
                start = find_trainer_headers(WORLD.rom, header.bank, header.texts, texts)
                pointer = int.from_bytes(state.ram.span(symbol("wTrainerHeaderPtr"), 2), "big")
                assert pointer - start in range(0, size * (len(texts) + 1), size)
                maps.add(header.map_id)
    assert len(maps) >= 2


@pytest.fixture
def on_the_map(looked: Looked, model: ModelConsole) -> ModelGame:
    """Return a game in which the player has a team and walks about."""
    for state in looked.saved:
        model.load(state)
        game = model.game
        assert game is not None
        if game.battle is None and game.state().party.mons:
            return game
    raise AssertionError("no saved game is on a map")


def test_poison_takes_hp_at_each_fourth_step_and_may_end_the_way(on_the_map: ModelGame) -> None:
    game = on_the_map
    ill = replace(game.state().party[0], hp=2, status=HEALTHY._replace(poisoned=True))
    game.ram.put_party([ill])
    before = game.state().player.money
    left = [ill.hp]
    while not game.was_moved:
        game.count_step()
        left.append(game.state().party[0].hp)
    assert left.count(1) == 4  # steps
    assert left[-1] == ill.stats.hp  # a blackout heals
    assert game.state().player.money == before // 2


def begin_visit(game: ModelGame, steps: int) -> Script:
    visit = game.book.visit
    assert visit is not None
    for mark in visit.makes:
        game.ram.put_event(mark.number)
    game.ram.put_safari(steps, 30)
    return visit


def test_a_visit_ends_with_its_last_step(on_the_map: ModelGame) -> None:
    game, visit = on_the_map, begin_visit(on_the_map, steps=2)
    game.count_step()
    assert game.state().safari == (1, 30)
    game.count_step()
    assert game.here.map_id == visit.map_id
    assert (game.state().map.x, game.state().map.y - 1) in visit.step


def test_what_is_met_on_a_visit_is_caught_and_not_fought(on_the_map: ModelGame) -> None:
    game = on_the_map
    begin_visit(game, steps=500)
    species = game.state().party[0].species
    game.begin(Trainer(0, 0, (Foe(5, species),)), WILD)
    battle = game.state().battle
    assert battle is not None
    assert battle.type is BattleType.SAFARI
    game.turn(Flee(), BattlePolicy(DEX))
    assert game.battle is None


def test_a_seventh_pokemon_goes_to_the_box(on_the_map: ModelGame) -> None:
    game = on_the_map
    mon = game.state().party[0]
    game.ram.put_party([mon] * 6)
    before = game.state().box.mons
    game.receive(mon)
    assert len(game.state().party) == 6
    assert game.state().box.mons == (*before, (mon.species, mon.level))


def test_boulders_are_pushed_square_by_square_and_lie_as_before_when_the_map_is_entered_again(
    on_the_map: ModelGame,
) -> None:
    game = on_the_map
    task = next(each for each in STORY.tasks if each.interaction.key == "push")
    place = STORY.place(task.place)
    ((slot, goal),) = task.interaction.value
    boulder = next(each for each in WORLD.map(place.map_id).people if each.slot == slot)
    game.enter(place.map_id, boulder.x, boulder.y + 1)
    for facing in (Facing.LEFT, Facing.RIGHT, Facing.RIGHT):
        game.push(slot, facing)
    lies = {each.slot: each.position for each in game.state().people}
    assert lies[slot] == (boulder.x + 1, boulder.y)
    game.enter(place.map_id, boulder.x, boulder.y + 1)
    lies = {each.slot: each.position for each in game.state().people}
    assert lies[slot] == (boulder.x, boulder.y)
    assert not STORY.shows(game.state(), task.sets)
    strong = replace(game.state().party[0], moves=(MoveSlot(STRENGTH, 15, 0),))
    game.ram.put_party([strong])
    for need in task.needs:
        if STORY.ram_facts[need].kind is FactKind.BADGE:
            game.ram.put_badge(STORY.ram_facts[need].number)
    step = (goal[0] - boulder.x, goal[1] - boulder.y)
    sides = [f for f in Facing for _ in range(max(step[0] * f.dx, 0) + max(step[1] * f.dy, 0))]
    for facing in sides:
        game.push(slot, facing)
    assert STORY.shows(game.state(), task.sets)


@pytest.mark.parametrize("kind", CartridgeKind)
def test_every_task_of_a_story_has_a_script_with_an_effect(kind: CartridgeKind) -> None:
    scripts = [each for rows in ScriptBook.of(kind).scripts.values() for each in rows]
    assert {each.id for each in scripts} >= {task.id for task in Story.of(kind).tasks}
    assert all(each.makes or each.member or each.fights or each.meets for each in scripts)


def test_doors_open_with_blocks_of_the_tileset(demo: Cartridge) -> None:
    world = World.of(demo)
    for door in ScriptBook.of(demo.kind).doors:
        shut, opened = world.map(door.map_id), with_open(world, door.map_id, door.squares)
        changed = {
            (x, y)
            for x in range(shut.columns)
            for y in range(shut.rows)
            if shut.passable(x, y) != opened.passable(x, y)
        }
        assert changed == door.squares


def test_the_command_says_how_far_games_come(agent: Agent) -> None:
    ended = agent("rehearse", "--seeds", "0..1", "--until", "rival")
    assert ended.code == 0, ended.err
    assert "2 games of Red Agent Demo rehearsed to rival: 100% reach it" in ended.out
    assert agent("rehearse", "--seeds", "x").code == 2
