"""What each run has contributed to one piece of knowledge, so that memories can be made one without counting twice.

A share only grows, lesson by lesson of its run: of two that a run has of one thing, in copies of a memory that grew
apart, the one with the later lesson contains the other. Whatever is known is folded from shares in an order that
depends on nothing but them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from memory.codec import Json, as_json, encode, from_json
from memory.tiers.agreement import TRUST, Word, standing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TOTALS_ROW: Final = "totals"  # the one row of totals
BY_HAND: Final = "by hand"  # who teaches what was saved without a run
OF_OLD: Final = "before/"  # how the names begin of those who taught a file before shares were kept
MANAGER: Final = "memory-management"  # who tells what several runs agree on


@dataclass(frozen=True, slots=True)
class Closing:
    """Why a run holds something to be no longer true, and since when."""

    sequence: int
    tick: int
    at: float
    reason: str
    evidence: tuple[str, ...]
    status: str = "verified"


@dataclass(frozen=True, slots=True)
class Share:
    """What one run taught of one thing, added up, and whether it closed it.

    `sequence` is its last lesson about it, `taught` the last that taught. Dates are in epoch seconds: `since` the first
    word, `at` the last, `fresh` when relevance was what the record says, `said` the last word of each trust.
    `let_go` says that somebody had it forgotten on purpose, up to that lesson.
    """

    run_id: str
    sequence: int = 0
    record: Mapping[str, Json] | None = None
    times: int = 0
    status: str = "verified"
    tick: int = 0
    taught: int = 0
    since: float = 0.0
    at: float = 0.0
    fresh: float = 0.0
    evidence: tuple[str, ...] = ()
    said: Mapping[str, float] = field(default_factory=dict)
    closing: Closing | None = None
    let_go: bool = False

    @property
    def is_known(self) -> bool:
        """Whether it teaches anything."""
        return self.record is not None

    @property
    def word(self) -> Word:
        """Its last word, to be weighed against those of others."""
        importance: Any = (self.record or {}).get("importance", 0)
        return Word(self.status, self.at, importance, self.run_id)

    def taught_again(self, lesson: Lesson, record: Mapping[str, Json]) -> Share:
        """Return the share after one more lesson, by which `record` is all that was taught.

        What the run itself had closed holds again, unless the lesson is of the very tick that closed it, or less trusted.
        """
        closing, said = self.closing, dict(self.said)
        if (
            closing is not None
            and lesson.tick != closing.tick
            and _may_open(lesson.status, closing)
        ):
            closing = None
        said[lesson.status] = max(said.get(lesson.status, lesson.at), lesson.at)
        return Share(
            run_id=self.run_id,
            sequence=lesson.sequence,
            record=record,
            times=self.times + 1,
            status=lesson.status,
            tick=lesson.tick,
            taught=lesson.sequence,
            since=min(self.since, lesson.at) if self.is_known else lesson.at,
            at=max(self.at, lesson.at),
            fresh=lesson.at,
            evidence=lesson.evidence,
            said=said,
            closing=closing,
        )

    def closed(self, closing: Closing) -> Share:
        """Return the share of a run that has seen that something does not hold."""
        return replace(self, sequence=closing.sequence, closing=closing)

    def to_json(self) -> dict[str, Json]:
        """Return everything but the run and the sequence, which are columns; what goes without saying is left out."""
        if self.let_go:
            return {"let_go": True}
        told: dict[str, Json] = {}
        if self.record is not None:
            at = self.at
            told = {"record": self.record, "times": self.times, "status": self.status, "at": at}
            told["tick"] = self.tick
            for name, value, usual in (
                ("evidence", self.evidence, ()),
                ("taught", self.taught, self.sequence),
                ("since", self.since, at),
                ("fresh", self.fresh, at),
                ("said", self.said, {self.status: at}),
            ):
                if value != usual:
                    told[name] = value
        if self.closing is not None:
            told["closing"] = as_json(self.closing)
        return told

    @classmethod
    def from_json(cls, run_id: str, sequence: int, told: Mapping[str, Any]) -> Share:
        """Return the share that `to_json` took apart."""
        closing = told.get("closing")
        if closing is not None:
            closing = from_json(Closing, closing)
        if told.get("record") is None:
            let_go = told.get("let_go", False)
            return cls(run_id, sequence, closing=closing, let_go=let_go)
        status, at = told["status"], told["at"]
        return cls(
            run_id=run_id,
            sequence=sequence,
            record=told["record"],
            times=told["times"],
            status=status,
            tick=told["tick"],
            taught=told.get("taught", sequence),
            since=told.get("since", at),
            at=at,
            fresh=told.get("fresh", at),
            evidence=tuple(told.get("evidence", ())),
            said=told.get("said", {status: at}),
            closing=closing,
        )


@dataclass(frozen=True, slots=True)
class Lesson:
    """One lesson, as far as every kind of it is alike; `at` is when what it tells of was last so."""

    sequence: int
    tick: int
    status: str
    at: float
    evidence: tuple[str, ...] = ()


def joined(one: Share, other: Share) -> Share:
    """Return which of two shares that one run has of one thing contains the other.

    The same lessons make the same share. Where they did not, as in files older than shares, the choice is the same
    whichever comes first.
    """
    return max(one, other, key=_reach)


def teaching(shares: Iterable[Share]) -> list[Share]:
    """Return the shares that teach something, the one that is believed last."""
    return sorted((each for each in shares if each.is_known), key=lambda each: standing(each.word))


def closing_of(shares: Iterable[Share]) -> Closing | None:
    """Return why something is closed: the newest closing that no newer evidence, as much to be trusted, has undone."""
    known = list(shares)
    stands = [
        (each.closing.at, each.run_id, each.closing)
        for each in known
        if each.closing is not None
        and not any(_undoes(other, each.closing) for other in known if other.run_id != each.run_id)
    ]
    return max(stands, key=lambda row: row[:2])[2] if stands else None


def outspoken(shares: Iterable[Share], by: Share) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return why each of `shares` does not stand against the one that is believed, and what shows it, by run."""
    reason = f"{by.run_id} says otherwise, which is {by.status} and "
    evidence = (f"run:{by.run_id}", *by.evidence)
    return {
        each.run_id: (
            reason + ("newer" if TRUST[each.status] == TRUST[by.status] else "more to be trusted"),
            evidence,
        )
        for each in shares
    }


def _undoes(share: Share, closing: Closing) -> bool:
    return share.is_known and any(
        at > closing.at and _may_open(status, closing) for status, at in share.said.items()
    )


def _may_open(status: str, closing: Closing) -> bool:
    return TRUST[status] >= TRUST[closing.status]


def _reach(share: Share) -> tuple[int, bool, int, str]:
    return share.sequence, share.let_go, share.times, encode(share.to_json())
