"""The agent's planner in a model of Red's world: it reaches the Hall of Fame and passes no closed gate."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from tests.red_model.build import world_text
from tests.red_model.model import Model, Refused
from tests.red_model.moment import DRINKS, GUARDS_SERVED, LIFT_KEY, Moment, within_reach
from tests.red_model.planner import End, Game, ModelPlanner, sense
from tests.red_model.random_moments import SAFARI_GATE
from tests.red_model.world import Atlas, Fact, Gate, Join, Region

FACTS: Final = Path(__file__).resolve().parents[3] / "shared" / "red"
COMMITTED: Final = Path(__file__).with_name("red.json")
ATLAS: Final = Atlas.of_red()
PALLET: Final = Region(0, 1)
PLATEAU: Final = 9
PRIZE_OF_THE_RIVAL: Final = 65  # times a level
HURT: Final = 30  # percent of HP
# Gates whose other side has another way when all other facts hold: over water or past CUT trees, by teleports and
# elevators, by a ledge, through the other door of a switch, or from the far side with boulders pushed.
AROUND: Final = {0, 3, 4, 5, 16, 22, 23, 34, 35, 36, 37, 43, 44, 48, 50, 56, 61, 63, 66, 67, 73, 75}
# Allowed distance from the squares of the facts, where a wall or a person fills the square itself.
BESIDE: Final = 2


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(ATLAS, ModelPlanner.of_red().story)


@pytest.fixture(scope="module")
def played(model: Model) -> tuple[Game, list[Moment]]:
    """Return a game of the planner from the bedroom, and its moments."""
    game, moments = Game(model, ModelPlanner.of_red(), Moment()), [Moment()]
    game.play(lambda playing: moments.append(playing.moment))
    return game, moments


def joins_at(gate: Gate) -> list[Join]:
    """Return the joins that a gate closes: those at its squares, or all of an elevator."""
    own = [
        each for start, all_ in ATLAS.joins.items() if start.map_id == gate.map_id for each in all_
    ]
    guarded = [each for each in own if each.needs]
    if not gate.cells:
        return guarded
    exact = [each for each in guarded if each.at in gate.cells]
    return exact or [each for each in guarded if near(each.at, gate)]


def near(square: tuple[int, int], gate: Gate) -> bool:
    x, y = square
    return any(abs(x - a) + abs(y - b) <= BESIDE for a, b in gate.cells)


def full_moment() -> Moment:
    """Return the moment in which all facts hold."""
    needs = {need for all_ in ATLAS.joins.values() for join in all_ for need in join.needs}
    facts = {
        fact for each in ATLAS.happenings.values() for happening in each for fact in happening.gives
    }
    facts |= {fact for fact in needs if fact.kind in ("event", "item", "badge", "gone", "fame")}
    facts |= {Fact("move", move) for move in (15, 19, 57, 70, 148)}
    return Moment(PALLET, frozenset(facts), money=99_999, level=80, owned=99)


def without(moment: Moment, fact: Fact) -> Moment:
    """Return the moment without one fact."""
    match fact.kind:
        case "money":
            return replace(moment, money=fact.number - 1)
        case "clear":
            return moment.having([Fact("event", fact.number)])
        case "field":
            return moment.having((), [Fact("move", fact.number)])
        case "floor":
            return moment.having((), [Fact("item", LIFT_KEY), Fact("came", fact.number)])
        case "drink":
            drinks = [Fact("item", each) for each in DRINKS]
            return moment.having((), [Fact("status", GUARDS_SERVED), *drinks])
        case _:
            return moment.having((), [fact])


def with_all(moment: Moment, needs: tuple[Fact, ...]) -> Moment:
    """Return the moment with all needs met."""
    missing = [fact for fact in needs if not moment.holds(fact)]
    shut = [Fact("event", fact.number) for fact in missing if fact.kind == "clear"]
    return moment.having([fact for fact in missing if fact.kind != "clear"], shut)


def closed_joins() -> Iterator[tuple[Gate, Join, Fact]]:
    for gate in ATLAS.gates:
        for join in joins_at(gate):
            for need in join.needs:
                yield gate, join, need


def test_all_gates_of_the_facts_exist() -> None:
    assert len(ATLAS.gates) == 76
    # A room with two doors: the facts give the join of the first only.
    assert [gate.map_id for gate in ATLAS.gates if not joins_at(gate)] == [233]


@pytest.mark.parametrize("number", range(len(ATLAS.gates)))
def test_a_gate_is_open_only_with_all_its_needs(number: int) -> None:
    gate = ATLAS.gates[number]
    for join in joins_at(gate):
        opened = with_all(replace(full_moment(), region=join.start), join.needs)
        assert (
            join.end in within_reach(ATLAS, opened, map_id=gate.map_id)
            or join.end.map_id != gate.map_id
        )
        assert opened.all_hold(join.needs)
        for need in join.needs:
            shut = without(opened, need)
            assert not shut.all_hold(join.needs)
            others = [
                each
                for each in ATLAS.joins[join.start]
                if each.end == join.end and each is not join
            ]
            assert not any(shut.all_hold(each.needs) and need in each.needs for each in others)


@pytest.mark.parametrize("number", [n for n in range(len(ATLAS.gates)) if n not in AROUND])
def test_a_closed_gate_blocks_the_regions_behind_it(number: int) -> None:
    for join in joins_at(ATLAS.gates[number]):
        opened = with_all(replace(full_moment(), region=join.start), join.needs)
        assert join.end in within_reach(ATLAS, opened)
        for need in join.needs:
            assert join.end not in within_reach(ATLAS, without(opened, need)), need


def missing() -> list[Fact]:
    return sorted({need for _, _, need in closed_joins()})


@pytest.mark.parametrize("need", missing(), ids=lambda fact: f"{fact.kind}:{fact.number}")
def test_no_plan_leads_through_a_closed_gate(model: Model, need: Fact) -> None:
    planner = ModelPlanner.of_red()
    moment = without(full_moment(), need)
    facts = sense(model, planner.domain, moment)
    refused = []
    for action in planner.domain.actions:
        if action.name.startswith("travel:") and action.possible(facts):
            try:
                model.carry_out(action, moment)
            except Refused as refusal:
                refused.append(str(refusal))
    assert refused == []


def test_no_walk_leads_over_a_fight_that_is_ahead(
    model: Model, played: tuple[Game, list[Moment]]
) -> None:
    """Just before each fight that waits on squares, every walk that the planner could begin is possible in the world."""
    planner, moments = ModelPlanner.of_red(), played[1]
    walks = [each for each in planner.domain.actions if each.name.startswith("travel:")]
    fights = [task for task in model.story.tasks if task.against and not task.interaction.people]
    assert len(fights) == 11
    refused = set()
    for task in fights:
        before = [each for each in moments if not each.holds(model.fact(task.sets))][-1]
        facts = sense(model, planner.domain, before)
        for walk in (each for each in walks if each.possible(facts)):
            try:
                model.carry_out(walk, before)
            except Refused as refusal:
                refused.add((task.id, str(refusal)))
    assert refused == set()


def test_a_game_from_the_bedroom_ends_in_the_hall_of_fame(
    model: Model, played: tuple[Game, list[Moment]]
) -> None:
    game = played[0]
    assert (game.end, game.why) == (End.FAME, "")
    wanted = {each.id for each in model.story.milestones}
    assert wanted - game.moment.reached <= {"hall_of_fame"}


def test_a_row_of_trainers_that_was_lost_is_planned_again(
    model: Model, played: tuple[Game, list[Moment]]
) -> None:
    """The events of those who were beaten are shown until the lobby is entered again."""
    lance, champion = (
        model.fact(f"event:{each}") for each in ("beat_lance", "beat_champion_rival")
    )
    last = next(each for each in played[1] if each.holds(lance) and not each.holds(champion))
    outside = next(region for region in ATLAS.joins if region.map_id == PLATEAU)
    again = Game(model, ModelPlanner.of_red(), replace(last, region=outside))
    again.play()
    assert (again.end, again.why) == (End.FAME, "")


def test_no_ambition_is_begun_where_the_player_is_shut_in_or_has_paid(model: Model) -> None:
    planner = ModelPlanner.of_red()
    ambitions = {each.fact for each in model.story.ambitions}

    def begun(moment: Moment) -> set[str]:
        goals = planner.domain.open_goals(sense(model, planner.domain, moment))
        return ambitions & {each.name for each in goals}

    shut = [each for each in model.story.lands if each.shuts_in]
    inside = {
        land.name: next(region for region in ATLAS.squares if model.is_in(land, Moment(region)))
        for land in shut
    }
    assert len(inside) == 4
    paid = Moment(SAFARI_GATE, frozenset({model.fact("event:in_safari_zone")}))
    assert begun(replace(paid, facts=frozenset())) == begun(Moment(PALLET)) == ambitions
    assert [begun(each) for each in (paid, *map(Moment, inside.values()))] == [set()] * 5
    # Nor does its plan pay: dropped inside, it would have paid for nothing, again and again.
    (visit,) = [each for each in planner.domain.actions if each.name == "task:enter_safari"]
    assert all(visit.cost > (each.most_cost or 0) for each in model.story.ambitions)


def test_the_beaten_guard_of_the_lift_is_talked_to_at_once(
    model: Model, played: tuple[Game, list[Moment]]
) -> None:
    """The key falls when he is talked to again: no team has to be ready for the battle that is won."""
    beaten = model.fact("event:beat_rocket_hideout_4_trainer_2")
    after = next(each for each in played[1] if each.holds(beaten))
    hurt = Game(model, ModelPlanner.of_red(), replace(after, hp=HURT))
    hurt.after(2)
    assert [each.name for each in hurt.done] == ["task:hear_lift_guard", "task:take_lift_key"]


def test_the_model_refuses_impossible_actions(model: Model) -> None:
    actions = {each.name: each for each in ModelPlanner.of_red().domain.actions}
    with pytest.raises(Refused, match="no way leads to 'pewter_city'"):
        model.carry_out(actions["travel:pewter_city"], Moment())
    with pytest.raises(Refused, match="'pokedex' needs"):
        model.carry_out(actions["task:deliver_parcel"], replace(Moment(), region=Region(40, 0)))
    with pytest.raises(Refused, match="cannot be taught"):
        model.carry_out(actions["teach:cut"], Moment())


def test_the_rival_on_the_ship_pays_for_the_level_of_his_last_pokemon() -> None:
    happenings = (each for all_ in ATLAS.happenings.values() for each in all_)
    (rival,) = [each for each in happenings if each.id == "rival_ssanne"]
    assert rival.pays == PRIZE_OF_THE_RIVAL * rival.level


def test_both_squares_of_mr_fujis_house_are_in_one_region(model: Model) -> None:
    """The rescue ends on (3,7); the facts say (2,6), and the planner goes by regions."""
    house = Region(149, 0)
    assert (3, 7) in {join.at for join in ATLAS.joins[house]}
    assert [each for each in ATLAS.joins if each.map_id == house.map_id] == [house]
    (task,) = [each for each in model.story.tasks if each.id == "rescue_fuji"]
    assert {each.end for each in model.happening(task)} == {house}


@pytest.mark.skipif(not FACTS.is_dir(), reason="the facts of the game are missing")
def test_the_committed_world_matches_the_facts() -> None:
    assert world_text(FACTS) == COMMITTED.read_text(encoding="utf-8")
