"""Memory changes decisions: costs, required strength, and choices (E35, E38)."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from agent.app import Interrupt, Settings, outlook, play_run
from agent.battle.odds import Foes, chance_to_beat, remembered_strength, rested, strength
from agent.capabilities import forage
from agent.capabilities.context import GameContext
from agent.capabilities.readiness import (
    READY,
    Defeats,
    depends_on_sureness,
    readiness,
    readiness_of,
)
from agent.capabilities.travel import at, only_places
from agent.experience.action_costs import MOST_REMEMBERED, RETRY_COST, ActionCosts
from agent.experience.choices import Choice, GameChoices, sureness
from agent.experience.memory_use import EVERY_USE, MemoryUse
from agent.experience.run_times import SPREAD, ChosenWay, WayVerdict
from agent.experience.uses import ENOUGH, Experience, found, unneeded
from agent.planning.domain import Action, Effect, Goal, Require
from agent.planning.search import explain, plan
from agent.story.opponents import teams_of
from emulator import Party, State
from emulator.profile import symbol
from emulator.ram.player import Bag
from memory import (
    MILESTONE_TIME,
    AgentMemory,
    Json,
    MistakeRecord,
    SuccessfulStrategy,
    as_json,
    milestones_of,
)
from tests.agent.demo import DEX, STORY, WORLD, free_in, game_context, sensed_facts
from tests.agent.lessons import EPISODIC, LATE, RUNS, run_at, teach
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
    state = State.__new__(State)  # only its place is read
    return [
        each.cost
        for each in prices.current_costs([GO, SWIM], {"go": failures} if failures else {}, state)
    ]


def test_e35_a_repeated_failure_in_a_place_raises_the_cost_only_there(memory: AgentMemory) -> None:
    memory.tactician.add_mistake(mistake({"location": "town", "action": "go"}))
    assert costs(memory, "town") == [GO.cost + 3 * RETRY_COST, SWIM.cost]
    assert costs(memory, "wood") == [GO.cost, SWIM.cost]
    assert costs(memory, "town", uses=EVERY_USE - {MemoryUse.COSTS}) == [GO.cost, SWIM.cost]


def test_e35_an_action_of_one_place_that_kept_failing_costs_more_wherever_one_is(
    memory: AgentMemory,
) -> None:
    memory.tactician.add_mistake(mistake({"location": "town", "action": "go"}))
    prices = ActionCosts(
        experience(memory), lambda _state: "wood", lambda action: "town" if action is GO else ""
    )
    costs = [each.cost for each in prices.current_costs([GO, SWIM], {}, State.__new__(State))]
    assert costs == [GO.cost + 3 * RETRY_COST, SWIM.cost]


def test_an_action_is_done_in_the_place_that_it_requires_only() -> None:
    only_place, place = only_places(STORY), STORY.places[0]
    there = replace(GO, name="there", requires=(Require(at(place.name), at_least=1),))
    assert only_place(there) == place.called
    assert only_place(GO) == ""


def test_e35_remembered_failures_are_limited_and_not_added_to_seen(memory: AgentMemory) -> None:
    memory.tactician.add_mistake(mistake({"location": "town", "action": "go"}, times=99))
    assert costs(memory, "town", 1) == [GO.cost + MOST_REMEMBERED * RETRY_COST, SWIM.cost]
    assert costs(memory, "town", 9) == [GO.cost + 9 * RETRY_COST, SWIM.cost]


def test_e35_the_plan_changes_and_names_the_memory_behind_a_cost(memory: AgentMemory) -> None:
    prices = ActionCosts(experience(memory), lambda _state: "town")
    state = State.__new__(State)
    goal = Goal("there", (Require("there", at_least=1),), 1, "be there")
    before = plan(goal, {}, prices.current_costs([GO, SWIM], {}, state))
    assert before is not None
    assert [each.name for each in before.actions] == ["go"]
    memory.tactician.add_mistake(mistake({"location": "town", "action": "go"}))
    with_memory = ActionCosts(experience(memory), lambda _state: "town")
    after = plan(goal, {}, with_memory.current_costs([GO, SWIM], {}, state))
    assert after is not None
    assert [each.name for each in after.actions] == ["swim"]
    only = plan(goal, {}, with_memory.current_costs([GO], {}, state))
    assert only is not None
    assert "go there (cost 17; there 0 -> 1; remembered: town go)." in explain(only, {})


def test_e35_a_new_lesson_is_used_at_once(memory: AgentMemory) -> None:
    asked = experience(memory)
    memory.blackboard.subscribe("agent:play:ltm:*", asked.long_term_changed)
    assert not asked.failing("town")
    memory.tactician.add_mistake(mistake({"location": "town", "action": "go"}))
    assert set(asked.failing("town")) == {"go"}


class Challenge(NamedTuple):
    """The state in which the team won the badge, and the leader it beat."""

    state: State
    against: Foes


@pytest.fixture(scope="module")
def challenge(played: Played) -> Challenge:
    task = next(each for each in STORY.tasks if each.sets.startswith("badge:") and each.against)
    (team,) = teams_of(STORY, DEX, task)
    with game_at(played.folder, lambda state: bool(state.player.badges)) as game:
        return Challenge(game.state, team)


def context_of(asked: Experience) -> GameContext:
    return game_context(experience=asked, choices=GameChoices(asked))


def defeat(state: State, against: Foes, level: int, times: int = 1) -> MistakeRecord:
    situation: dict[str, Json] = {
        "enemy_pokemon": ", ".join(
            dict.fromkeys(DEX.species(each.species).name for each in against)
        ),
        "enemy_level": max(each.level for each in against),
        "player_pokemon": DEX.species(state.party[0].species).name,
        "player_level": level,
        "lost_at": {str(level): times},
    }
    found = mistake(situation, times, f"lost at level {level}")
    return replace(found, mistake_id=str(situation["enemy_pokemon"]))


def alone(state: State) -> Party:
    return Party(state.party.mons[:1])


def test_e35_after_many_defeats_at_its_level_a_team_is_ready_only_at_a_higher_one(
    memory: AgentMemory, challenge: Challenge
) -> None:
    state, against = challenge
    party = alone(state)
    assert readiness_of(context_of(experience(memory)), party, against).ready
    level = party[0].level
    for lost_at, times, is_ready in ((level - 1, 30, True), (level, 1, True), (level, 29, False)):
        memory.tactician.add_mistake(defeat(state, against, lost_at, times))
        found = readiness_of(context_of(experience(memory)), party, against)
        assert found.ready is is_ready
        assert (found.held_back is None) is is_ready
    grown = Party((replace(party[0], level=level + 1),))
    assert readiness_of(context_of(experience(memory)), grown, against).ready
    without = experience(memory, EVERY_USE - {MemoryUse.STRENGTH})
    assert readiness_of(context_of(without), party, against).ready


def win(state: State, against: Foes, level: int) -> SuccessfulStrategy:
    lost = defeat(state, against, level).situation
    context = {name: lost[name] for name in ("enemy_level", "player_level")}
    own, enemies = str(lost["player_pokemon"]), str(lost["enemy_pokemon"])
    return SuccessfulStrategy("s", context, enemies, own, "", ("CUT",), 1.0, 3, LATE, LATE)


@pytest.mark.parametrize(
    ("won", "enough", "is_ready"), [(0, 0.75, False), (60, 0.75, True), (60, 0.9, False)]
)
def test_many_defeats_count_beside_the_battles_won(
    memory: AgentMemory, challenge: Challenge, won: int, enough: float, *, is_ready: bool
) -> None:
    state, against = challenge
    party = alone(state)
    lost = defeat(state, against, party[0].level, 40)
    memory.tactician.add_mistake(lost)
    if won:
        known = replace(win(state, against, party[0].level), total_uses=won)
        memory.tactician.add_strategy(known)
    asked = context_of(experience(memory))
    found = readiness_of(asked, party, against, enough=enough)
    assert found.ready is is_ready
    assert (found.held_back is None) is is_ready


def test_battles_fought_never_raise_the_odds(challenge: Challenge) -> None:
    lost = defeat(*challenge, challenge.state.party[0].level)
    assert Defeats((lost,), 1, won=40).corrected(0.2) == 0.2
    assert Defeats((lost,), 1).corrected(0.2) < 0.2


def almost_ready(state: State, against: Foes) -> Party:
    """Return the first member alone and rested, with the highest part of its stats at which the odds are not good yet."""
    first = state.party[0]
    for percent in range(100, 1, -1):
        stats = first.stats._replace(
            **{name: value * percent // 100 for name, value in first.stats._asdict().items()}
        )
        party = rested(DEX, Party((replace(first, hp=stats.hp, stats=stats),)))
        if chance_to_beat(DEX, party, against) < READY:
            return party
    raise AssertionError


def test_e35_a_defeat_against_another_team_does_not_count(
    memory: AgentMemory, challenge: Challenge
) -> None:
    state, against = challenge
    lost = defeat(state, against, level=99)
    memory.tactician.add_mistake(replace(lost, situation={**lost.situation, "enemy_level": 1}))
    assert readiness_of(context_of(experience(memory)), alone(state), against).ready
    memory.tactician.add_mistake(replace(lost, situation={**lost.situation, "enemy_pokemon": "?"}))
    assert readiness_of(context_of(experience(memory)), alone(state), against).ready


def test_how_sure_a_team_must_be_is_a_choice_of_the_game(challenge: Challenge) -> None:
    player = replace(challenge.state.player, badges=())
    state = replace(challenge.state, party=almost_ready(*challenge), bag=Bag(()), player=player)
    task = next(each for each in STORY.tasks if each.sets.startswith("badge:") and each.against)
    game = context_of(Experience())
    for percent, is_ready in ((50, True), (90, False)):
        game.choices.made[sureness(task).id] = percent
        assert readiness(game, state, task).ready is is_ready
    assert depends_on_sureness(game, state, task)
    assert not depends_on_sureness(game, challenge.state, task)


def test_a_choice_is_drawn_from_the_seed_and_kept() -> None:
    choice = Choice("odds", "how sure to be", {50: "even", 90: "sure"})
    drawn = {GameChoices().way(choice, Random(seed)) for seed in range(20)}
    assert drawn == {50, 90}
    choices = GameChoices()
    way = choices.way(choice, Random(1))
    assert {choices.way(choice, Random(seed)) for seed in range(20)} == {way}
    resumed = GameChoices()
    resumed.restore(choices.to_json())
    assert {resumed.way(choice, Random(seed)) for seed in range(20)} == {way}


def test_advice_is_requested_once_when_a_choice_matters(memory: AgentMemory) -> None:
    asked: list[str] = []

    def advise(
        label: str, ways: Mapping[int, str], known: Mapping[int, WayVerdict], taken: int
    ) -> int:
        asked.append(label)
        assert (ways, known, taken) == (choice.ways, {}, 50)
        return 90

    choice = Choice("odds", "how sure to be", {50: "even", 90: "sure"})
    choices = GameChoices(experience(memory), advise)
    luck = next(seed for seed in range(9) if GameChoices().way(choice, Random(seed)) == 50)
    choices.way(choice, Random(luck))
    assert not choices.settle_due()
    for is_first in (True, False):
        choices.matters(choice)
        assert choices.settle_due() is is_first
    assert (asked, choices.made, choices.changes) == (["how sure to be"], {"odds": 90}, 1)


def test_only_choices_that_made_a_difference_are_remembered() -> None:
    choices, luck = GameChoices(), Random(1)
    early, late = (Choice(name, name, {1: "one", 2: "other"}) for name in ("early", "late"))
    ways = [choices.way(each, luck) for each in (early, late)]
    choices.matters(early)
    resumed = GameChoices()
    resumed.restore(choices.to_json())
    assert choices.decisive() == resumed.decisive() == {"early": ways[0]}


def reach(memory: AgentMemory, milestone: str, tick: int, **more: Json) -> None:
    """Record that a game reached a milestone: a new one unless `run` names it."""
    data = run_at(milestone, tick, **{"run": f"run {next(RUNS)}", **more})
    memory.blackboard.write(EPISODIC, MILESTONE_TIME, data, tick=tick, game_s=1.0)


def best(
    memory: AgentMemory, drawn: int, uses: frozenset[MemoryUse] = EVERY_USE, luck: int = 0
) -> ChosenWay:
    ways = STARTER.interaction.people
    return experience(memory, uses).best_way(STARTER.id, ways, drawn, Random(luck))


def shares(memory: AgentMemory, times: int = 400) -> list[float]:
    """Return how often each way is taken, over so many runs."""
    asked, ways = experience(memory), STARTER.interaction.people
    taken = Counter(
        asked.best_way(STARTER.id, ways, ways[0], Random(luck)).way for luck in range(times)
    )
    return [taken[way] / times for way in ways]


def record_runs(memory: AgentMemory, took: Mapping[int, int], times: int = SPREAD) -> None:
    for way, ticks in took.items():
        for luck in range(times):
            reach(memory, "rival", ticks + 5 * luck, choices={STARTER.id: way})


def test_e38_a_slower_choice_is_hardly_made_again(memory: AgentMemory) -> None:
    long, other, short = STARTER.interaction.people
    assert best(memory, long) == (long, "")
    record_runs(memory, {long: 1_500, other: 1_100, short: 700})
    assert shares(memory)[2] > 0.95
    chosen = best(memory, long)
    assert chosen.way == short
    assert chosen.why == "this way took 705 weighed ticks to rival (x3), the one drawn 1505"
    assert best(memory, long, EVERY_USE - {MemoryUse.CHOICES}) == (long, "")


def test_e38_equal_choices_go_on_being_tried(memory: AgentMemory) -> None:
    first, second, third = STARTER.interaction.people
    record_runs(memory, {first: 706, second: 700, third: 703})
    assert min(shares(memory)) > 0.2


def test_e38_what_was_never_tried_is_tried(memory: AgentMemory) -> None:
    first, second, third = STARTER.interaction.people
    record_runs(memory, {first: 900, second: 700}, 20)
    taken = shares(memory)
    assert taken[0] < 0.05
    assert taken[1] > taken[2] > 0.05
    found = next(
        each for luck in range(99) if (each := best(memory, first, luck=luck)).way == third
    )
    assert found.why.startswith("this way is not tried, the one drawn 9")


def test_e38_choices_are_compared_at_a_milestone_that_all_reached(memory: AgentMemory) -> None:
    first, second, third = STARTER.interaction.people
    record_runs(memory, {first: 1_500, second: 1_100, third: 700})
    reach(memory, "badge", 9_999, choices={STARTER.id: third})  # the others did not get that far
    assert shares(memory)[2] > 0.9


def reach_milestones(memory: AgentMemory, way: int, ticks: Mapping[str, int], since: str) -> None:
    """Record a game in which a choice first mattered after `since`."""
    run = f"run {next(RUNS)}"
    for milestone, tick in ticks.items():
        made: Json = {STARTER.id: way} if tick > ticks[since] else {}
        reach(memory, milestone, tick, run=run, choices=made)


def test_what_came_before_a_choice_mattered_does_not_count(memory: AgentMemory) -> None:
    first, second, _ = STARTER.interaction.people
    for way, start, took in ((first, 900, 200), (second, 100, 300), (first, 500, 210)):
        ticks = {"parcel": start - 50, "rival": start, "badge": start + took}
        reach_milestones(memory, way, ticks, "rival")
    known = experience(memory).verdicts(STARTER.id, (first, second))
    words = "ticks from rival to badge (later ones count less)"
    assert known[first].words == f"205 {words}, 2 games: too few to tell"
    assert known[second].words == f"300 {words}, 1 game: too few to tell"


def test_what_the_other_choices_of_a_run_explain_does_not_count(memory: AgentMemory) -> None:
    first, second, _ = STARTER.interaction.people
    # Shopping far costs 400 ticks, and most games with the better starter did so.
    for way, far, times in ((first, 2, 12), (first, 1, 3), (second, 2, 3), (second, 1, 12)):
        for each in range(times):
            ticks = 1_000 + 100 * (way == second) + 400 * (far == 2) + each
            reach(memory, "rival", ticks, choices={STARTER.id: way, "shopping": far})
    asked = experience(memory)
    taken = [
        asked.best_way(STARTER.id, (first, second), second, Random(luck)).way for luck in range(40)
    ]
    assert taken.count(first) > 30
    known = asked.verdicts(STARTER.id, (first, second))
    assert known[second].is_worse
    # In words too: the plain means are 1,325 against 1,185.
    words = "1,215 ticks to rival (later ones count less), 15 games: clearly the shortest"
    assert known[first].words == words
    assert known[second].words.endswith("15 games: clearly longer")


def test_what_follows_long_after_a_choice_counts_less(memory: AgentMemory) -> None:
    first, second, _ = STARTER.interaction.people
    for each in range(9):
        soon = {"rival": 100, "badge": 400 + each, "island": 3_600, "end": 5_600 + each}
        late = {"rival": 100, "badge": 700 + each, "island": 3_900, "end": 5_300 + each}
        reach_milestones(memory, first, soon, "rival")
        reach_milestones(memory, second, late, "rival")
    asked = experience(memory)
    taken = [
        asked.best_way(STARTER.id, (first, second), second, Random(luck)) for luck in range(40)
    ]
    assert [each.way for each in taken].count(first) > 30
    known = asked.verdicts(STARTER.id, (first, second))
    assert known[first].words == (
        "3,174 ticks from rival to end (later ones count less), 9 games: clearly the shortest"
    )


def test_a_run_is_one_entry_with_all_its_milestones(memory: AgentMemory) -> None:
    for milestone, tick in (("starter", 100), ("rival", 160), ("rival", 160)):
        reach(memory, milestone, tick, run="run-7", choices={STARTER.id: 3})
    (entry,) = memory.blackboard.entries(EPISODIC, kind=MILESTONE_TIME)
    assert {name: taken["tick"] for name, taken in milestones_of(entry.data).items()} == {
        "starter": 100,
        "rival": 160,
    }


def test_e35_a_lesson_of_an_earlier_run_raises_a_cost_and_the_plan_says_so(tmp_path: Path) -> None:
    known = mistake({"location": "before the game", "action": "boot"})
    memory = teach(tmp_path / "memory.sqlite", [("mistake", dict(as_json(known)))])
    for without, cost in (((), 2 + 3 * RETRY_COST), ((MemoryUse.COSTS,), 2)):
        run = tmp_path / f"run{cost}"
        play_run(Settings(ticks=1, run=run, memory=memory, without=without), Watcher(), Interrupt())
        planned = outlook(None, run).plan
        assert planned is not None
        assert f"(cost {cost};" in planned
        assert ("remembered: before the game boot" in planned) == (not without)


def test_the_cached_strength_is_that_of_the_given_team(played: Played) -> None:
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


def record_leftovers(memory: AgentMemory, *potions: int, found: int = 2) -> None:
    name = DEX.item_name(POTION)
    for left in potions:
        reach(memory, "badge", 900, left={name: left}, found={name: found})


def items(memory: AgentMemory, state: State, uses: frozenset[MemoryUse] = EVERY_USE) -> int:
    return sensed_facts(
        forage.capability(game_context(experience=experience(memory, uses))), state
    )[forage.ITEMS]


def test_e35_an_item_that_every_run_had_left_over_is_not_picked_up(
    memory: AgentMemory, in_the_wood: State
) -> None:
    assert items(memory, in_the_wood) == 2
    record_leftovers(memory, 5, 3, 4)
    assert items(memory, in_the_wood) == 1  # the antidote
    assert items(memory, in_the_wood, EVERY_USE - {MemoryUse.THINGS}) == 2


@pytest.mark.parametrize("left", [(5, 2, 4), (5, 4)])
def test_e35_an_item_that_a_run_needed_or_few_runs_report_is_picked_up(
    memory: AgentMemory, in_the_wood: State, left: tuple[int, ...]
) -> None:
    assert len(left) < ENOUGH or min(left) <= 2  # of which two were picked up
    record_leftovers(memory, *left)
    assert items(memory, in_the_wood) == 2


def test_the_reason_for_leaving_an_item_is_recorded_and_counted_once(
    memory: AgentMemory, in_the_wood: State
) -> None:
    record_leftovers(memory, 5, 3, 4)
    asked = experience(memory)
    foraging = forage.capability(game_context(experience=asked))
    for frame in (1, 2):
        sensed_facts(foraging, replace(in_the_wood, frame=frame))
    assert asked.moved[MemoryUse.THINGS] == 1
    ((about, why),) = asked.influences.items()
    assert about == "HONEY DROP in the wood"
    assert why == "1 and more were left over in 3 of 3 runs"


def test_items_picked_up_are_counted_from_the_hide_flags(played: Played) -> None:
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


def test_without_reports_no_item_is_to_spare(memory: AgentMemory) -> None:
    assert unneeded(memory.blackboard.entries(EPISODIC, kind=MILESTONE_TIME)) == {}
