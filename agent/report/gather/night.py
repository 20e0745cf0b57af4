"""What the supervisor wrote of a night: restarts, faults with what was done about them, samples, a verdict.

Lines that cannot be read are counted and passed over: a machine that went down may have torn the last one.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

FILE: Final = "night.jsonl"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that went wrong, and what the supervisor did about it."""

    kind: str
    says: str
    tick: int | None
    at: float
    answer: str


@dataclass(frozen=True, slots=True)
class Sample:
    """One look of the supervisor at its own log, in bytes; of the rest the run's vitals tell more."""

    at: float
    log_bytes: float


@dataclass(frozen=True, slots=True)
class Ruling:
    """How the supervisor ended the night."""

    verdict: str
    which: str
    why: str
    at: float


@dataclass(frozen=True, slots=True)
class Night:
    """The whole log; a run without one has an empty one."""

    began: Sequence[float] = ()
    starts: Sequence[tuple[float, int]] = ()  # seconds since 1970, and the tick that a child was at
    faults: Sequence[Fault] = ()
    samples: Sequence[Sample] = field(default=(), repr=False)
    ruling: Ruling | None = None
    unreadable: int = 0

    @property
    def restarts(self) -> int:
        """How often a child was started again."""
        return max(len(self.starts) - 1, 0)

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Return what the log in a run's folder says."""
        try:
            text = (folder / FILE).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return cls()
        lines = [each for each in text.splitlines() if each.strip()]
        told = list(_told(lines))
        return cls(
            began=[_number(each, "at") for each in told if each["what"] == "began"],
            starts=[
                (_number(each, "at"), int(_number(each, "tick")))
                for each in told
                if each["what"] == "started"
            ],
            faults=[_fault(each) for each in told if each["what"] == "fault"],
            samples=[_sample(each) for each in told if each["what"] == "sample"],
            ruling=_ruling(told),
            unreadable=len(lines) - len(told),
        )


def _told(lines: Iterable[str]) -> Iterator[Mapping[str, Any]]:
    for line in lines:
        try:
            told = json.loads(line)
        except ValueError:
            continue
        if isinstance(told, dict) and isinstance(told.get("what"), str):
            yield told


def _ruling(told: Sequence[Mapping[str, Any]]) -> Ruling | None:
    """Return the last verdict, unless the night was begun again since."""
    for each in reversed(told):
        if each["what"] in {"began", "started"}:
            return None
        if each["what"] == "verdict":
            which, why = str(each.get("which", "")), str(each.get("why", ""))
            return Ruling(str(each.get("verdict", "")), which, why, _number(each, "at"))
    return None


def _fault(told: Mapping[str, Any]) -> Fault:
    tick = told.get("tick")
    return Fault(
        kind=str(told.get("kind", "fault")),
        says=str(told.get("says", "")),
        tick=tick if isinstance(tick, int) else None,
        at=_number(told, "at"),
        answer=str(told.get("answer", "")),
    )


def _sample(told: Mapping[str, Any]) -> Sample:
    return Sample(_number(told, "at"), _number(told, "log_bytes"))


def _number(told: Mapping[str, Any], name: str) -> float:
    number = told.get(name)
    return float(number) if isinstance(number, int | float) else 0.0
