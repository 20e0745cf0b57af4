"""Typed events of a run: round trip, and defaults for fields that an edited file spells wrongly."""

from contextlib import closing
from pathlib import Path

import pytest

from agent.app.checkpoints import append
from agent.events import ActionEvent, MilestoneEvent, ObjectiveEvent, StuckEvent, events
from memory import open_run_store


def test_a_milestone_event_survives_the_round_trip(tmp_path: Path) -> None:
    event = MilestoneEvent("rival", 90, {"ram": "a flag", "frame": "a scene"}, "cGljdHVyZQ==")
    with closing(open_run_store(tmp_path / "run.sqlite", run_id="r")) as store:
        append(store, event)
        store.commit()
        assert list(events(store, MilestoneEvent)) == [event]
        assert list(events(store, StuckEvent)) == []


def test_missing_and_mistyped_fields_have_their_default(tmp_path: Path) -> None:
    with closing(open_run_store(tmp_path / "run.sqlite", run_id="r")) as store:
        store.record.add_event(7, "stuck", {"reason": "no_plan", "tried": "everything", "new": 1})
        store.record.add_event(9, "milestone", {"witnesses": ["ram"]})
        store.record.add_event(7, "action", {"action_value": "heal", "duration_ms": 1500})
        store.record.add_event(8, "action", {"action_value": 3, "duration_ms": "long"})
        store.commit()
        assert [*events(store, ActionEvent)] == [
            ActionEvent(7, "heal", duration_ms=1500),  # an int is accepted for a float
            ActionEvent(8),
        ]
        (stuck,) = events(store, StuckEvent)
        (milestone,) = events(store, MilestoneEvent)
    assert stuck == StuckEvent(tick=7, reason="no_plan", since=7, lasted=7)
    assert milestone == MilestoneEvent("?", 9)


def test_strict_reading_refuses_a_missing_field(tmp_path: Path) -> None:
    with closing(open_run_store(tmp_path / "run.sqlite", run_id="r")) as store:
        store.record.add_event(7, "objective", {"objective_id": "heal", "status": "active"})
        store.commit()
        with pytest.raises(KeyError, match="name"):
            list(events(store, ObjectiveEvent, strict=True))
