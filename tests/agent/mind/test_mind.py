"""The mind: plans are kept while valid and dropped when not, and failures count."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import pytest

from agent.capabilities.capability import BoundAction, Capability, Reflex, Sensor
from agent.errors import Stuck
from agent.mind import progress
from agent.mind.intent import Intent, IntentSource
from agent.mind.mind import Mind
from agent.mind.progress import ProgressMonitor
from agent.mind.recovery import StuckRecovery
from agent.perception.percept import Percept
from agent.planning.domain import Action, Effect, Goal, Require
from agent.planning.search import Plan
from agent.skills import Outcome, Skill, wait
from emulator import State
from memory import Call, Hooks, Recall
from tests.agent.support import ends

FACTS = frozenset({"in_battle", "ready", "there", "alarm", "weather"})
PREPARE = Action("prepare", (), (Effect("ready", 1),), 2, "get ready")
GO = Action("go", (Require("ready", at_least=1),), (Effect("there", 1),), 3, "go there")
SWIM = Action("swim", (), (Effect("there", 1),), 9, "swim there")
FIGHT = Action("fight", (Require("in_battle", at_least=1),), (Effect("in_battle", 0),), 1, "fight")
MEND = Action("mend", (Require("weather", at_least=9),), (Effect("weather", 0),), 1, "mend it")
MENDED = Goal("weather", (Require("weather", at_most=0),), 50, "have the weather mended")
THERE = Goal("there", (Require("there", at_least=1),), 10, "be there")
PEACE = Goal("peace", (Require("in_battle", at_most=0),), 100, "have peace")


TWO_STEPS, NO_USE = ends(Outcome.DONE, 2), ends(Outcome.BLOCKED)


class EmptyMemory:
    """An empty memory."""

    def objective_status(self, _objective_id: str) -> str | None:
        return None

    def recent_outcomes(self) -> Sequence[str]:
        return ()


@dataclass
class World:
    """A mind, and the facts that its sensors report."""

    percept: Percept
    facts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FACTS, 0))
    plans: list[str] = field(default_factory=list)
    has_more: bool = False  # a more urgent goal to which no plan leads

    def mind(self, go: Callable[[State], Skill] = TWO_STEPS) -> Mind:
        def read(_percept: Percept, _recall: Recall) -> Mapping[str, int]:
            return dict(self.facts)

        alarm = Reflex("alarm", lambda _p: bool(self.facts["alarm"]), wait(1), "it rings")
        fights = Require("in_battle", at_least=1)
        capability = Capability(
            name="all",
            sensors=(Sensor(FACTS, read),),
            actions=(
                BoundAction(PREPARE, TWO_STEPS),
                BoundAction(GO, go),
                BoundAction(SWIM, TWO_STEPS),
                BoundAction(MEND, TWO_STEPS),
                BoundAction(FIGHT, TWO_STEPS, suppresses=frozenset({"alarm"}), while_true=fights),
            ),
            goals=(THERE, PEACE, MENDED) if self.has_more else (THERE, PEACE),
            reflexes=(alarm,),
        )
        hooks = Hooks()
        hooks.after(Mind.plan_for, self._note)
        recovery = StuckRecovery(ProgressMonitor(), seed=0)
        return Mind((capability,), cast("Recall", EmptyMemory()), hooks, recovery)

    def _note(self, _call: Call, plan: Plan | None) -> None:
        self.plans.append(" ".join(action.name for action in plan.actions) if plan else "none")

    def tick(self, mind: Mind) -> Intent:
        """Decide and perform one step."""
        intent = mind.decide(self.percept, mind.sense(self.percept))
        mind.learn(intent, self.facts, intent.skill_run.resume(self.percept.state))
        return intent

    def names(self, mind: Mind, ticks: int) -> list[str]:
        return [self.tick(mind).name for _ in range(ticks)]


@pytest.fixture
def world(percept: Percept) -> World:
    return World(percept)


def test_a_plan_is_performed_action_by_action(world: World) -> None:
    mind = world.mind()
    assert world.names(mind, 2) == ["prepare", "prepare"]
    world.facts["ready"] = 1
    assert world.names(mind, 2) == ["go", "go"]
    assert world.plans == ["prepare go", "go"]


def test_a_plan_is_kept_while_its_conditions_hold(world: World) -> None:
    mind = world.mind()
    kept = world.tick(mind).plan
    world.facts["weather"] = 3  # in no condition
    assert world.tick(mind).plan == kept
    world.facts["ready"] = 1
    assert world.tick(mind).name == "go"


def test_an_action_goes_on_from_map_to_map_while_no_more_urgent_goal_has_a_plan(
    world: World,
) -> None:
    world.has_more = True
    mind = world.mind(ends(Outcome.DONE, 3))
    world.facts |= {"ready": 1, "weather": 3}
    begun = world.tick(mind)
    state = world.percept.state
    elsewhere = replace(state, map=replace(state.map, map_id=state.map.map_id + 1))
    world.percept = replace(world.percept, state=elsewhere)
    assert world.tick(mind) is begun
    world.facts["weather"] = 9
    world.percept = replace(world.percept, state=state)
    assert world.tick(mind).name == "mend"


def test_a_plan_is_dropped_when_a_condition_fails(world: World) -> None:
    mind = world.mind()
    world.names(mind, 2)  # ready was promised and did not come
    assert world.names(mind, 2) == ["wait", "prepare"]
    assert set(world.plans) == {"prepare go"}


def test_a_battle_cancels_the_current_action_and_comes_first(world: World) -> None:
    mind = world.mind()
    world.tick(mind)
    world.facts["in_battle"] = 1
    assert world.names(mind, 2) == ["fight", "fight"]
    world.facts["in_battle"] = 0
    assert world.tick(mind).name == "prepare"


def test_a_reflex_comes_before_actions_that_do_not_suppress_it(world: World) -> None:
    mind = world.mind()
    world.facts["alarm"] = 1
    intent = world.tick(mind)
    assert (intent.source, intent.name) == (IntentSource.REFLEX, "alarm")
    world.facts |= {"alarm": 0, "in_battle": 1}
    assert world.names(mind, 2) == ["wait", "fight"]
    world.facts["alarm"] = 1
    assert world.tick(mind).name == "fight"


def test_another_action_is_tried_after_a_failure(world: World) -> None:
    mind = world.mind(go=NO_USE)
    world.facts["ready"] = 1
    assert world.tick(mind).name == "go"
    assert world.names(mind, 3)[-1] == "swim"


def test_an_action_with_nothing_to_do_is_not_a_failure(world: World) -> None:
    mind = world.mind(go=ends(Outcome.DONE, 0))
    world.facts["ready"] = 1
    assert world.tick(mind).why == "go there ended before it began"
    assert mind.to_json()["failures"] == {}
    world.tick(mind)  # planned again at once, so it had no effect
    assert mind.to_json()["failures"] == {"go": 1}


def test_a_successful_action_without_effect_costs_more(world: World) -> None:
    mind = world.mind()
    done = world.names(mind, 15)  # preparing never sets the fact ready
    # The same inputs on the same frames end the same, so a wait comes first; the second try costs no more yet.
    assert done[:5] == ["prepare", "prepare", "wait", "prepare", "prepare"]
    assert "swim" in done


def test_an_action_whose_effect_comes_late_is_not_a_failure(world: World) -> None:
    mind = world.mind()
    world.names(mind, 2)
    world.facts["alarm"] = 1  # a reflex interrupts play for a tick
    world.tick(mind)
    world.facts |= {"alarm": 0, "ready": 1}
    assert world.names(mind, 2) == ["wait", "go"]
    assert mind.to_json()["failures"] == {}


def test_nothing_is_begun_between_two_parts_of_a_scene(world: World) -> None:
    mind = world.mind()
    world.facts["alarm"] = 1
    assert world.tick(mind).source is IntentSource.REFLEX
    world.facts["alarm"] = 0  # for one tick
    intent = world.tick(mind)
    assert (intent.source, intent.why) == (IntentSource.IDLE, "the scene may go on")
    world.facts["alarm"] = 1
    assert world.tick(mind).source is IntentSource.REFLEX
    world.facts["alarm"] = 0
    assert world.names(mind, 2) == ["wait", "prepare"]


def test_a_plan_is_dropped_when_an_effect_came_true_by_itself(world: World) -> None:
    mind = world.mind()
    assert world.tick(mind).name == "prepare"
    world.facts["alarm"] = 1  # a scene that makes the fact true
    world.tick(mind)
    world.facts |= {"alarm": 0, "ready": 1}
    assert world.names(mind, 2) == ["wait", "go"]
    assert world.plans == ["prepare go", "go"]


def test_an_interrupted_action_is_not_a_failure(world: World) -> None:
    mind = world.mind(go=ends(Outcome.INTERRUPTED))
    world.facts["ready"] = 1
    assert world.names(mind, 3) == ["go", "go", "go"]
    assert (mind.to_json()["failures"], mind.to_json()["setbacks"]) == ({}, {})


def test_a_reached_goal_is_closed_once(world: World) -> None:
    mind = world.mind()
    world.tick(mind)
    world.facts["there"] = 1
    world.names(mind, 3)
    assert mind.goal is None
    assert world.tick(mind).why == "every goal is reached"


def test_failures_and_goals_survive_a_checkpoint(world: World) -> None:
    mind = world.mind(go=NO_USE)
    world.facts["ready"] = 1
    world.names(mind, 3)
    again = world.mind(go=NO_USE)
    again.restore(mind.to_json())
    assert again.to_json() == mind.to_json()
    assert again.goal == mind.goal


def test_the_mind_is_stuck_when_nothing_new_happens_for_too_long(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 50)
    mind = world.mind()
    world.facts["ready"] = 1
    with pytest.raises(Stuck, match="because"):
        world.names(mind, 200)


def test_the_first_failure_before_any_step_is_no_setback(world: World) -> None:
    mind = world.mind(go=ends(Outcome.BLOCKED, 0))
    world.facts["ready"] = 1
    world.tick(mind)
    assert (mind.to_json()["failures"], mind.to_json()["setbacks"]) == ({"go": 1}, {})
    world.tick(mind)
    assert mind.to_json()["setbacks"] == {"there": 1}


def test_each_gain_takes_back_a_setback(world: World) -> None:
    mind = world.mind(go=NO_USE)
    world.facts["ready"] = 1
    world.names(mind, 2)
    assert mind.to_json()["setbacks"] == {"there": 2}
    state = world.percept.state
    for money, left in ((1, {"there": 1}), (2, {})):
        badges = replace(state.player, badges=tuple(range(money)))
        world.percept = replace(world.percept, state=replace(state, player=badges))
        mind.decide(world.percept, mind.sense(world.percept))
        assert mind.to_json()["setbacks"] == left
