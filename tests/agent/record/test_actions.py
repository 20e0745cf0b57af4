"""Every action is recorded with its inputs and outcome, by plans, reflexes, recovery and advice alike."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from agent.loop import Performed
from agent.mind.intent import Intent, IntentSource
from agent.record.encounters import ActionWatch, type_of
from agent.skills import Outcome, SkillRun, once, wait
from emulator import Button, State, Step
from memory import Call
from memory.tiers.observer import ObserverMemory
from tests.memory.samples import Tiers, open_tiers

A, UP = Step(Button.A, 4, 8), Step(Button.UP, 12, 0)


@pytest.mark.parametrize(
    ("steps", "kind"),
    [
        ([A], "press"),
        ([A, wait(9), A], "batch"),
        ([UP, UP], "hold"),
        ([wait(30)], "hold"),
        ([UP, UP, A], "sequence"),
    ],
)
def test_e02_the_type_of_an_action_is_that_of_its_inputs(steps: Sequence[Step], kind: str) -> None:
    assert type_of(steps) == kind


class Steps:
    """Performs steps of intents, one tick each, before a watch."""

    def __init__(self, observer: ObserverMemory, state: State) -> None:
        self.observer = observer
        self.state = state
        self.tick = 0
        self.watch = ActionWatch(observer, lambda _state: "the lane")

    def intent(self, source: IntentSource, name: str) -> Intent:
        return Intent(source, name, f"why {name}", None, SkillRun(once(A)), self.state, 0.5)

    def perform(self, intent: Intent, step: Step, outcome: Outcome = Outcome.RUNNING) -> None:
        self.tick += 1
        self.state = replace(self.state, frame=self.state.frame + step.frames)
        call = Call("Loop.perform", SimpleNamespace(tick=self.tick), (intent,), {})
        self.watch.performed(call, Performed(outcome, self.state, step))

    def records(self) -> list[tuple[str, str, str, int]]:
        return [
            (each.action_value, each.action_type, each.outcome_summary, each.tick)
            for each in self.observer.recent_actions
        ]


@pytest.fixture
def tiers(tmp_path: Path) -> Iterator[Tiers]:
    opened = open_tiers(tmp_path / "tiers.sqlite")
    yield opened
    opened.store.close()


@pytest.fixture
def steps(tiers: Tiers, first_turn: State) -> Steps:
    return Steps(tiers.observer, first_turn)


def test_e02_actions_of_every_source_are_recorded(steps: Steps) -> None:
    for source in (IntentSource.PLAN, IntentSource.RECOVERY, IntentSource.ADVICE):
        intent = steps.intent(source, source.value)
        steps.perform(intent, UP)
        steps.perform(intent, A, Outcome.BLOCKED if source is IntentSource.PLAN else Outcome.DONE)
    assert steps.records() == [
        ("plan", "sequence", "blocked", 2),
        ("recovery", "sequence", "done", 4),
        ("advice", "sequence", "done", 6),
    ]
    plan = steps.observer.recent_actions[0]
    assert (plan.success, plan.confidence, plan.reasoning) == (False, 0.5, "why plan")


def test_e02_a_reflex_is_recorded_once_with_all_its_presses(steps: Steps) -> None:
    for _ in range(3):
        steps.perform(steps.intent(IntentSource.REFLEX, "text"), A, Outcome.DONE)
        steps.perform(steps.intent(IntentSource.REFLEX, "busy"), wait(4), Outcome.DONE)
        steps.perform(steps.intent(IntentSource.IDLE, "wait"), wait(30), Outcome.DONE)
    assert steps.records() == []  # it may go on
    steps.perform(steps.intent(IntentSource.PLAN, "go"), A, Outcome.DONE)
    assert steps.records() == [("text", "batch", "done", 7), ("go", "press", "done", 10)]


def test_e02_what_is_dropped_for_something_more_urgent_is_recorded(steps: Steps) -> None:
    steps.perform(steps.intent(IntentSource.PLAN, "go"), UP)
    steps.perform(steps.intent(IntentSource.REFLEX, "text"), A, Outcome.DONE)
    assert steps.records() == [("go", "hold", "interrupted", 1)]


def test_e29_no_lesson_is_drawn_from_reflexes_and_recovery(steps: Steps, tiers: Tiers) -> None:
    for source in (IntentSource.PLAN, IntentSource.RECOVERY, IntentSource.REFLEX):
        steps.perform(steps.intent(source, source.value), A, Outcome.DONE)
    steps.perform(steps.intent(IntentSource.PLAN, "last"), A, Outcome.DONE)
    working = tiers.blackboard.entries(tiers.observer.working)
    learnt = [each.data["action_value"] for each in working if each.kind == "action"]
    assert learnt == ["plan", "last"]
