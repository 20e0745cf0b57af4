"""The dates of a memory: which are believed, what replaces the others, and to which date knowledge has decayed.

A clock may be wrong, now or in an earlier session, and a file may come from a machine with a wrong clock. Knowledge
therefore decays by the time between openings, of which a longer pause than a month counts as a month.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Any, Final

from memory.blackboard.entry import Entry
from memory.store.database import Database
from memory.tiers.contributions import ByEntry, Contribution
from memory.tiers.knowledge import KIND_BY_NAME, KNOWLEDGE_SCOPES, MONTH_S
from memory.tiers.lasting import TOTALS_KEY, Key, OutboxRow

EARLIEST: Final = 1_735_689_600.0  # 2025-01-01 UTC, before the first release: a clock that shows less was never set
# Of the clocks of two machines, and of a session that goes on after its opening.
TOLERANCE_S: Final = 86_400.0
DATED: Final = frozenset(  # the fields of records that are dates
    {
        "last_validated",
        "first_used",
        "last_used",
        "first_occurred",
        "last_occurred",
        "created_at",
        "updated_at",
    }
)
STORED: Final = "SELECT decayed_at, opened_at FROM dates"


@dataclass(frozen=True, slots=True)
class Dates:
    """What is believed of the dates of one memory at one opening, in epoch seconds.

    `today` is the date of the opening, `opened` of the one before; knowledge has decayed to `decayed`, and decays to `now`,
    which lags behind `today` once a pause was longer than counts. Other dates are believed from `earliest` to `latest`; `opened` replaces the rest, and `today` those of new lessons.
    """

    today: float
    opened: float
    decayed: float
    now: float
    earliest: float = -inf
    latest: float = inf

    @property
    def is_unset(self) -> bool:
        """Whether the clock was never set."""
        return self.latest == inf

    @property
    def lags(self) -> bool:
        """Whether decay lags behind the dates."""
        return self.now < self.today and not self.is_unset

    def fades_from(self, at: float) -> float:
        """Return the date, on the time line of decay, from which a lesson of the date `at` fades."""
        return min(at, self.now) if self.lags else at

    def is_wrong(self, date: object) -> bool:
        """Return whether a date is not believed."""
        if isinstance(date, bool) or not isinstance(date, int | float):
            return True
        return not isfinite(date) or not self.earliest <= date <= self.latest

    def right(self, date: Any) -> float:  # noqa: ANN401  # a file may hold anything
        """Return a date, or the one that replaces it."""
        return self.opened if self.is_wrong(date) else float(date)

    def wrong_in(self, record: Mapping[str, object]) -> dict[str, object]:
        """Return the wrong dates among the fields of a record, by name."""
        return {name: record[name] for name in DATED & record.keys() if self.is_wrong(record[name])}

    def corrected_entry(self, entry: Entry) -> Entry:
        """Return an entry of knowledge with believed dates: itself when it has only such, or is another entry."""
        if entry.scope not in KNOWLEDGE_SCOPES or not (wrong := self.wrong_in(entry.data)):
            return entry
        return entry._replace(data={**entry.data, **dict.fromkeys(wrong, self.opened)})

    def wrong_of(self, contribution: Contribution) -> dict[str, object]:
        """Return the wrong dates of a contribution, by name."""
        return {name: at for name, at in _dates_of(contribution) if self.is_wrong(at)}

    def corrected(self, contribution: Contribution) -> Contribution:
        """Return a contribution with believed dates."""
        closing, record = contribution.closing, contribution.record
        if closing is not None:
            closing = replace(closing, at=self.right(closing.at))
        if record is None:
            return replace(contribution, closing=closing)
        data = contribution.content["data"]
        wrong = (
            dict.fromkeys(self.wrong_in(data), self.opened) if _is_knowledge(contribution) else {}
        )
        return replace(
            contribution,
            closing=closing,
            record={**record, "data": {**data, **wrong}},
            since=self.right(contribution.since),
            at=self.right(contribution.at),
            relevant_at=self.right(contribution.relevant_at),
            dates_by_trust={
                status: self.right(at) for status, at in contribution.dates_by_trust.items()
            },
        )

    def corrected_lesson(self, lesson: OutboxRow) -> OutboxRow:
        """Return a lesson with believed dates: its run may have begun under a wrong clock."""
        payload = lesson.payload
        wrong = self.wrong_in(payload).keys() | (
            {"at"} if "at" in payload and self.is_wrong(payload["at"]) else set()
        )
        if not wrong:
            return lesson
        return replace(lesson, payload={**payload, **dict.fromkeys(wrong, self.today)})


def _is_knowledge(contribution: Contribution) -> bool:
    return contribution.content["kind"] in KIND_BY_NAME


def _dates_of(contribution: Contribution) -> Iterator[tuple[str, object]]:
    if contribution.closing is not None:
        yield "closing", contribution.closing.at
    if contribution.record is not None:
        yield "since", contribution.since
        yield "at", contribution.at
        yield "relevant_at", contribution.relevant_at
        yield from contribution.dates_by_trust.items()
        data = contribution.content["data"]
        for name in DATED & data.keys() if _is_knowledge(contribution) else ():
            yield name, data[name]


def _all_dates(contributions: ByEntry) -> Iterator[Any]:
    for key, runs in contributions.items():
        for contribution in runs.values() if key != TOTALS_KEY else ():
            yield from (at for _, at in _dates_of(contribution))


def wrong_contributions(dates: Dates, contributions: ByEntry) -> Iterator[tuple[Key, str]]:
    """Yield key and run of each contribution with a wrong date. Totals have no dates."""
    for key, runs in contributions.items():
        for run_id, contribution in runs.items() if key != TOTALS_KEY else ():
            if dates.wrong_of(contribution):
                yield key, run_id


def dates_at(clock: float, database: Database, contributions: ByEntry) -> Dates:
    """Return what is believed of the dates of a memory when the clock shows `clock`.

    Under a clock that was never set no date since 1970 can be judged: all are believed, and nothing decays.
    """
    decayed_at, opened_at = database.row(STORED) or (clock, clock)
    if not _is_set(clock):
        opened = opened_at if _is_set(opened_at) else clock
        return Dates(opened, opened, 0.0, 0.0, earliest=0.0)
    at = [decayed_at, *_all_dates(contributions)]
    known = Dates(clock, clock, clock, clock, EARLIEST, clock + TOLERANCE_S)
    lessons = [each for each in at if not known.is_wrong(each)] or [clock]
    opened = max(lessons) if known.is_wrong(opened_at) else opened_at
    # No memory decays beyond its opening.
    is_lost = known.is_wrong(decayed_at) or decayed_at > opened
    decayed = min([opened, *lessons]) if is_lost else decayed_at  # it begins again
    passed = min(max(0.0, clock - opened), MONTH_S)
    return replace(
        known,
        today=max(clock, opened),
        opened=opened,
        decayed=decayed,
        now=max(decayed, min(clock, decayed + passed)),
    )


def _is_set(date: object) -> bool:
    return isinstance(date, int | float) and isfinite(date) and date >= EARLIEST


def save_dates(database: Database, decayed_at: float, opened_at: float) -> None:
    """Store the date to which knowledge has decayed, and the date of the last opening."""
    database.execute(
        "INSERT INTO dates VALUES (1, ?1, ?2) "
        "ON CONFLICT DO UPDATE SET decayed_at = ?1, opened_at = ?2 "
        "WHERE decayed_at <> ?1 OR opened_at <> ?2",
        (decayed_at, opened_at),
    )


# Dates that no contribution holds: of archived rows, and of entries that several runs agree on.
_ARCHIVED: Final = "FROM archive WHERE archived_at NOT BETWEEN ? AND ?"
_AGREED: Final = (
    "FROM ltm_entries WHERE scope = 'collective' AND CASE json_valid(data) "
    "AND json_type(data, '$.at') IS NOT NULL WHEN 1 THEN json_type(data, '$.at') NOT IN ('real', 'integer') "
    "OR json_extract(data, '$.at') NOT BETWEEN ? AND ? END"
)


def wrong_rows(database: Database, dates: Dates) -> list[tuple[str, str, object]]:
    """Return place, name of the date and its value, for wrong dates outside of contributions and of knowledge."""
    limits = dates.earliest, dates.latest
    archived = "SELECT 'archive row ' || number, 'archived_at', archived_at " + _ARCHIVED
    agreed = "SELECT 'entry ' || key, 'at', json_extract(data, '$.at') " + _AGREED
    found = [*database.rows(archived, limits), *database.rows(agreed, limits)]
    row = database.row(STORED)
    if row is not None and not dates.is_unset:
        decayed_at, opened_at = row
        if decayed_at != dates.decayed:
            found.append(("the memory", "decayed_at", decayed_at))
        if opened_at != dates.opened:
            found.append(("the memory", "opened_at", opened_at))
    return found


def correct_rows(database: Database, dates: Dates) -> None:
    """Correct the dates that `wrong_rows` returns, except those of the memory, which each opening sets."""
    limits = dates.earliest, dates.latest
    for change, rows in (
        ("UPDATE archive SET archived_at = ? WHERE number IN (SELECT number ", _ARCHIVED),
        (
            "UPDATE ltm_entries SET data = json_set(data, '$.at', ?) WHERE id IN (SELECT id ",
            _AGREED,
        ),
    ):
        database.execute(f"{change}{rows})", (dates.opened, *limits))
