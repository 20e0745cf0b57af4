"""How a run ended: by the supervisor's word, by that of its last session, or by what its file shows."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final

from agent.report.gather.night import Night
from memory import Branching, RunReader

SUMMARY: Final = "summary.json"


class Kind(Enum):
    """Every way that a run stands in the morning."""

    GOAL = "goal"
    LIMIT = "limit"
    GAVE_UP = "gave_up"
    INTERRUPTED = "interrupted"
    ERROR = "error"
    ENDED = "ended"  # in order, and nobody noted why
    OPEN = "open"


LAST: Final = (Kind.GOAL, Kind.GAVE_UP)  # no supervisor goes on after these


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a run ended, which limit it was, why in a line, and what keeps it from being a clean run."""

    kind: Kind
    which: str
    why: str
    unclean: Sequence[str]

    @property
    def is_clean(self) -> bool:
        """Whether nobody took the run back by hand."""
        return not self.unclean


@dataclass(frozen=True, slots=True)
class Evidence:
    """What there is to judge by; `summary` is that of the last session, or empty where it left none."""

    night: Night
    summary: Mapping[str, Any]
    settings: Mapping[str, Any]
    reached: frozenset[str]
    last_tick: int


def summary_of(folder: Path, last_tick: int) -> Mapping[str, Any]:
    """Return what the last session said when it ended; nothing where play went on since, or it left no word."""
    try:
        summary = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    fits = isinstance(summary, dict) and summary.get("ticks") == last_tick
    return summary if fits else {}


def verdict(run: RunReader, evidence: Evidence, returns: Sequence[Branching]) -> Verdict:
    """Return the verdict on a run."""
    kind, which, why = _ended(run, evidence)
    by_hand = [
        f"taken back by hand from tick {each.left:,} to tick {each.tick:,}"
        for each in returns
        if each.why == "asked"
    ]
    return Verdict(kind, which, why, by_hand)


def _ended(run: RunReader, evidence: Evidence) -> tuple[Kind, str, str]:
    ruling = evidence.night.ruling
    if ruling is not None:
        return _kind(ruling.verdict), ruling.which, ruling.why
    found = _told(evidence.summary) if evidence.summary else _shown(run, evidence)
    if evidence.night.starts and found[0] not in LAST:
        return Kind.OPEN, "", ""  # a child has ended; the night has not
    return found


def _told(summary: Mapping[str, Any]) -> tuple[Kind, str, str]:
    """Return what the last session said of its end."""
    stop = str(summary.get("stop", ""))
    return _kind(stop), "ticks" if stop == "ticks" else "", str(summary.get("reason", ""))


def _shown(run: RunReader, evidence: Evidence) -> tuple[Kind, str, str]:
    """Return what the file itself shows of the end."""
    limits = evidence.settings.get("limits", {})
    if limits.get("until") in evidence.reached:
        return Kind.GOAL, "", ""
    ends = [each.tick for each in run.events("session_ended")]
    if ends[-1:] != [evidence.last_tick]:
        return Kind.OPEN, "", ""
    if evidence.last_tick == limits.get("ticks"):
        return Kind.LIMIT, "ticks", ""
    stuck = [each for each in run.events("stuck") if each.tick == evidence.last_tick]
    if any("give_up" in each.payload.get("rungs", ()) for each in stuck):
        return Kind.GAVE_UP, "", ""
    return Kind.ENDED, "", ""


def _kind(word: str) -> Kind:
    if word == "ticks":
        return Kind.LIMIT
    return Kind(word) if word in {each.value for each in Kind} else Kind.ENDED
