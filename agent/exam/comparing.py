"""How questions about several runs are answered out of memory: by what each run left for those to come."""

from collections import defaultdict
from collections.abc import Mapping
from statistics import fmean
from typing import Any, Final

from agent.exam.notebook import Notebook, members
from agent.exam.question import Answer, Ask, Form
from agent.exam.recalling import Recalling
from memory import ACQUAINTANCE, WAYPOINT, milestones_of


def _waypoints(notes: Notebook, milestone: str) -> dict[str, Mapping[str, Any]]:
    """Return how each run got to a milestone, by run."""
    told = ((run, milestones_of(data)) for run, data in notes.lasting(WAYPOINT))
    return {run: reached[milestone] for run, reached in told if milestone in reached}


def _starters(notes: Notebook) -> dict[str, str]:
    """Return with whom each run began, as far as it got anybody: a team's first, when it was first seen."""
    found: dict[str, str] = {}
    for run, data in notes.lasting(WAYPOINT):
        for reached in sorted(milestones_of(data).values(), key=lambda each: int(each["tick"])):
            team = members(reached.get("team", ()))
            if team:
                found[run] = next(iter(team))
                break
    return found


def _run_starter(notes: Notebook, form: Form) -> Answer | None:
    return _starters(notes).get(form.run)


def _run_turns(notes: Notebook, form: Form) -> Answer | None:
    reached = _waypoints(notes, form.subject).get(form.run)
    return None if reached is None else int(reached["turns"])


def _run_meetings(notes: Notebook, form: Form) -> Answer | None:
    known = notes.acquaintance(form.subject, form.run)
    return None if known is None else int(known["met"])


def _run_caught(notes: Notebook, form: Form) -> Answer | None:
    met = (data for _, data in notes.lasting(ACQUAINTANCE) if data["run"] == form.run)
    return frozenset(data["subject"] for data in met if data["caught"]) or None


def _runs_lost(notes: Notebook, form: Form) -> Answer | None:
    known = notes.recalled(ACQUAINTANCE, form.subject)
    return frozenset(data["run"] for data in known if data["lost"]) or None


def _quickest(notes: Notebook, form: Form) -> Answer | None:
    reached = _waypoints(notes, form.subject)
    return min(reached, key=lambda run: reached[run]["tick"], default=None)


def _best_starter(notes: Notebook, form: Form) -> Answer | None:
    turns = defaultdict[str, list[int]](list)
    starters = _starters(notes)
    for run, data in _waypoints(notes, form.subject).items():
        if run in starters:
            turns[starters[run]].append(data["turns"])
    return min(turns, key=lambda name: fmean(turns[name]), default=None)


COMPARING: Final[Mapping[Ask, Recalling]] = {
    Ask.RUN_STARTER: _run_starter,
    Ask.RUN_TURNS: _run_turns,
    Ask.RUN_MEETINGS: _run_meetings,
    Ask.RUN_CAUGHT: _run_caught,
    Ask.RUNS_LOST: _runs_lost,
    Ask.QUICKEST: _quickest,
    Ask.BEST_STARTER: _best_starter,
}
