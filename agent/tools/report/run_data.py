"""All data of the report of one run: how it ended, what went wrong, and the parts read by other modules.

It is read once, also while the run is playing. Unreadable lines of night.jsonl are counted and skipped.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from agent.app.summary import SUMMARY
from agent.app.verdicts import who_decided
from agent.events import DisagreementEvent, StuckEvent, events
from agent.perception.screen_readers import ReaderScore
from agent.story.story import Story
from agent.tools.overnight.logs import journal_lines, restarts_of
from agent.tools.report.advice import AdviceSummary, advice
from agent.tools.report.events import (
    ActionsTaken,
    Battles,
    MilestoneEntry,
    StuckEntry,
    actions_taken,
    battles,
    episodes,
    milestone_label,
    milestones,
    pending,
)
from agent.tools.report.learned import MemoryChanges, memory_changes
from agent.tools.report.timeline import Process, TeamHistory, TickTime, Times, process, team_history
from emulator import Cartridge, Dex
from memory import RunFolder, RunReader, TrailRow
from memory.file_access import read_json
from memory.store import BranchedBy

ENDS: Final = ("began", "started", "verdict")


class LoggedFault(NamedTuple):
    """One fault, and the reaction of the supervisor."""

    kind: str
    says: str
    tick: int | None
    at: float
    answer: str


@dataclass(frozen=True, slots=True)
class NightLog:
    """The content of `night.jsonl`, empty for a run without one. `ruling` is the last line with a verdict."""

    began: bool = False
    starts: int = 0
    restarts: int = 0
    faults: Sequence[LoggedFault] = ()
    samples: Sequence[tuple[float, float]] = field(default=(), repr=False)  # time, log bytes
    ruling: Mapping[str, Any] | None = None
    unreadable: int = 0

    @property
    def verdict(self) -> str:
        """The verdict of the last night, '' without one."""
        return str(self.ruling.get("verdict", "")) if self.ruling is not None else ""

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Return the content of the log in a run folder."""
        lines = journal_lines(folder)
        kinds: dict[str, list[Mapping[str, Any]]] = {}
        for line in filter(None, lines):
            kinds.setdefault(line["what"], []).append(line)
        ends = [line for line in filter(None, lines) if line["what"] in ENDS]
        samples = kinds.get("sample", ())
        return cls(
            began="began" in kinds,
            starts=len(kinds.get("started", ())),
            restarts=restarts_of(filter(None, lines)),
            faults=[_fault(each) for each in kinds.get("fault", ())],
            samples=[(_number(each, "at"), _number(each, "log_bytes")) for each in samples],
            # A verdict does not count when the night was started again after it.
            ruling=ends[-1] if ends and ends[-1]["what"] == "verdict" else None,
            unreadable=lines.count(None),
        )


def _fault(line: Mapping[str, Any]) -> LoggedFault:
    tick = line.get("tick")
    return LoggedFault(
        kind=str(line.get("kind", "fault")),
        says=str(line.get("says", "")),
        tick=tick if isinstance(tick, int) else None,
        at=_number(line, "at"),
        answer=str(line.get("answer", "")),
    )


def _number(line: Mapping[str, Any], name: str) -> float:
    number = line.get(name)
    return float(number) if isinstance(number, int | float) else 0.0


OTHER: Final = "other"
# What each disagreement between screen and RAM means, by the first word of its event.
DISAGREEMENTS: Final[Mapping[str, str]] = {
    "text": "Screen and RAM showed different text {times}: harmless, because play reads text from RAM.",
    "place": "Screen and RAM showed different places {times}: harmless, because no milestone counts until both agree.",
    "terrain": "The map in RAM and the screen differed {times}: harmless, because routes use the map in RAM only when both agree.",
    OTHER: "Screen and RAM differed {times} in a way that this version does not know.",
}
LATEST_FAULTS: Final = 40  # faults listed one by one
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")


class FaultStats(NamedTuple):
    """All faults of one kind: their count, the last of them, and the reactions by number of times."""

    name: str
    times: int
    last: LoggedFault
    answers: Mapping[str, int]


class Problems(NamedTuple):
    """Faults of the night by kind and the last ones in full, errors inside of play, and disagreements by kind."""

    kinds: Sequence[FaultStats]
    latest: Sequence[LoggedFault]
    faults: int
    errors: int | None  # None when the last session left no summary
    disagreements: Mapping[str, int]  # between screen and RAM, by their first word

    @property
    def are_there(self) -> bool:
        """Whether there was a fault or an error."""
        return bool(self.faults or self.errors)


def problems(run: RunReader, faults: Sequence[LoggedFault], summary: Mapping[str, Any]) -> Problems:
    """Return the faults, errors and disagreements of a run."""
    errors = summary.get("errors")
    return Problems(
        kinds=_kinds(faults),
        latest=faults[-LATEST_FAULTS:],
        faults=len(faults),
        errors=errors if isinstance(errors, int) else None,
        disagreements=Counter(_topic(each.between) for each in events(run, DisagreementEvent)),
    )


def _topic(disagreement: str) -> str:
    topic = disagreement.partition(":")[0]
    return topic if topic in DISAGREEMENTS else OTHER


def unnumbered(words: str) -> str:
    """Return a text with every number replaced by N, so that texts that differ only in numbers are equal."""
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


def _readers(summary: Mapping[str, Any]) -> Mapping[str, ReaderScore]:
    """Return how well text was read in the last session; nothing when the summary was edited to something else."""
    try:
        return {
            name: ReaderScore(
                int(each["frames"]),
                int(each["characters"]),
                int(each["right"]),
                str(each["missing"]),
                tuple(map(str, each["differences"])),
            )
            for name, each in summary.get("readers", {}).items()
        }
    except (AttributeError, LookupError, TypeError, ValueError):
        return {}


class RunStatus(Enum):
    """The status of a run."""

    GOAL = "goal"
    LIMIT = "limit"
    GAVE_UP = "gave_up"
    INTERRUPTED = "interrupted"
    ERROR = "error"
    ENDED = "ended"  # normally, without a recorded reason
    OPEN = "open"


LAST: Final = (RunStatus.GOAL, RunStatus.GAVE_UP)  # the supervisor does not continue after these


class RunVerdict(NamedTuple):
    """How a run ended, which limit it reached, the reason in a line, and why it is not a clean run."""

    kind: RunStatus
    which: str
    why: str
    unclean: Sequence[str]

    @property
    def is_clean(self) -> bool:
        """Whether the run was never rewound by hand."""
        return not self.unclean


def summary_of(folder: Path, last_tick: int) -> Mapping[str, Any]:
    """Return the summary of the last session; empty when there is none, or when play continued after it."""
    try:
        summary = read_json(folder / SUMMARY)
    except (OSError, ValueError):
        return {}
    fits = isinstance(summary, dict) and summary.get("ticks") == last_tick
    return summary if fits else {}


def _ended(
    night: NightLog, summary: Mapping[str, Any], by_store: tuple[RunStatus, str]
) -> tuple[RunStatus, str, str]:
    """Return how a run ended, which limit it reached, and why, from the latest source."""
    if night.ruling is not None:
        which, why = (str(night.ruling.get(name, "")) for name in ("which", "reason"))
        return _status(str(night.ruling.get("verdict", ""))), which, why
    found = (*by_store, "")
    if summary:
        stop = str(summary.get("stop", ""))
        found = _status(stop), "ticks" if stop == "ticks" else "", str(summary.get("reason", ""))
    if night.starts and found[0] not in LAST:
        return RunStatus.OPEN, "", ""  # a child process has ended, but not the night
    return found


def _end_by_store(
    run: RunReader, limits: Mapping[str, Any], reached: Sequence[MilestoneEntry], last_tick: int
) -> tuple[RunStatus, str]:
    """Return how the run ended by its own file, and which limit it reached."""
    if limits.get("until") in {each.id for each in reached}:
        return RunStatus.GOAL, ""
    ends = [each.tick for each in run.record.events("session_ended")]
    if ends[-1:] != [last_tick]:
        return RunStatus.OPEN, ""
    if last_tick == limits.get("ticks"):
        return RunStatus.LIMIT, "ticks"
    stuck = [each for each in events(run, StuckEvent) if each.tick == last_tick]
    gave_up = any("give_up" in each.recovery_steps for each in stuck)
    return RunStatus.GAVE_UP if gave_up else RunStatus.ENDED, ""


def _status(word: str) -> RunStatus:
    if word == "ticks":
        return RunStatus.LIMIT
    return RunStatus(word) if word in {each.value for each in RunStatus} else RunStatus.ENDED


class Rollback(NamedTuple):
    """One rewind to `to` from tick `left` of an abandoned branch, and its reason."""

    to: TickTime
    left: int
    why: BranchedBy


@dataclass(frozen=True, slots=True)
class RunData:
    """The data of one run; missing parts are empty."""

    run: str
    path: Path
    settings: Mapping[str, Any]
    decided_by: str  # rules, and the models whose advice it had
    until: str  # the label of the milestone to reach
    verdict: RunVerdict
    last: TickTime
    frames: int
    milestones: Sequence[MilestoneEntry]
    pending: Sequence[str]
    badges: int
    returns: Sequence[Rollback]
    team: TeamHistory
    process: Process
    battles: Battles
    stuck: Sequence[StuckEntry]
    learned: MemoryChanges
    advice: AdviceSummary
    problems: Problems
    readers: Mapping[str, ReaderScore]
    actions: ActionsTaken
    night: NightLog
    trail: Sequence[TrailRow] = field(repr=False)

    @property
    def rewound(self) -> int:
        """The number of returns to a checkpoint, without those where a session went on from the last one."""
        return sum(each.why != "resumed" for each in self.returns)

    @property
    def restarts(self) -> int:
        """The number of restarts by a supervisor."""
        return self.night.restarts


def read_run_data(folder: RunFolder[RunReader], cartridge: Cartridge | None) -> RunData:
    """Return the data of the run in `folder`; without its cartridge some names are only numbers."""
    run, settings = folder.store, folder.settings
    story = Story.of(cartridge.kind) if cartridge is not None else None
    times, night = Times.of(run), NightLog.read(folder.path)
    reached = list(milestones(run, story, times))
    limits = settings.get("limits", {})
    goal = str(limits.get("until", ""))
    summary = summary_of(folder.path, times.last.tick)
    branchings, trail = run.record.branchings(), run.record.trail()
    by_store = _end_by_store(run, limits, reached, times.last.tick)
    moved = summary.get("moved")
    asked = [each for each in branchings if each.why == "asked"]
    by_hand = [f"rewound by you from tick {each.left:,} to tick {each.tick:,}" for each in asked]
    return RunData(
        run=run.run_id,
        path=folder.path,
        settings=settings,
        decided_by=who_decided(run, str(settings.get("mind", ""))),
        until=milestone_label(story, goal),
        verdict=RunVerdict(*_ended(night, summary, by_store), by_hand),
        last=times.last,
        frames=times.frames[-1],
        milestones=reached,
        pending=pending(story, reached, goal),
        badges=max((row.badges for row in trail), default=0),
        returns=[Rollback(times.when(each.tick), each.left, each.why) for each in branchings],
        team=team_history(trail, _species(cartridge), times.last.game_s),
        process=process(run.record.vitals(), night.samples),
        battles=battles(run),
        stuck=list(episodes(run, times)),
        learned=memory_changes(run, moved if isinstance(moved, Mapping) else {}),
        advice=advice(run, times),
        problems=problems(run, night.faults, summary),
        readers=_readers(summary),
        actions=actions_taken(run, times),
        night=night,
        trail=trail,
    )


def _species(cartridge: Cartridge | None) -> Callable[[int], str]:
    """Return a function that names a species."""
    known = Dex.of(cartridge).all_species if cartridge is not None else {}
    return lambda number: known[number].name if number in known else f"species {number}"
