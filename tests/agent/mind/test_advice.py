"""Advice: when it is asked, what of an answer counts, for how long, and what never does."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import pytest

from agent.advisor.port import Advice, Purpose, Question, Silence, Silent
from agent.capabilities.capability import BoundAction, Capability, Sensor
from agent.errors import Stuck
from agent.mind.advice import (
    FAILED,
    LASTS,
    LIFTS,
    LOOKS,
    NEEDS,
    REST,
    SURE,
    Advising,
    CurrentMoment,
    QuestionContext,
)
from agent.mind.intent import Intent, IntentSource
from agent.mind.mind import Mind
from agent.mind.progress import ProgressMonitor
from agent.mind.recovery import Ladder
from agent.perception.percept import Percept, ScreenReading
from agent.planning.domain import Action, Effect, Goal, Require
from agent.skills import Outcome, Skill, wait
from emulator import State
from memory import Hooks, Recall
from tests.agent.support import Played, game_at

FACTS = ("in_battle", "road", "gold", "fame", "hall", "well")
WALK = Action("walk", (Require("road", at_least=1),), (Effect("gold", 1),), 3, "walk to the gold")
SING = Action("sing", (Require("hall", at_least=1),), (Effect("fame", 1),), 3, "sing in the hall")
REST_UP = Action("rest_up", (), (Effect("well", 1),), 3, "rest")
BUILD = Action("build", (), (Effect("hall", 1),), 90, "build a hall")
DIG = Action("dig", (), (Effect("road", 1),), 90, "dig a road")
GOLD = Goal("gold", (Require("gold", at_least=1),), 50, "have gold")
FAME = Goal("fame", (Require("fame", at_least=1),), 45, "be famous")
WELL = Goal("well", (Require("well", at_least=1),), NEEDS + 1, "be well")
SURELY = 0.9


@dataclass
class Oracle:
    """Answers what it is told to, and keeps what it was asked."""

    answers: list[Advice | Silent] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)

    def ask(self, question: Question) -> Advice | Silent:
        self.asked.append(question)
        return self.answers.pop(0) if self.answers else Silent(Silence.FAULT, "nobody is there")

    @property
    def purposes(self) -> list[Purpose]:
        return [each.purpose for each in self.asked]


def step(_state: State) -> Skill:
    yield wait(1)
    return Outcome.DONE


def in_vain(_state: State) -> Skill:
    yield wait(1)
    return Outcome.BLOCKED


@dataclass
class World:
    """A mind with somebody to ask, and the facts that it is told."""

    percept: Percept
    oracle: Oracle = field(default_factory=Oracle)
    facts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FACTS, 0) | {"well": 1})
    walk: Callable[[State], Skill] = step
    every: int = 0
    described: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        hooks = Hooks()
        self.advising = Advising(self.oracle, self._describe, CurrentMoment(), hooks, self.every)
        capability = Capability(
            name="all",
            sensors=(Sensor(frozenset(FACTS), self._read),),
            actions=(
                BoundAction(WALK, self.walk),
                *(BoundAction(each, step) for each in (SING, REST_UP, DIG, BUILD)),
            ),
            goals=(GOLD, FAME, WELL),
        )
        self.ladder = Ladder(ProgressMonitor(), 1)
        recall = cast("Recall", self)
        self.mind = Mind((capability,), recall, hooks, self.ladder, None, self.advising)

    def _read(self, _percept: Percept, _recall: Recall) -> Mapping[str, int]:
        return dict(self.facts)

    def _describe(self, _purpose: Purpose, _moment: QuestionContext, about: str) -> str:
        self.described.append(about)
        return f"about {about}"

    def objective_status(self, _objective_id: str) -> str | None:
        return None

    def tick(self, ticks: int = 1) -> Intent:
        """Let so many ticks pass, and carry out one step."""
        self.percept = replace(self.percept, tick=self.percept.tick + ticks)
        facts = self.mind.sense(self.percept)
        intent = self.mind.decide(self.percept, facts)
        self.mind.learn(intent, facts, intent.course.resume(self.percept.state))
        return intent

    def advised(self, *goals: str) -> None:
        """Let a milestone be a moment to ask, and these goals the answer."""
        self.oracle.answers = [Advice(goals, (), "be so first", SURELY)]
        self.advising.reached("left_home")

    def tick_on(self, times: int) -> None:
        for _ in range(times):
            self.tick()

    def wants(self) -> Sequence[str]:
        return [goal.name for goal in self.mind.open_goals(self.mind.sense(self.percept))]


@pytest.fixture(scope="module")
def drawn(played: Played) -> Iterator[Percept]:
    """A moment of which a frame was drawn."""
    with game_at(played.folder, lambda state: state.in_control) as game:
        game.console.perform(wait(8), render=True)
        sight = ScreenReading(2, game.console.screen(), "", None)
        yield Percept(2, game.state, "", 1.0, (), sight, None)


@pytest.fixture
def world(percept: Percept) -> World:
    return World(percept)


def test_nobody_is_asked_while_rules_know_what_to_do(world: World) -> None:
    world.facts |= {"road": 1, "hall": 1}
    assert world.tick().name == "walk"
    assert world.oracle.asked == []


def test_a_milestone_is_a_moment_to_ask_what_comes_next(world: World) -> None:
    world.advised("fame")
    assert world.tick().name == "build"
    (asked,) = world.oracle.asked
    assert asked.purpose is Purpose.MILESTONE
    assert asked.milestone == "left_home"
    assert asked.situation == "about left_home"
    assert [each.name for each in asked.goals] == ["gold", "fame"]
    assert asked.candidates == ()


def test_without_a_plan_the_candidates_are_tried_in_the_order_of_the_answer(world: World) -> None:
    world.oracle.answers = [Advice((), ("dig", "build"), "", SURELY)]
    world.ladder._cooling = {"walk": 10**6, "sing": 10**6}
    first = world.tick()
    assert (first.name, first.source) == ("dig", IntentSource.ADVICE)
    assert world.tick().name == "build"
    (asked,) = world.oracle.asked
    assert asked.purpose is Purpose.NO_PLAN
    assert [each.name for each in asked.candidates] == ["dig", "build"]


def test_what_cannot_be_done_is_passed_over_and_nothing_is_tried_twice(world: World) -> None:
    world.oracle.answers = [Advice((), ("sing", "dig"), "", SURELY)]
    world.advising.stuck("no_novelty")
    world.tick_on(LOOKS)
    first = world.tick()
    assert (first.name, first.source) == ("dig", IntentSource.ADVICE)  # there is no hall to sing in
    world.facts["road"] = 1
    second = world.tick()
    assert (second.name, second.source) == ("walk", IntentSource.PLAN)


def test_a_plan_that_failed_twice_is_asked_about(percept: Percept) -> None:
    world = World(percept, walk=in_vain)
    world.facts |= {"road": 1}
    for _ in range(FAILED):
        assert world.oracle.asked == []
        assert world.tick().name == "walk"
    world.tick()
    assert world.oracle.purposes == [Purpose.PLAN_FAILED]
    assert [each.name for each in world.oracle.asked[0].candidates] == ["walk", "build"]


def test_the_same_is_not_asked_again_before_a_while(world: World) -> None:
    world.ladder._cooling = {"walk": 10**6, "sing": 10**6}
    for _ in range(REST):
        world.tick()
    assert len(world.oracle.asked) == 1
    world.tick(REST)
    assert len(world.oracle.asked) == 2


def test_one_may_ask_every_so_often(percept: Percept) -> None:
    world = World(percept, every=100)
    world.facts |= {"road": 1, "hall": 1}
    for _ in range(10):
        world.tick(50)
    assert world.oracle.purposes == [Purpose.ROUTINE] * 5


def test_advice_lifts_a_goal_over_its_neighbours_but_never_over_what_the_team_needs(
    world: World,
) -> None:
    world.facts["well"] = 0
    world.advised("fame", "gold")
    world.tick()
    assert world.wants() == ["well", "fame", "gold"]
    assert world.advising.lift(FAME) == min(LIFTS[0], NEEDS - FAME.priority)


def test_what_can_be_had_at_once_is_not_put_off_for_advice(world: World) -> None:
    world.facts |= {"road": 1, "hall": 0}
    world.advised("fame")
    assert world.tick().name == "walk"


@pytest.mark.parametrize("is_set_back", [False, True], ids=["a while", "a setback"])
def test_advice_is_forgotten_after(world: World, *, is_set_back: bool) -> None:
    world.facts |= {"well": 0}
    world.advised("fame")
    world.tick()
    assert world.wants()[1] == "fame"
    if is_set_back:
        world.advising.set_back("fame", 1)
        assert world.advising.lift(FAME) == 0
    else:
        world.tick(LASTS)
        assert world.wants()[1] == "gold"


@pytest.mark.parametrize(
    "answer", [Silent(Silence.CEILING, "spent"), Advice(("fame",), ("sing",), "", SURE - 0.1)]
)
def test_silence_and_doubt_leave_everything_to_rules(world: World, answer: Advice | Silent) -> None:
    world.facts |= {"road": 1, "hall": 1}
    world.oracle.answers = [answer]
    world.advising.reached("left_home")
    assert world.tick().name == "walk"
    assert len(world.oracle.asked) == 1


def test_who_is_stuck_is_advised_before_going_back_in_time(world: World) -> None:
    world.oracle.answers = [Silent(Silence.FAULT)] * 10
    world.ladder._cooling = {"walk": 10**6, "sing": 10**6}
    with pytest.raises(Stuck) as stuck:
        world.tick_on(10_000)
    assert stuck.value.may_restore
    episode = world.ladder.episode
    assert episode is not None
    assert episode.rungs == ("replan", "ask_advice", "restore")
    assert Purpose.STUCK in world.oracle.purposes


def test_who_is_stuck_shows_a_picture_where_one_was_drawn(world: World, drawn: Percept) -> None:
    world.advising.stuck("no_novelty")
    assert world.tick().why == "a picture is wanted"
    world.percept = drawn
    world.tick()
    (asked,) = world.oracle.asked
    assert asked.purpose is Purpose.STUCK
    assert asked.picture.startswith(b"\x89PNG")


def test_no_other_question_shows_one_and_nobody_waits_for_it_for_ever(
    world: World, drawn: Percept
) -> None:
    world.percept = drawn
    world.advising.reached("left_home")
    world.tick()
    world.percept = replace(drawn, sight=None)
    world.advising.stuck("no_novelty")
    world.tick_on(LOOKS + 1)
    assert world.oracle.purposes == [Purpose.MILESTONE, Purpose.STUCK]
    assert [each.picture for each in world.oracle.asked] == [b"", b""]


def test_of_several_ways_the_advised_one_is_taken(world: World) -> None:
    world.oracle.answers = [Advice((), ("3", "2"), "", SURELY), Silent(Silence.FAULT)]
    world.tick()
    ways = {2: "the red one", 3: "the blue one"}
    assert world.advising.choose("take one", ways) == 3
    asked = world.oracle.asked[-1]
    assert [(each.name, each.says) for each in asked.candidates] == [
        ("2", "the red one"),
        ("3", "the blue one"),
    ]
    assert world.advising.choose("take one", ways) is None


def test_a_checkpoint_keeps_what_was_advised(world: World, percept: Percept) -> None:
    world.facts |= {"well": 0}
    world.advised("fame")
    world.tick()
    other = World(percept)
    other.facts |= {"well": 0}
    other.mind.restore(world.mind.to_json())
    assert other.wants() == world.wants()
    assert other.advising.to_json() == world.advising.to_json()
