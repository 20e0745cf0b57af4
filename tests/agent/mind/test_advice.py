"""Advice: when a model is asked, which parts of an answer are followed, and for how long."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agent.advisor.port import Advice, NoAnswer, NoAnswerReason, Purpose, Question
from agent.capabilities.capability import BoundAction, Capability, Sensor
from agent.errors import Stuck
from agent.experience.run_times import WayVerdict
from agent.mind.advice import (
    FAILED,
    LASTS,
    LIFTS,
    LOOKS,
    NEEDS,
    REST,
    SURE,
    AdviceEnded,
    CurrentMoment,
    ModelAdvice,
)
from agent.mind.advice import _by_rules as by_rules_among
from agent.mind.intent import Intent, IntentSource
from agent.mind.mind import Mind
from agent.mind.progress import ProgressMonitor
from agent.mind.recovery import StuckRecovery
from agent.mind.situation import QuestionContext, SituationDescriber
from agent.perception.percept import Percept, ScreenReading
from agent.planning.domain import Action, Effect, Goal, Require
from agent.planning.search import Plan
from agent.skills import Outcome, Skill, wait
from emulator import State
from emulator.ram.player import Bag, Stack
from memory import Hooks, Recall
from memory.tiers import MemoryAIIntegration
from tests.agent.demo import DEX, game_context
from tests.agent.support import Played, ends, game_at

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
DONE = ends(Outcome.DONE)


@dataclass
class Oracle:
    """Gives prepared answers, and records the questions."""

    answers: list[Advice | NoAnswer] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)

    def ask(self, question: Question) -> Advice | NoAnswer:
        self.asked.append(question)
        return self.answers.pop(0) if self.answers else NoAnswer(NoAnswerReason.FAULT, "no answer")

    @property
    def purposes(self) -> list[Purpose]:
        return [each.purpose for each in self.asked]


@dataclass
class World:
    """A mind with an advisor, and the facts that its sensors report."""

    percept: Percept
    oracle: Oracle = field(default_factory=Oracle)
    facts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FACTS, 0) | {"well": 1})
    walk: Callable[[State], Skill] = DONE
    every: int = 0
    happened: list[str] = field(default_factory=list)
    ended: list[AdviceEnded] = field(default_factory=list)
    taught: str = ""

    def __post_init__(self) -> None:
        hooks = Hooks()
        hooks.after(AdviceEnded, lambda _call, ended: self.ended.append(ended))
        self.model_advice = ModelAdvice(
            self.oracle, cast("SituationDescriber", self), CurrentMoment(), hooks, self.every
        )
        capability = Capability(
            name="all",
            sensors=(Sensor(frozenset(FACTS), self._read),),
            actions=(
                BoundAction(WALK, self.walk),
                *(BoundAction(each, DONE) for each in (SING, REST_UP, DIG, BUILD)),
            ),
            goals=(GOLD, FAME, WELL),
        )
        self.recovery = StuckRecovery(ProgressMonitor(), 1)
        recall = cast("Recall", self)
        self.mind = Mind((capability,), recall, hooks, self.recovery, None, self.model_advice)

    def _read(self, _percept: Percept, _recall: Recall) -> Mapping[str, int]:
        return dict(self.facts)

    def describe(
        self, purpose: Purpose, _moment: QuestionContext, happened: Sequence[str] = ()
    ) -> str:
        self.happened = list(happened)
        return f"for {purpose.value}"

    def learnt(self, _purpose: Purpose, _moment: QuestionContext, known: Sequence[str] = ()) -> str:
        return "\n".join([*known, self.taught])

    def verdict(self, _moment: QuestionContext, action: Action) -> str:
        return "memory: it failed" if action is BUILD else ""

    def objective_status(self, _objective_id: str) -> str | None:
        return None

    def recent_outcomes(self) -> Sequence[str]:
        return ()

    def tick(self, ticks: int = 1) -> Intent:
        """Let this many ticks pass, and perform one step."""
        self.percept = replace(self.percept, tick=self.percept.tick + ticks)
        facts = self.mind.sense(self.percept)
        intent = self.mind.decide(self.percept, facts)
        self.mind.learn(intent, facts, intent.skill_run.resume(self.percept.state))
        return intent

    def advised(self, *goals: str) -> None:
        """Make a question due by a milestone, with these goals as its answer."""
        self.oracle.answers = [Advice(goals, (), "be so first", SURELY)]
        self.model_advice.reached("left_home")

    def tick_times(self, times: int) -> None:
        for _ in range(times):
            self.tick()

    def goal_names(self) -> Sequence[str]:
        return [goal.name for goal in self.mind.open_goals(self.mind.sense(self.percept))]


@pytest.fixture(scope="module")
def with_frame(played: Played) -> Iterator[Percept]:
    """Yield a percept with a rendered frame."""
    with game_at(played.folder, lambda state: state.in_control) as game:
        game.console.perform(wait(8), render=True)
        reading = ScreenReading(2, game.console.screen(), "", None)
        yield Percept(2, game.state, "", 1.0, (), reading, None)


@pytest.fixture
def world(percept: Percept) -> World:
    return World(percept)


def test_no_question_is_asked_while_the_plan_works(world: World) -> None:
    world.facts |= {"road": 1, "hall": 1}
    assert world.tick().name == "walk"
    assert world.oracle.asked == []


def test_a_milestone_makes_a_question_about_the_next_goals_due(world: World) -> None:
    world.advised("fame")
    assert world.tick().name == "build"
    (asked,) = world.oracle.asked
    assert asked.purpose is Purpose.MILESTONE
    assert asked.milestone == "left_home"
    assert (asked.situation, asked.about) == ("for milestone", "left_home")
    assert [each.name for each in asked.goals] == ["gold", "fame"]
    assert asked.candidates == ()


def test_without_a_plan_candidates_are_tried_in_the_order_of_the_answer(world: World) -> None:
    world.oracle.answers = [Advice((), ("dig", "build"), "", SURELY)]
    world.recovery._cooling = {"walk": 10**6, "sing": 10**6}
    first = world.tick()
    assert (first.name, first.source) == ("dig", IntentSource.ADVICE)
    assert world.tick().name == "build"
    (asked,) = world.oracle.asked
    assert asked.purpose is Purpose.NO_PLAN
    assert [each.name for each in asked.candidates] == ["dig", "build"]


def test_impossible_candidates_are_skipped_and_none_is_tried_twice(world: World) -> None:
    world.oracle.answers = [Advice((), ("sing", "dig"), "", SURELY)]
    world.model_advice.stuck("no_novelty")
    world.tick_times(LOOKS)
    first = world.tick()
    assert (first.name, first.source) == ("dig", IntentSource.ADVICE)  # there is no hall to sing in
    world.facts["road"] = 1
    second = world.tick()
    assert (second.name, second.source) == ("walk", IntentSource.PLAN)


def test_a_plan_that_failed_twice_causes_a_question(percept: Percept) -> None:
    world = World(percept, walk=ends(Outcome.BLOCKED))
    world.facts |= {"road": 1}
    for _ in range(FAILED):
        assert world.oracle.asked == []
        assert world.tick().name == "walk"
    world.tick()
    assert world.oracle.purposes == [Purpose.PLAN_FAILED]
    assert [each.name for each in world.oracle.asked[0].candidates] == ["walk", "build"]


def test_no_question_is_asked_where_an_answer_changes_nothing(world: World) -> None:
    world.facts |= {"road": 1, "hall": 1, "fame": 1}  # one goal is left
    world.model_advice.reached("left_home")
    world.tick()
    world.recovery._cooling = dict.fromkeys(("walk", "sing", "dig"), 10**6)
    world.facts |= {"road": 0, "hall": 0, "fame": 0, "gold": 0}
    world.model_advice.reached("left_home")  # only one goal has a plan
    world.model_advice.ask(9, Purpose.NO_PLAN, "gold")  # one action is possible
    assert world.oracle.asked == []


def test_what_is_known_against_a_candidate_stands_beside_it(world: World) -> None:
    world.recovery._cooling = {"walk": 10**6, "sing": 10**6}
    world.tick()
    labels = [each.label for each in world.oracle.asked[0].candidates]
    assert labels == ["dig a road", "build a hall (memory: it failed)"]


def test_what_came_of_advice_is_in_the_next_question_once(percept: Percept) -> None:
    world = World(percept, every=100)
    world.facts |= {"well": 0}
    world.oracle.answers = [Advice(("fame",), ("dig",), "", SURELY), Advice((), (), "", SURELY)]
    world.recovery._cooling = {"walk": 10**6, "sing": 10**6, "rest_up": 10**6}
    start = world.percept.tick
    world.tick()  # asks, and begins to dig
    world.facts["fame"] = 1
    world.tick()
    world.tick(100)
    asked = world.oracle.asked[0].tick
    assert asked == start + 1
    assert [each.success for each in world.ended] == [True, True]
    assert world.happened == [
        f"you advised at tick {asked} to dig a road: done after 0 ticks",
        f"you advised at tick {asked} to be famous: reached after 1 ticks",
    ]
    world.tick(100)
    assert world.happened == []


def test_what_earlier_games_taught_is_repeated_only_when_it_is_new(percept: Percept) -> None:
    world = World(percept, every=10)
    world.oracle.answers = [Advice((), (), "", SURELY)] * 3
    for world.taught in ("the leader won", "the leader won", "the leader lost"):
        world.tick(10)
    assert [each.learnt for each in world.oracle.asked] == ["the leader won", "", "the leader lost"]


def test_the_same_question_is_asked_again_only_after_a_pause(world: World) -> None:
    world.recovery._cooling = {"walk": 10**6, "sing": 10**6}
    for _ in range(REST):
        world.tick()
    assert len(world.oracle.asked) == 1
    world.tick(REST)
    assert len(world.oracle.asked) == 2


def test_routine_questions_are_asked_at_their_interval(percept: Percept) -> None:
    world = World(percept, every=100)
    world.facts |= {"road": 1, "hall": 1}
    for _ in range(10):
        world.tick(50)
    assert world.oracle.purposes == [Purpose.ROUTINE] * 5


def test_advice_raises_a_goal_above_others_but_not_above_healing(world: World) -> None:
    world.facts["well"] = 0
    world.advised("fame", "gold")
    world.tick()
    assert world.goal_names() == ["well", "fame", "gold"]
    assert world.model_advice.lift(FAME) == min(LIFTS[0], NEEDS - FAME.priority)


def test_a_goal_one_action_away_comes_before_an_advised_goal(world: World) -> None:
    world.facts |= {"road": 1, "hall": 0}
    world.advised("fame")
    assert world.tick().name == "walk"


@pytest.mark.parametrize("is_set_back", [False, True], ids=["expiry", "a setback"])
def test_advice_ends_after(world: World, *, is_set_back: bool) -> None:
    world.facts |= {"well": 0}
    world.advised("fame")
    world.tick()
    assert world.goal_names()[1] == "fame"
    if is_set_back:
        world.model_advice.note_failure("fame", 1)
        assert world.model_advice.lift(FAME) == 0
    else:
        world.tick(LASTS)
        assert world.goal_names()[1] == "gold"


@pytest.mark.parametrize(
    "answer",
    [NoAnswer(NoAnswerReason.CEILING, "spent"), Advice(("fame",), ("sing",), "", SURE - 0.1)],
)
def test_without_a_confident_answer_the_rules_decide(
    world: World, answer: Advice | NoAnswer
) -> None:
    world.facts |= {"road": 1, "hall": 1}
    world.oracle.answers = [answer]
    world.model_advice.reached("left_home")
    assert world.tick().name == "walk"
    assert len(world.oracle.asked) == 1


def test_a_stuck_mind_asks_for_advice_before_a_restore(world: World) -> None:
    world.oracle.answers = [NoAnswer(NoAnswerReason.FAULT)] * 10
    world.recovery._cooling = {"walk": 10**6, "sing": 10**6}
    with pytest.raises(Stuck) as stuck:
        world.tick_times(10_000)
    assert stuck.value.may_restore
    episode = world.recovery.episode
    assert episode is not None
    assert episode.recovery_steps == ("replan", "ask_advice", "restore")
    assert Purpose.STUCK in world.oracle.purposes


def test_a_question_when_stuck_shows_a_rendered_frame(world: World, with_frame: Percept) -> None:
    world.model_advice.stuck("no_novelty")
    assert world.tick().why == "waiting for a picture"
    world.percept = with_frame
    world.tick()
    (asked,) = world.oracle.asked
    assert asked.purpose is Purpose.STUCK
    assert asked.picture.startswith(b"\x89PNG")


def test_other_questions_show_no_picture_and_the_wait_for_one_is_limited(
    world: World, with_frame: Percept
) -> None:
    world.percept = with_frame
    world.model_advice.reached("left_home")
    world.tick()
    world.percept = replace(with_frame, reading=None)
    world.model_advice.stuck("no_novelty")
    world.tick_times(LOOKS + 1)
    assert world.oracle.purposes == [Purpose.MILESTONE, Purpose.STUCK]
    assert [each.picture for each in world.oracle.asked] == [b"", b""]


def test_the_advised_alternative_is_chosen(world: World) -> None:
    world.oracle.answers = [Advice((), ("3", "2"), "", SURELY), NoAnswer(NoAnswerReason.FAULT)]
    world.tick()
    ways = {2: "the red one", 3: "the blue one", 4: "the old one"}
    known = {2: WayVerdict("90 ticks", is_worse=False), 4: WayVerdict("900 ticks", is_worse=True)}
    assert world.model_advice.choose("take one", ways, known, 2) == 3
    asked = world.oracle.asked[-1]
    assert [(each.name, each.label) for each in asked.candidates] == [
        ("2", "the red one; memory: 90 ticks"),
        ("3", "the blue one"),
    ]
    assert asked.learnt.splitlines() == ["not offered: the old one; memory: 900 ticks"]
    assert [each.advised for each in world.ended] == ["take one, the blue one"]
    assert world.model_advice.choose("take one", ways, known, 2) is None


def test_a_choice_that_memory_has_decided_is_no_question(world: World) -> None:
    world.tick()
    worse = WayVerdict("900 ticks", is_worse=True)
    assert world.model_advice.choose("take one", {2: "red", 3: "blue"}, {2: worse}, 2) is None
    assert world.oracle.asked == []


def test_a_checkpoint_stores_the_advice(world: World, percept: Percept) -> None:
    world.facts |= {"well": 0}
    world.advised("fame")
    world.tick()
    other = World(percept)
    other.facts |= {"well": 0}
    other.mind.restore(world.mind.to_json())
    assert other.goal_names() == world.goal_names()
    assert other.model_advice.to_json() == world.model_advice.to_json()


def test_a_checkpoint_of_an_older_version_names_no_model(world: World, percept: Percept) -> None:
    world.facts |= {"well": 0}
    world.advised("fame")
    world.tick()
    data = world.model_advice.to_json()
    pending = cast("dict[str, tuple[int, str, str]]", data["pending"])
    older = {name: each[:2] for name, each in pending.items()}
    assert older
    other = World(percept)
    other.model_advice.restore({**{k: v for k, v in data.items() if k != "by"}, "pending": older})
    assert other.model_advice.to_json() == data


def test_a_question_is_recorded_with_what_rules_alone_would_take(world: World) -> None:
    """Whatever earlier advice lifts; a model does not see it."""
    world.facts |= {"road": 1, "hall": 1, "well": 1}
    world.advised("fame")
    world.tick()
    assert world.model_advice.lift(FAME) > 0
    world.model_advice.reached("starter")
    world.oracle.answers = [Advice((), (), "", SURELY)]
    world.tick(REST)
    assert [each.by_rules for each in world.oracle.asked] == [("gold", "walk")] * 2


def test_rules_take_none_of_the_goals_offered_where_they_would_take_another_first() -> None:
    def planned(goal: Goal) -> Plan | None:
        return None if goal is WELL else Plan(goal, (WALK,), (3,))

    moment: Any = SimpleNamespace(goals_by_rules=lambda: [WELL, GOLD, FAME], plan_for=planned)
    assert by_rules_among(moment, {"gold", "fame"}) == ("gold", "walk")
    assert by_rules_among(moment, {"well", "fame"}) == ()


def test_a_situation_lists_the_bag(percept: Percept) -> None:
    game, no_memory = game_context(), cast("MemoryAIIntegration", None)
    parts = game.story, game.terrain, game.dex, game.ledger, game.experience, no_memory
    state = replace(percept.state, bag=Bag((Stack(4, 3),)))
    assert [*SituationDescriber(*parts).bag(state)] == [f"| {DEX.item_name(4)} x 3"]
