"""Stuck play is detected by repetition, and recovery escalates: replan, leave the map, restore, give up."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from agent.capabilities.capability import BoundAction, Capability, Reflex, Sensor
from agent.capabilities.unstuck import Inquiry
from agent.errors import Stuck, StuckReason
from agent.events import StuckEpisode
from agent.mind.mind import Mind
from agent.mind.progress import LOST, PATIENCE, QUIET, ProgressMonitor
from agent.mind.recovery import COOL_DOWN, MOST_RESTORES, EpisodeReport, StuckRecovery
from agent.perception.percept import Percept
from agent.planning.domain import Action, Effect, Goal, Require
from agent.skills import Outcome, Skill, wait
from emulator import State
from emulator.ram.player import Stack
from memory import Call, Hooks, Json, Recall
from tests.agent.support import ends

GO = Action("go", (), (Effect("there", 1),), 3, "go there")
SWIM = Action("swim", (), (Effect("there", 1),), 90, "swim there")
LEAVE = Action("leave_map", (), (), 1, "leave")
ASK = Action("ask_around", (), (), 1, "ask")
THERE = Goal("there", (Require("there", at_least=1),), 10, "be there")


NO_USE = ends(Outcome.BLOCKED, 10)


@dataclass
class StuckWorld:
    """A mind for which nothing new happens until the test allows it."""

    percept: Percept
    go: Callable[[State], Skill] = NO_USE
    ways: tuple[Action, ...] = (GO,)
    reported: list[StuckEpisode] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    alarm: bool = False
    unasked: int = 0  # people on the map
    done: list[dict[str, str]] = field(default_factory=list)

    def recent_outcomes(self) -> list[dict[str, str]]:
        """Return the last ten actions."""
        return self.done[-10:]

    def __post_init__(self) -> None:
        self.mind = self.new_mind()

    def new_mind(self) -> Mind:
        def read(_percept: Percept, _recall: Recall) -> Mapping[str, int]:
            return {"there": 0, "in_battle": 0}

        hooks = Hooks()
        hooks.after(EpisodeReport, self._note)
        alarm = Reflex("alarm", lambda _percept: self.alarm, wait(1), "it rings")
        world = Capability(
            name="world",
            sensors=(Sensor(frozenset({"there", "in_battle"}), read),),
            actions=tuple(BoundAction(way, self.go) for way in self.ways),
            goals=(THERE,),
            reflexes=(alarm,),
        )
        asking = Inquiry(BoundAction(ASK, self._ask), lambda _state: self.unasked > 0)
        recovery = StuckRecovery(ProgressMonitor(), 1, BoundAction(LEAVE, NO_USE), asking)
        return Mind((world,), cast("Recall", self), hooks, recovery)

    def _ask(self, _state: State) -> Skill:
        self.unasked -= 1
        yield wait(1)
        return Outcome.DONE

    def _note(self, _call: Call, reported: EpisodeReport) -> None:
        self.reported.append(reported.episode)

    def tick(self) -> str:
        self.percept = replace(self.percept, tick=self.percept.tick + 1)
        facts = self.mind.sense(self.percept)
        intent = self.mind.decide(self.percept, facts)
        outcome = intent.skill_run.resume(self.percept.state)
        self.mind.learn(intent, facts, outcome)
        if outcome is not Outcome.RUNNING:
            self.done.append({"action": intent.name})
        self.names.append(intent.name)
        return intent.name

    def until(self, name: str, within: int = 5_000) -> None:
        for _ in range(within):
            if self.tick() == name:
                return
        raise AssertionError("the action never begins")

    def until_stuck(self, within: int = 8_000) -> Stuck:
        try:
            for _ in range(within):
                self.tick()
        except Stuck as stuck:
            return stuck
        raise AssertionError("it never gets stuck")

    def grow(self) -> None:
        """Raise the team to a level that it never had before."""
        self.percept = richer(self.percept, levels=1)

    def restart(self, checkpoint: dict[str, Json], tick: int) -> None:
        """Go on at a checkpoint, as after getting stuck."""
        died, self.mind = self.mind.to_json(), self.new_mind()
        self.mind.restore(checkpoint)
        self.mind.resume_after_restore(died, tick)
        self.percept = replace(self.percept, tick=tick)

    def saved(self) -> Any:  # noqa: ANN401 -- JSON
        return self.mind.to_json()["recovery"]


def test_an_action_that_keeps_failing_cools_down(percept: Percept) -> None:
    world = StuckWorld(percept, ways=(GO, SWIM))
    world.until("swim")
    assert world.saved()["episode"]["reason"] == StuckReason.REPEATED_FAILURE.value
    world.names.clear()
    for _ in range(COOL_DOWN - 20):
        world.tick()
    assert set(world.names) == {"swim", "wait"} or set(world.names) == {"swim"}


@pytest.mark.parametrize(
    ("ways", "unasked", "helps", "recovery_steps"),
    [
        ((GO, SWIM), 0, "swim", ("replan",)),
        ((GO,), 0, "leave_map", ("replan", "leave_map")),
        ((GO,), 2, "ask_around", ("replan", "ask_around")),
        ((GO,), 2, "leave_map", ("replan", "ask_around", "leave_map")),
    ],
)
def test_recovery_steps_are_taken_in_order_and_the_last_one_is_reported_as_the_solution(
    percept: Percept,
    ways: tuple[Action, ...],
    unasked: int,
    helps: str,
    recovery_steps: tuple[str, ...],
) -> None:
    world = StuckWorld(percept, ways=ways, unasked=unasked)
    world.until(helps)
    world.grow()
    world.tick()
    (episode,) = world.reported
    assert (episode.solved_by, episode.over, episode.recovery_steps) == (
        recovery_steps[-1],
        True,
        recovery_steps,
    )
    assert episode.tried[0] == "go"
    assert world.names.count("ask_around") <= unasked
    assert helps != "leave_map" or world.names.count("ask_around") == unasked
    assert world.saved()["episode"] is None


@pytest.mark.parametrize("go", [ends(Outcome.INTERRUPTED), ends(Outcome.DONE, 10)])
def test_interrupted_and_ineffective_actions_count_as_failures(
    percept: Percept, go: Callable[[State], Skill]
) -> None:
    world = StuckWorld(percept, go=go)
    world.until("leave_map")
    assert world.saved()["episode"]["reason"] == StuckReason.REPEATED_FAILURE.value


def test_a_reflex_that_keeps_cancelling_an_action_is_detected(percept: Percept) -> None:
    world = StuckWorld(percept)
    for _ in range(60):
        world.alarm = False
        for _ in range(5):
            world.tick()
        world.alarm = True
        world.tick()
        if world.saved()["episode"] is not None:
            break
    assert world.saved()["episode"]["reason"] == StuckReason.REFLEX_LOOP.value
    assert world.saved()["cooling"].keys() == {"go"}


def test_a_restore_is_requested_when_other_steps_fail(percept: Percept) -> None:
    stuck = StuckWorld(percept).until_stuck()
    assert (stuck.may_restore, stuck.reason) == (True, StuckReason.REPEATED_FAILURE)
    assert "go there" in stuck.last or "leave" in stuck.last
    assert stuck.where.startswith(f"map {percept.place.map_id} ")


def test_a_restore_keeps_cool_downs_and_waits_a_different_time(percept: Percept) -> None:
    world = StuckWorld(percept)
    before = world.mind.to_json()
    world.until_stuck()
    world.restart(before, 10)
    saved = world.saved()
    assert saved["restores"] == 1
    assert saved["cooling"].keys() == {"go"}
    assert all(10 < until < 1_000 for until in saved["cooling"].values())
    assert saved["pause"] > 0
    assert world.tick() == "wait"
    assert world.saved()["pause"] == 0
    (reported,) = world.reported  # for the abandoned branch
    assert (reported.over, reported.solved_by, reported.recovery_steps[-1]) == (
        False,
        None,
        "restore",
    )


def test_recovery_gives_up_in_the_end(percept: Percept) -> None:
    world = StuckWorld(percept)
    before = world.mind.to_json()
    lives = 0
    while (stuck := world.until_stuck()).may_restore:
        lives += 1
        world.restart(before, 0)
    assert 0 < lives <= MOST_RESTORES
    assert world.reported[-1].recovery_steps[-1] == "give_up"
    assert world.reported[-1].over
    assert not stuck.may_restore


def test_an_episode_survives_a_checkpoint(percept: Percept) -> None:
    world = StuckWorld(percept, ways=(GO, SWIM))
    world.until("swim")
    again = world.new_mind()
    again.restore(world.mind.to_json())
    assert again.to_json() == world.mind.to_json()


POTION = 20


def at(percept: Percept, map_id: int, x: int) -> Percept:
    state = percept.state
    there = replace(state.map, map_id=map_id, x=x, y=1)
    return replace(percept, state=replace(state, map=there))


def richer(percept: Percept, *, exp: int = 0, levels: int = 0) -> Percept:
    first, *others = percept.state.party.mons
    grown = replace(first, exp=first.exp + exp, level=first.level + levels)
    party = replace(percept.state.party, mons=(grown, *others))
    return replace(percept, state=replace(percept.state, party=party))


def ticks_to_verdict(progress: ProgressMonitor, moments: Iterator[Percept]) -> int:
    for tick, moment in enumerate(moments):
        progress.saw(moment)
        if progress.verdict is not None:
            return tick
        if tick > 2 * PATIENCE:
            break
    raise AssertionError("no verdict")


def test_missing_novelty_is_detected_after_the_patience(percept: Percept) -> None:
    progress = ProgressMonitor()
    ticks = ticks_to_verdict(progress, iter(lambda: percept, None))
    assert (progress.verdict, ticks) == (StuckReason.NO_NOVELTY, PATIENCE + 1)


def walk_between(*moments: Percept) -> Iterator[Percept]:
    while True:
        for each in moments:
            yield from [each] * 10


@pytest.mark.parametrize(
    ("places", "words", "reason", "within"),
    [
        (((1, 1), (2, 1)), ("",), StuckReason.OSCILLATION, 2 * QUIET),
        (((1, 1), (1, 2), (1, 3)), ("",), StuckReason.OSCILLATION, PATIENCE),
        (((1, 1),), ("HELLO.", "NICE DAY.", ""), StuckReason.REPEATED_DIALOGUE, PATIENCE),
    ],
    ids=["between two maps", "in a circle of squares", "the same text"],
)
def test_repetition_is_detected(
    percept: Percept,
    places: tuple[tuple[int, int], ...],
    words: tuple[str, ...],
    reason: StuckReason,
    within: int,
) -> None:
    progress = ProgressMonitor()
    moments = [replace(at(percept, *place), text=text) for place in places for text in words]
    assert ticks_to_verdict(progress, walk_between(*moments)) < within
    assert progress.verdict is reason


def test_walking_back_and_forth_is_progress_while_experience_grows(percept: Percept) -> None:
    progress = ProgressMonitor()
    there, back = at(percept, 1, 1), at(percept, 1, 2)
    for lap in range(400):
        for moment in (there, back):
            for _ in range(10):
                progress.saw(richer(moment, exp=lap // 5))
                assert progress.verdict is None


def test_training_a_whole_team_meets_none_of_the_limits(percept: Percept) -> None:
    """Five levels of eighty battles each, two of three followed by a long walk to a nurse and back."""
    progress = ProgressMonitor()
    grounds, road, center = at(percept, 1, 1), at(percept, 2, 1), at(percept, 3, 1)
    walk = [(road, "travel", 120), (center, "heal", 3), (road, "travel", 120)]
    for battle in range(5 * 80):
        rounds = [(grounds, "train", 20), (grounds, "fight", 20), *(walk if battle % 3 else ())]
        for place, action, ticks in rounds:
            moment = richer(place, exp=450 * battle, levels=battle // 80)
            welcome = replace(moment, text="WE HEAL YOUR TEAM.")
            progress.begun()
            for tick in range(ticks):
                progress.saw(welcome if action == "heal" and tick == 1 else moment)
                assert progress.verdict is None
            progress.ended_well(action)


def test_regaining_an_earlier_state_is_no_progress(percept: Percept) -> None:
    progress = ProgressMonitor()
    rich = richer(percept, exp=5)
    ticks_to_verdict(progress, walk_between(percept, rich))
    assert progress.verdict is StuckReason.NO_NOVELTY


def test_exploring_is_progress(percept: Percept) -> None:
    progress = ProgressMonitor()
    for square in range(3 * PATIENCE):
        progress.saw(at(percept, square // 200, square % 200))
        assert progress.verdict is None


@pytest.mark.parametrize("is_growing", [False, True])
def test_repeated_failure_is_detected_even_while_other_things_are_new(
    percept: Percept, *, is_growing: bool
) -> None:
    progress = ProgressMonitor()

    def failing() -> Iterator[Percept]:
        for exp in range(1_000):
            yield from [richer(percept, exp=exp * is_growing)] * 40
            progress.failed("go")

    ticks = ticks_to_verdict(progress, failing())
    assert is_growing or ticks < PATIENCE
    assert progress.verdict is StuckReason.REPEATED_FAILURE
    assert progress.suspect == "go"


def test_a_gain_gives_every_action_another_chance(percept: Percept) -> None:
    progress = ProgressMonitor()
    for level in range(100):
        for _ in range(5):
            progress.saw(richer(percept, levels=level))
            progress.failed("go")
        assert progress.verdict is None


def gains_after(died: Percept, other: Percept) -> bool:
    """Return whether `other` is a gain on a new branch after an abandoned branch reached `died`."""
    dead, progress = ProgressMonitor(), ProgressMonitor()
    dead.saw(died)
    progress.resume_after_restore(dead.to_json())
    return progress.saw(other)


def owning(percept: Percept, *team: tuple[int, int], potions: int) -> Percept:
    """Return the percept with a team of these species and levels, and this many potions."""
    state = percept.state
    first = state.party.mons[0]
    mons = tuple(replace(first, species=species, level=level) for species, level in team)
    bag = replace(state.bag, items=(Stack(POTION, potions),))
    return replace(percept, state=replace(state, party=replace(state.party, mons=mons), bag=bag))


@pytest.mark.parametrize(
    ("team", "potions", "is_gain"),
    [
        (((1, 12), (2, 4)), 5, False),
        (((1, 12), (2, 4)), 3, False),
        (((3, 4), (1, 11)), 5, False),
        (((1, 13), (2, 4)), 5, True),
        (((1, 12), (2, 5)), 5, True),
        (((1, 12), (2, 4), (3, 2)), 5, True),
        (((1, 12), (2, 4)), 6, True),
    ],
    ids=["the same", "drunk up", "another catch", "a level", "of the other", "a third", "a potion"],
)
def test_only_progress_beyond_an_abandoned_branch_is_a_gain(
    percept: Percept, team: tuple[tuple[int, int], ...], potions: int, *, is_gain: bool
) -> None:
    died = owning(percept, (1, 12), (2, 4), potions=5)
    assert gains_after(died, owning(percept, *team, potions=potions)) is is_gain


def test_cancelling_an_action_at_the_same_place_is_a_reflex_loop(percept: Percept) -> None:
    progress = ProgressMonitor()

    def dropped() -> Iterator[Percept]:
        while True:
            progress.begun()
            yield from [percept] * 30
            progress.dropped("go", "text")

    assert ticks_to_verdict(progress, dropped()) < PATIENCE
    assert progress.verdict is StuckReason.REFLEX_LOOP
    assert progress.suspect == "go"


def test_no_plan_for_any_goal_is_detected_before_the_patience_ends(percept: Percept) -> None:
    progress = ProgressMonitor()

    def lost() -> Iterator[Percept]:
        while True:
            yield percept
            progress.no_plan()

    assert ticks_to_verdict(progress, lost()) <= LOST + 2
    assert progress.verdict is StuckReason.NO_PLAN


def test_a_restored_monitor_continues_like_the_original(percept: Percept) -> None:
    one, walk = (ProgressMonitor(), walk_between(at(percept, 1, 1), at(percept, 2, 1)))
    for _ in range(100):
        one.saw(next(walk))
        one.begun()
        one.failed("go")
    other = ProgressMonitor()
    other.restore(one.to_json())
    assert other.to_json() == one.to_json()
    for _ in range(200):
        moment = next(walk)
        one.saw(moment)
        other.saw(moment)
        assert one.verdict == other.verdict
    assert one.verdict is not None
