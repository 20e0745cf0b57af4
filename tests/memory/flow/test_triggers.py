"""When what is pending is carried."""

import pytest

from memory import Blackboard
from memory.flow import Flows
from memory.flow.subscription import (
    AllOf,
    AnyOf,
    Fullness,
    OnDemand,
    Pending,
    Periodic,
    Threshold,
    Trigger,
)
from tests.memory.flow.streams import X, Y, edge, held, note


def waiting(number: int = 0, waited_s: float = 0.0, fullness: float = 0.0) -> Pending:
    return Pending(number, waited_s, asked=False, fullness=lambda: fullness)


YES, NO = Threshold(0, 0), Threshold(99, 99)


@pytest.mark.parametrize(
    ("trigger", "early", "late"),
    [
        (Periodic(120.0), waiting(waited_s=119.9), waiting(waited_s=120.0)),
        (Threshold(5, 20), waiting(19), waiting(20)),
        (Threshold(5, 20), waiting(4)._replace(asked=True), waiting(5)._replace(asked=True)),
        (Fullness(0.9), waiting(fullness=0.89), waiting(fullness=0.9)),
        (OnDemand(), waiting(99, 999.0, 1.0), waiting()._replace(asked=True)),
        (AnyOf((NO, Periodic(1.0))), waiting(), waiting(waited_s=1.0)),
        (AllOf((YES, Periodic(1.0))), waiting(), waiting(waited_s=1.0)),
    ],
)
def test_b23_a_trigger_is_due_when_its_figure_is_reached(
    trigger: Trigger, early: Pending, late: Pending
) -> None:
    assert not trigger.due(early)
    assert trigger.due(late)


@pytest.mark.parametrize("triggers", [(NO, NO), (YES, NO), (NO, YES), (YES, YES)])
def test_b23_triggers_combine_as_any_and_all(triggers: tuple[Trigger, Trigger]) -> None:
    assert AnyOf(triggers).due(waiting()) is (YES in triggers)
    assert AllOf(triggers).due(waiting()) is (NO not in triggers)


def test_b23_a_write_sets_off_what_it_makes_due(blackboard: Blackboard) -> None:
    flows = Flows(blackboard)
    flows.add(edge("up", trigger=AnyOf((Threshold(2, 5), Periodic(60.0)))))
    for n in range(5):
        note(blackboard, n)
    assert held(blackboard, Y) == [0, 1, 2, 3, 4]
    blackboard.expire(59.0)
    note(blackboard, 5)
    assert flows.run() == {}  # asked for, but one alone is too few
    blackboard.expire(60.0)
    note(blackboard, 6)
    assert held(blackboard, Y) == [0, 1, 2, 3, 4, 5, 6]


def test_b23_a_full_scope_is_a_reason_by_itself(blackboard: Blackboard) -> None:
    flows = Flows(blackboard)
    flows.add(edge("up", trigger=AllOf((Threshold(1, 2), Fullness(0.9))), consumes=True))
    text = "word " * 1000  # 1,250 tokens of 8,000
    for n in range(5):
        blackboard.write(X, "page", {"n": n, "text": text}, tick=n, game_s=0.0)
    assert held(blackboard, Y) == []
    blackboard.write(X, "page", {"n": 5, "text": text}, tick=5, game_s=0.0)
    assert (held(blackboard, X), blackboard.fullness(X)) == ([], 0.0)
    assert held(blackboard, Y) == [0, 1, 2, 3, 4, 5]
