"""What is remembered changes what is done: costs, how strong to be, and which way to take (E35, E38)."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from agent.app import Interrupt, Settings, outlook, play_run
from agent.capabilities import forage
from agent.capabilities.context import GameContext
from agent.capabilities.readiness import (
    DARED,
    PROVEN,
    READY,
    odds,
    remembered_strength,
    standing,
    strength,
    team_of,
)
from agent.errors import UsageError
from agent.experience.action_costs import MOST_REMEMBERED, RETRY_COST, ActionCosts
from agent.experience.choices import TaskChoices
from agent.experience.uses import (
    ENOUGH,
    EVERY_USE,
    SPREAD,
    ChosenWay,
    Experience,
    MemoryUse,
    found,
    spare,
)
from agent.planning.domain import Action, Effect, Goal, Require
from agent.planning.search import explain, plan
from emulator import Party, State
from emulator.profile import symbol
from emulator.world.residents import Opponent
from memory import (
    WAYPOINT,
    AgentMemory,
    Json,
    MistakeRecord,
    SuccessfulStrategy,
    as_json,
    milestones_of,
)
from tests.agent.demo import DEX, STORY, WORLD, free_in, kit, told
from tests.agent.lessons import EPISODIC, LATE, RUNS, teach
from tests.agent.support import Played, Watcher, game_at

GO = Action("go", (), (Effect("there", 1),), 2, "go there")
SWIM = Action("swim", (), (Effect("there", 1),), 9, "swim there")
(STARTER,) = (task for task in STORY.tasks if task.id == "take_starter")


def mistake(situation: dict[str, Json], times: int = 3, outcome: str = "") -> MistakeRecord:
    words = " ".join(str(each) for each in situation.values())
    return MistakeRecord(words, words, situation, outcome, "major", "", LATE, LATE, times)


def experience(memory: AgentMemory, uses: frozenset[MemoryUse] = EVERY_USE) -> Experience:
    return Experience(memory.recall, uses, EPISODIC)


def costs(
    memory: AgentMemory, place: str, failures: int = 0, *, uses: frozenset[MemoryUse] = EVERY_USE
) -> list[int]:
    prices = ActionCosts(experience(memory, uses), lambda _state: place)
    state = State.__new__(State)  # only its place is asked for
    return [
        each.cost for each in prices.today([GO, SWIM], {"go": failures} if failures else {}, state)
    ]


def test_e35_what_keeps_failing_in_a_place_costs_more_there_and_nowhere_else(
    memory: AgentMemory,
) -> None:
    memory.tactician.add_mistake(mistake({"location": "town", "action": "go"}))
    assert costs(memory, "town") == [GO.cost + 3 * RETRY_COST, SWIM.cost]
    assert costs(memory, "wood") == [GO.cost, SWIM.cost]
    assert costs(memory, "town", uses=EVERY_USE - {MemoryUse.COSTS}) == [GO.cost, SWIM.cost]


def test_e35_failures_seen_and_remembered_are_not_added_up_nor_endless(memory: AgentMemory) -> None:
    memory.tactician.add_mistake(mistake({"location": "town", "action": "go"}, times=99))
    assert costs(memory, "town", 1) == [GO.cost + MOST_REMEMBERED * RETRY_COST, SWIM.cost]
    assert costs(memory, "town", 9) == [GO.cost + 9 * RETRY_COST, SWIM.cost]


def test_e35_the_plan_goes_another_way_and_names_the_memory_that_moved_a_cost(
    memory: AgentMemory,
) -> None:
    prices = ActionCosts(experience(memory), lambda _state: "town")
    state = State.__new__(State)
    goal = Goal("there", (Require("there", at_least=1),), 1, "be there")
    before = plan(goal, {}, prices.today([GO, SWIM], {}, state))
    assert before is not None
    assert [each.name for each in before.actions] == ["go"]
    memory.tactician.add_mistake(mistake({"location": "town", "action": "go"}))
    heeding = ActionCosts(experience(memory), lambda _state: "town")
    after = plan(goal, {}, heeding.today([GO, SWIM], {}, state))
    assert after is not None
    assert [each.name for each in after.actions] == ["swim"]
    only = plan(goal, {}, heeding.today([GO], {}, state))
    assert only is not None
    assert "go there (cost 17; there 0 -> 1; remembered: town go)." in explain(only, {})


def test_e35_a_new_lesson_is_heeded_at_once(memory: AgentMemory) -> None:
    asked = experience(memory)
    memory.blackboard.subscribe("agent:play:ltm:*", asked.learnt)
    assert not asked.failing("town")
    memory.tactician.add_mistake(mistake({"location": "town", "action": "go"}))
    assert set(asked.failing("town")) == {"go"}


class Challenge(NamedTuple):
    """The team that won the badge, and whom it won it against."""

    state: State
    against: Opponent


@pytest.fixture(scope="module")
def challenge(played: Played) -> Challenge:
    task = next(each for each in STORY.tasks if each.sets.startswith("badge:") and each.against)
    assert task.against is not None
    with game_at(played.folder, lambda state: bool(state.player.badges)) as game:
        return Challenge(game.state, task.against)


def knowing(asked: Experience) -> GameContext:
    return kit(experience=asked, choices=TaskChoices(asked))


def defeat(state: State, against: Opponent, level: int) -> MistakeRecord:
    team = team_of(DEX, against)
    situation: dict[str, Json] = {
        "enemy_pokemon": ", ".join(dict.fromkeys(DEX.species(each.species).name for each in team)),
        "enemy_level": max(each.level for each in team),
        "player_pokemon": DEX.species(state.party[0].species).name,
        "player_level": level,
    }
    return mistake(situation, outcome=f"lost at level {level}")


def alone(state: State) -> Party:
    return Party(state.party.mons[:1])


def test_e35_who_lost_to_a_trainer_is_not_ready_for_him_before_it_has_grown(
    memory: AgentMemory, challenge: Challenge
) -> None:
    state, against = challenge
    party = alone(state)
    assert standing(knowing(experience(memory)), party, against).ready
    level = party[0].level
    memory.tactician.add_mistake(defeat(state, against, level))
    found = standing(knowing(experience(memory)), party, against)
    assert not found.ready
    assert found.held_back is not None
    grown = Party((replace(party[0], level=level + 1),))
    assert standing(knowing(experience(memory)), grown, against).ready
    without = experience(memory, EVERY_USE - {MemoryUse.STRENGTH})
    assert standing(knowing(without), party, against).ready


def win(state: State, against: Opponent, level: int, rate: float = 1.0) -> SuccessfulStrategy:
    lost = defeat(state, against, level).situation
    context = {name: lost[name] for name in ("enemy_level", "player_level")}
    own, enemies = str(lost["player_pokemon"]), str(lost["enemy_pokemon"])
    return SuccessfulStrategy("s", context, enemies, own, "", ("CUT",), rate, PROVEN, LATE, LATE)


def as_young_as_dared(state: State, against: Opponent) -> Party:
    """Return the first of the team alone, at the highest level at which the odds are not good yet."""
    first = state.party[0]
    for level in range(first.level, 1, -1):
        part = level / first.level
        stats = first.stats._replace(
            **{name: int(value * part) for name, value in first.stats._asdict().items()}
        )
        party = Party((replace(first, level=level, hp=stats.hp, stats=stats),))
        if odds(DEX, party, against) < READY:
            return party
    raise AssertionError


def test_e35_who_always_won_is_ready_again_a_level_younger_and_the_plan_says_why(
    memory: AgentMemory, challenge: Challenge
) -> None:
    state, against = challenge
    party = as_young_as_dared(state, against)
    assert DARED <= odds(DEX, party, against) < READY
    assert not standing(knowing(experience(memory)), party, against).ready
    memory.tactician.add_strategy(win(state, against, party[0].level + 1))
    found = standing(knowing(experience(memory)), party, against)
    assert found.ready
    assert "all of 3 times" in str(found.proof)
    without = experience(memory, EVERY_USE - {MemoryUse.WINS})
    assert not standing(knowing(without), party, against).ready

    memory.tactician.add_mistake(defeat(state, against, party[0].level))
    assert not standing(knowing(experience(memory)), party, against).ready


@pytest.mark.parametrize(("above", "rate"), [(2, 1.0), (1, 0.9)])
def test_e35_wins_of_the_older_or_not_always_are_no_proof(
    memory: AgentMemory, challenge: Challenge, above: int, rate: float
) -> None:
    state, against = challenge
    party = as_young_as_dared(state, against)
    memory.tactician.add_strategy(win(state, against, party[0].level + above, rate))
    assert not standing(knowing(experience(memory)), party, against).ready


def test_e35_a_defeat_against_another_team_says_nothing_of_this_one(
    memory: AgentMemory, challenge: Challenge
) -> None:
    state, against = challenge
    lost = defeat(state, against, level=99)
    memory.tactician.add_mistake(replace(lost, situation={**lost.situation, "enemy_level": 1}))
    assert standing(knowing(experience(memory)), alone(state), against).ready
    memory.tactician.add_mistake(replace(lost, situation={**lost.situation, "enemy_pokemon": "?"}))
    assert standing(knowing(experience(memory)), alone(state), against).ready


def waypoint(memory: AgentMemory, way: int, ticks: int, milestone: str = "rival") -> None:
    data: dict[str, Json] = {
        "run": f"run {next(RUNS)}",
        "milestone": milestone,
        "tick": ticks,
        "turns": 5,
        "battles": 1,
        "lost": 0,
    }
    memory.blackboard.write(
        EPISODIC, WAYPOINT, {**data, "choices": {STARTER.id: way}}, tick=ticks, game_s=1.0
    )


def best(memory: AgentMemory, drawn: int, uses: frozenset[MemoryUse] = EVERY_USE) -> ChosenWay:
    return experience(memory, uses).best_way(STARTER.id, STARTER.interaction.people, drawn)


def several(memory: AgentMemory, took: Mapping[int, int], times: int = SPREAD) -> None:
    for way, ticks in took.items():
        for luck in range(times):
            waypoint(memory, way, ticks + 5 * luck)


def test_e38_a_way_that_clearly_took_longer_is_not_taken_again(memory: AgentMemory) -> None:
    long, other, short = STARTER.interaction.people
    several(memory, {long: 900, other: 800, short: 700})
    verdict = best(memory, long)
    assert verdict.way == short
    assert verdict.why == "this way took 705 ticks to rival (x3), the one drawn 905"
    assert best(memory, long, EVERY_USE - {MemoryUse.CHOICES}) == (long, "")


def test_e38_ways_that_cannot_be_told_apart_are_left_to_the_lot(memory: AgentMemory) -> None:
    first, second, _ = STARTER.interaction.people
    assert best(memory, first) == (first, "")
    several(memory, {first: 706, second: 700})
    assert best(memory, first) == (first, "")
    assert best(memory, second) == (second, "")


@pytest.mark.parametrize("times", [1, SPREAD - 1])
def test_e38_luck_is_not_taken_for_a_way(memory: AgentMemory, times: int) -> None:
    first, second, third = STARTER.interaction.people
    several(memory, {first: 900, second: 700}, times)
    assert best(memory, first) == (first, "")
    assert best(memory, third) == (third, "")  # nobody has tried it


def test_e38_ways_are_compared_where_all_of_them_led(memory: AgentMemory) -> None:
    first, second, third = STARTER.interaction.people
    several(memory, {first: 900, second: 800, third: 700})
    waypoint(memory, third, 9_999, "badge")  # nobody else got that far
    assert best(memory, first).way == third


def test_a_journey_is_one_entry_that_knows_every_milestone(memory: AgentMemory) -> None:
    for milestone, tick in (("starter", 100), ("rival", 160), ("rival", 160)):
        data: dict[str, Json] = {"run": "run-7", "choices": {STARTER.id: 3}, "turns": tick // 20}
        reached: dict[str, Json] = {"milestone": milestone, "tick": tick, "battles": 1, "lost": 0}
        memory.blackboard.write(EPISODIC, WAYPOINT, data | reached, tick=tick, game_s=1.0)
    (entry,) = memory.blackboard.entries(EPISODIC, kind=WAYPOINT)
    assert {name: taken["tick"] for name, taken in milestones_of(entry.data).items()} == {
        "starter": 100,
        "rival": 160,
    }


def test_e35_what_an_earlier_run_learnt_costs_in_the_next_and_the_plan_says_so(
    tmp_path: Path,
) -> None:
    known = mistake({"location": "before the game", "action": "boot"})
    memory = teach(tmp_path / "memory.sqlite", [("mistake", dict(as_json(known)))])
    for without, cost in (((), 2 + 3 * RETRY_COST), ((MemoryUse.COSTS,), 2)):
        run = tmp_path / f"run{cost}"
        play_run(Settings(ticks=1, run=run, memory=memory, without=without), Watcher(), Interrupt())
        planned = outlook(None, run).plan
        assert planned is not None
        assert f"(cost {cost};" in planned
        assert ("remembered: before the game boot" in planned) == (not without)


def test_uses_that_were_switched_off_cannot_come_back_on_resuming(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        Settings(resume=tmp_path, without=(MemoryUse.COSTS,))


def test_a_strength_that_is_remembered_is_that_of_the_team_asked_about(played: Played) -> None:
    with game_at(played.folder, lambda state: bool(state.party.mons)) as game:
        team = game.state.party
    grown = Party(tuple(replace(mon, level=mon.level + 1) for mon in team.mons))
    asked = remembered_strength()
    assert [asked(each) for each in (team, team, grown, Party(()), team)] == [
        strength(each) for each in (team, team, grown, Party(()), team)
    ]


WOOD, POTION, ANTIDOTE = 51, 20, 11  # both kinds lie in the wood


@pytest.fixture(scope="module")
def in_the_wood(played: Played) -> State:
    with game_at(played.folder, free_in(WOOD)) as game:
        return game.state


def journey(memory: AgentMemory, name: str, left: dict[str, Json], found: dict[str, Json]) -> None:
    taken: dict[str, Json] = {"tick": 900, "turns": 9, "battles": 3, "lost": 0, "choices": {}}
    data: dict[str, Json] = {"run": name, "milestone": "badge", "left": left, "found": found}
    memory.blackboard.write(EPISODIC, WAYPOINT, {**taken, **data}, tick=900, game_s=1.0)


def journeys(memory: AgentMemory, *potions: int, found: int = 2) -> None:
    for number, left in enumerate(potions):
        journey(memory, f"run-{number}", {str(POTION): left}, {str(POTION): found})


def lying(memory: AgentMemory, state: State, uses: frozenset[MemoryUse] = EVERY_USE) -> int:
    return told(forage.capability(kit(experience=experience(memory, uses))), state)[forage.LEFT]


def test_e35_what_every_run_had_left_over_is_left_lying(
    memory: AgentMemory, in_the_wood: State
) -> None:
    assert lying(memory, in_the_wood) == 2
    journeys(memory, 5, 3, 4)
    assert lying(memory, in_the_wood) == 1  # the antidote
    assert lying(memory, in_the_wood, EVERY_USE - {MemoryUse.THINGS}) == 2


@pytest.mark.parametrize("left", [(5, 2, 4), (5, 4)])
def test_e35_what_one_run_would_have_missed_or_few_tell_of_is_picked_up(
    memory: AgentMemory, in_the_wood: State, left: tuple[int, ...]
) -> None:
    assert len(left) < ENOUGH or min(left) <= 2  # the two of them that were found
    journeys(memory, *left)
    assert lying(memory, in_the_wood) == 2


def test_why_it_is_left_lying_is_told_and_counted_once(
    memory: AgentMemory, in_the_wood: State
) -> None:
    journeys(memory, 5, 3, 4)
    asked = experience(memory)
    foraging = forage.capability(kit(experience=asked))
    for frame in (1, 2):
        told(foraging, replace(in_the_wood, frame=frame))
    assert asked.moved[MemoryUse.THINGS] == 1
    ((about, why),) = asked.told.items()
    assert about == "HONEY DROP in the wood"
    assert why == "1 and more were left over in all of 3 runs"


def test_what_was_picked_up_shows_in_the_flags_that_hide_it(played: Played) -> None:
    with game_at(played.folder, free_in(WOOD)) as game:
        assert not found(WORLD, game.state).get(ANTIDOTE)
        (flag,) = (
            toggle.flag
            for toggle in WORLD.map(WOOD).header.toggles
            for person in WORLD.map(WOOD).people
            if person.slot == toggle.slot and person.item == ANTIDOTE
        )
        address = symbol("wToggleableObjectFlags") + flag // 8
        game.poke({address: game.state.flags.hidden[flag // 8] | 1 << flag % 8})
        assert found(WORLD, game.state)[ANTIDOTE] == 1


def test_nothing_is_to_spare_where_nobody_told_of_it(memory: AgentMemory) -> None:
    assert spare(memory.blackboard.entries(EPISODIC, kind=WAYPOINT)) == {}
