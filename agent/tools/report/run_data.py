"""Everything a report says of one run, as values: how it ended, what went wrong, and what the other parts read.

It is read once, also while the run is being played. Lines of night.jsonl that cannot be read are counted and skipped.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from agent.app.summary import SUMMARY
from agent.events import DisagreementEvent, StuckEvent, events
from agent.story.story import Story
from agent.tools.overnight.logs import journal_lines
from agent.tools.report.advice import AdviceSummary, advice
from agent.tools.report.events import (
    ActionsTaken,
    Battles,
    MilestoneEntry,
    StuckEntry,
    battles,
    deeds,
    episodes,
    milestones,
    pending,
    said,
)
from agent.tools.report.learned import Learnt, learnt
from agent.tools.report.timeline import Process, TeamHistory, TickTime, Times, process, team_history
from emulator import Cartridge, Dex
from memory import RunFolder, RunReader, TrailRow
from memory.store.record import BranchedBy

ENDS: Final = ("began", "started", "verdict")


class LoggedFault(NamedTuple):
    """One thing that went wrong, and what the supervisor did about it."""

    kind: str
    says: str
    tick: int | None
    at: float
    answer: str


@dataclass(frozen=True, slots=True)
class NightLog:
    """What `night.jsonl` says; a run without one has an empty one. `ruling` is the last line of a verdict."""

    began: bool = False
    starts: int = 0
    faults: Sequence[LoggedFault] = ()
    samples: Sequence[tuple[float, float]] = field(default=(), repr=False)  # bytes of its own log
    ruling: Mapping[str, Any] | None = None
    unreadable: int = 0

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Return what the log in a run's folder says."""
        lines = journal_lines(folder)
        kinds: dict[str, list[Mapping[str, Any]]] = {}
        for line in filter(None, lines):
            kinds.setdefault(line["what"], []).append(line)
        ends = [line for line in filter(None, lines) if line["what"] in ENDS]
        return cls(
            began="began" in kinds,
            starts=len(kinds.get("started", ())),
            faults=[_fault(each) for each in kinds.get("fault", ())],
            samples=[
                (_number(each, "at"), _number(each, "log_bytes"))
                for each in kinds.get("sample", ())
            ],
            # A verdict does not count where the night was begun again since.
            ruling=ends[-1] if ends and ends[-1]["what"] == "verdict" else None,
            unreadable=lines.count(None),
        )


def _fault(told: Mapping[str, Any]) -> LoggedFault:
    tick = told.get("tick")
    return LoggedFault(
        kind=str(told.get("kind", "fault")),
        says=str(told.get("says", "")),
        tick=tick if isinstance(tick, int) else None,
        at=_number(told, "at"),
        answer=str(told.get("answer", "")),
    )


def _number(told: Mapping[str, Any], name: str) -> float:
    number = told.get(name)
    return float(number) if isinstance(number, int | float) else 0.0


LATEST_FAULTS: Final = 40  # faults told one by one
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")


class FaultStats(NamedTuple):
    """All faults of one kind: how many, the last of them, and what was done about them how often."""

    name: str
    times: int
    last: LoggedFault
    answers: Mapping[str, int]


class Troubles(NamedTuple):
    """Faults of the night by kind and the last ones in full, errors inside of play, and disagreements by kind."""

    kinds: Sequence[FaultStats]
    latest: Sequence[LoggedFault]
    faults: int
    errors: int | None  # None where the last session left no word of it
    disagreements: Mapping[str, int]


def troubles(run: RunReader, faults: Sequence[LoggedFault], summary: Mapping[str, Any]) -> Troubles:
    """Return all that went wrong in a run."""
    errors = summary.get("errors")
    return Troubles(
        kinds=_kinds(faults),
        latest=faults[-LATEST_FAULTS:],
        faults=len(faults),
        errors=errors if isinstance(errors, int) else None,
        disagreements=Counter(unnumbered(each.between) for each in events(run, DisagreementEvent)),
    )


def unnumbered(words: str) -> str:
    """Return words with N in the place of every number, so that the same at other figures counts as the same."""
    return _NUMBER.sub("N", words)


def _kinds(faults: Sequence[LoggedFault]) -> Sequence[FaultStats]:
    groups: dict[str, list[LoggedFault]] = {}
    for each in faults:
        groups.setdefault(each.kind, []).append(each)
    found = [
        FaultStats(name, len(each), each[-1], Counter(unnumbered(fault.answer) for fault in each))
        for name, each in groups.items()
    ]
    return sorted(found, key=lambda each: -each.times)


class RunStatus(Enum):
    """Every way that a run stands in the morning."""

    GOAL = "goal"
    LIMIT = "limit"
    GAVE_UP = "gave_up"
    INTERRUPTED = "interrupted"
    ERROR = "error"
    ENDED = "ended"  # in order, for no recorded reason
    OPEN = "open"


LAST: Final = (RunStatus.GOAL, RunStatus.GAVE_UP)  # no supervisor goes on after these


class RunVerdict(NamedTuple):
    """How a run ended, which limit it was, why in a line, and what keeps it from being a clean run."""

    kind: RunStatus
    which: str
    why: str
    unclean: Sequence[str]

    @property
    def is_clean(self) -> bool:
        """Whether the run was never taken back by hand."""
        return not self.unclean


def summary_of(folder: Path, last_tick: int) -> Mapping[str, Any]:
    """Return what the last session said when it ended; nothing where play went on since, or it left no word."""
    try:
        summary = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    fits = isinstance(summary, dict) and summary.get("ticks") == last_tick
    return summary if fits else {}


def _ended(
    night: NightLog, summary: Mapping[str, Any], by_store: tuple[RunStatus, str]
) -> tuple[RunStatus, str, str]:
    """Return how a run ended, which limit it was, and why: as its last witness tells."""
    if night.ruling is not None:
        which, why = (str(night.ruling.get(name, "")) for name in ("which", "why"))
        return _status(str(night.ruling.get("verdict", ""))), which, why
    found = (*by_store, "")
    if summary:
        stop = str(summary.get("stop", ""))
        found = _status(stop), "ticks" if stop == "ticks" else "", str(summary.get("reason", ""))
    if night.starts and found[0] not in LAST:
        return RunStatus.OPEN, "", ""  # a child has ended; the night has not
    return found


def _end_by_store(
    run: RunReader, limits: Mapping[str, Any], reached: Sequence[MilestoneEntry], last_tick: int
) -> tuple[RunStatus, str]:
    """Return how the file itself shows that the run ended, and which limit it was."""
    if limits.get("until") in {each.id for each in reached}:
        return RunStatus.GOAL, ""
    ends = [each.tick for each in run.events("session_ended")]
    if ends[-1:] != [last_tick]:
        return RunStatus.OPEN, ""
    if last_tick == limits.get("ticks"):
        return RunStatus.LIMIT, "ticks"
    stuck = [each for each in events(run, StuckEvent) if each.tick == last_tick]
    gave_up = any("give_up" in each.rungs for each in stuck)
    return RunStatus.GAVE_UP if gave_up else RunStatus.ENDED, ""


def _status(word: str) -> RunStatus:
    if word == "ticks":
        return RunStatus.LIMIT
    return RunStatus(word) if word in {each.value for each in RunStatus} else RunStatus.ENDED


class Rollback(NamedTuple):
    """One time that play went back: to `to`, from tick `left` of a branch that died, and why."""

    to: TickTime
    left: int
    why: BranchedBy


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a run has to tell; the parts that it lacks are empty."""

    run: str
    path: Path
    settings: Mapping[str, Any]
    until: str  # the milestone to reach, in words
    verdict: RunVerdict
    last: TickTime
    milestones: Sequence[MilestoneEntry]
    pending: Sequence[str]
    badges: int
    returns: Sequence[Rollback]
    team: TeamHistory
    process: Process
    battles: Battles
    stuck: Sequence[StuckEntry]
    learnt: Learnt
    advice: AdviceSummary
    troubles: Troubles
    deeds: ActionsTaken
    night: NightLog
    trail: Sequence[TrailRow] = field(repr=False)

    @property
    def restarts(self) -> int:
        """How often play was begun again in another process."""
        return max(len(self.process.sessions), self.night.starts, 1) - 1


def gather(folder: RunFolder[RunReader], cartridge: Cartridge | None) -> Gathered:
    """Return what the run in `folder` has to tell; without its cartridge some names are only numbers."""
    run, settings = folder.store, folder.settings
    story = Story.of(cartridge.kind) if cartridge is not None else None
    times, night = Times.of(run), NightLog.read(folder.path)
    reached = list(milestones(run, story, times))
    limits = settings.get("limits", {})
    goal = str(limits.get("until", ""))
    summary = summary_of(folder.path, times.last.tick)
    branchings, trail = run.branchings(), run.trail()
    by_store = _end_by_store(run, limits, reached, times.last.tick)
    moved = summary.get("moved")
    by_hand = [
        f"taken back by hand from tick {each.left:,} to tick {each.tick:,}"
        for each in branchings
        if each.why == "asked"
    ]
    return Gathered(
        run=run.run_id,
        path=folder.path,
        settings=settings,
        until=said(story, goal),
        verdict=RunVerdict(*_ended(night, summary, by_store), by_hand),
        last=times.last,
        milestones=reached,
        pending=pending(story, reached, goal),
        badges=max((row.badges for row in trail), default=0),
        returns=[Rollback(times.when(each.tick), each.left, each.why) for each in branchings],
        team=team_history(trail, _species(cartridge), times.last.game_s),
        process=process(run.vitals(), night.samples),
        battles=battles(run),
        stuck=list(episodes(run, times)),
        learnt=learnt(run, moved if isinstance(moved, Mapping) else {}),
        advice=advice(run, times),
        troubles=troubles(run, night.faults, summary),
        deeds=deeds(run, times),
        night=night,
        trail=trail,
    )


def _species(cartridge: Cartridge | None) -> Callable[[int], str]:
    """Return what names a species."""
    known = Dex.of(cartridge).all_species if cartridge is not None else {}
    return lambda number: known[number].name if number in known else f"species {number}"
