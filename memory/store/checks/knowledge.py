"""All checks of a knowledge file: contradictions, impossible figures, orphans, and outdated rows."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from math import inf
from typing import Final

from memory.blackboard.entry import Entry
from memory.codec import Json, as_json, encode
from memory.store.checks.finding import (
    CheckFinding,
    KnowledgeContent,
    damaged_indexes,
    duplicate_keys,
    finding,
    fix,
    knowledge_content,
    rows_by_run,
)
from memory.store.checks.repair import Repairs
from memory.store.contributions import BY_HAND, MANAGER, RESTORED, ByRow, ContributionTable
from memory.store.database import Database
from memory.store.dates import Dates, dates_at, wrong_contributions, wrong_rows
from memory.store.knowledge_tables import (
    BY_NAME,
    MISTAKES,
    PATTERNS,
    PREFERENCES,
    STRATEGIES,
    TABLES,
    known_from,
)
from memory.store.long_term import IMPORTANT, MAX_ENTRIES, id_of
from memory.tiers.forgetting import MONTH_S, KnowledgeKey, decayed, values
from memory.tiers.knowledge import (
    KINDS,
    SEVERITIES,
    ConsolidationConfig,
    Knowledge,
    KnowledgeRecord,
    LearnedPattern,
    MistakeRecord,
    PlayerPreference,
    SuccessfulStrategy,
)
from memory.tiers.lessons import ENTRIES

# Why a record has no evidence; or the finding, the corrected fields, and further details for its text.
_Flaw = str | tuple[str, Mapping[str, object], Mapping[str, object]] | None

CONFIG: Final = ConsolidationConfig()
MIN_USES: Final = CONFIG.min_occurrences_for_pattern  # uses below which a rate proves little
TOLERANCE: Final = 1e-3  # wins or battles: floating point error
MONTHS: Final = 6  # after which knowledge is outdated
NON_RUN_SOURCES: Final = frozenset({BY_HAND, MANAGER, RESTORED})  # sources that did not play
_OLD_RELEVANCE: Final = CONFIG.forgetting_decay_rate**MONTHS  # relevance at that age
_RUN_SOURCE: Final = re.compile(r"run:(?P<run>.+)|(?P<entry>[^/:]+)/\d+")
_CHECKED: Final = frozenset({"provenance", "deliveries", "ltm_entries"})  # by separate checks


def check_knowledge(database: Database, *, now: float) -> Iterator[CheckFinding]:
    """Yield the findings of the knowledge in `database`, which may be written to, at the date `now`."""
    yield from damaged_indexes(database, Repairs.reindex)
    contributions = ContributionTable(database).all()
    dates = dates_at(now, database, contributions)
    data = knowledge_content(database, dates)
    for unreadable in data.unreadable:
        yield finding("unreadable", fix(Repairs.archive_unreadable, unreadable), row=unreadable)
    yield from _strategies(list(data.open(STRATEGIES.name).values()))
    yield from _patterns(data)
    entries = [(entry.seq, entry) for _, entry in data.entries]
    yield from duplicate_keys(entries, "archived", partial(fix, Repairs.archive_entry))
    yield from _figures(data)
    yield from _dates(data, dates, contributions)
    yield from _provenance(data)
    yield from _lessons(data)
    yield from _evidence(data)
    for table, run_id in rows_by_run(database, _CHECKED):
        if run_id not in {*data.deliveries, *NON_RUN_SOURCES}:
            yield finding("rows_of_unknown_run", table=table, run_id=run_id)
    yield from _outdated_rows(data, dates)
    for known, entry in data.entries:
        if (ENTRIES, id_of(entry.scope, entry.key)) not in data.restored:
            yield from _outdated_entry(entry, known.origin)
    yield from _caps(data)


def _strategies(strategies: Sequence[SuccessfulStrategy]) -> Iterator[CheckFinding]:
    same: defaultdict[str, list[SuccessfulStrategy]] = defaultdict(list)
    # The one with most uses first: the others are merged into it.
    for each in sorted(strategies, key=lambda each: (-each.total_uses, each.strategy_id)):
        matchup: list[Json] = [each.enemy_type, each.player_pokemon]
        same[encode([*matchup, each.moves_sequence])].append(each)
    for first, *others in same.values():
        moves = ", ".join(first.moves_sequence)
        for other in others:
            action = fix(Repairs.merge_strategies, first, other)
            yield finding("duplicate_strategy", action, first=first, other=other, moves=moves)


def _patterns(data: KnowledgeContent) -> Iterator[CheckFinding]:
    for pattern in data.open(PATTERNS.name).values():
        total = pattern.success_count + pattern.failure_count
        if total >= MIN_USES and pattern.failure_count >= CONFIG.pattern_threshold * total:
            reason = f"it failed {pattern.failure_count} of {total} times"
            action = fix(Repairs.close_row, PATTERNS.name, pattern.pattern_id, reason)
            yield finding("failing_pattern", action, pattern=pattern, reason=reason)


def _figures(data: KnowledgeContent) -> Iterator[CheckFinding]:
    """Yield inconsistent figures."""
    for table, flaw_of in (
        (PATTERNS, _pattern),
        (STRATEGIES, _strategy),
        (MISTAKES, _mistake),
        (PREFERENCES, _preference),
    ):
        for name, record in data.records[table.name].items():
            where = f"{table.kind.name} {name}"
            match flaw_of(record):
                case None:
                    pass
                case str(what):
                    action = fix(Repairs.archive_row, table.name, name, as_json(record))
                    yield finding("no_evidence", action, where=where, what=what)
                case (wrong, right, details):
                    action = fix(Repairs.change, table.name, record, **right)
                    yield finding(wrong, action, where=where, each=record, right=right, **details)
    yield from _stats(data)
    for known, entry in data.entries:
        if known.times < 1 or not 0.0 <= entry.relevance <= 1.0 or not 0.0 <= entry.utility <= 1.0:
            action = fix(Repairs.clamp_entry, entry.seq)
            yield finding("entry_figures", action, entry=entry, times=known.times)


def _pattern(each: LearnedPattern) -> _Flaw:
    worked, failed, relevance = each.success_count, each.failure_count, each.relevance_score
    total = worked + failed
    if min(worked, failed) < 0 or total < 1:
        return f"{each.description!r} worked {worked} and failed {failed} times"
    if abs(each.confidence - (share := worked / total)) > TOLERANCE:
        right = {"confidence": share, "relevance_score": _clamped(relevance, share)}
        return "pattern_confidence", right, {"total": total}
    if not 0.0 <= relevance <= each.confidence + TOLERANCE:
        return "pattern_relevance", {"relevance_score": _clamped(relevance, each.confidence)}, {}
    return None


def _strategy(each: SuccessfulStrategy) -> _Flaw:
    if each.total_uses < 1:
        return f"{each.strategy_description!r} was used {each.total_uses} times"
    wins = each.success_rate * each.total_uses
    nearest = min(max(round(wins), 0), each.total_uses)
    if abs(wins - nearest) > TOLERANCE * each.total_uses:
        right = {"success_rate": nearest / each.total_uses}
        return "strategy_rate", right, {"wins": wins, "nearest": nearest}
    return _swapped_dates(each, "first_used", "last_used")


def _mistake(each: MistakeRecord) -> _Flaw:
    if each.occurrence_count < 1:
        return f"{each.description!r} occurred {each.occurrence_count} times"
    if each.severity not in SEVERITIES:
        details = {"severities": ", ".join(SEVERITIES)}
        return "mistake_severity", {"severity": SEVERITIES[0]}, details
    return _swapped_dates(each, "first_occurred", "last_occurred")


def _preference(each: PlayerPreference) -> _Flaw:
    if not 0.0 <= each.confidence <= 1.0:
        return "preference_confidence", {"confidence": _clamped(each.confidence, 1.0)}, {}
    return _swapped_dates(each, "created_at", "updated_at")


def _swapped_dates(each: KnowledgeRecord, first: str, last: str) -> _Flaw:
    began, ended = getattr(each, first), getattr(each, last)
    if began <= ended:
        return None
    names = {"first": first.replace("_", " "), "last": last.replace("_", " ")}
    return "swapped_dates", {first: ended, last: began}, names


def _clamped(value: float, most: float) -> float:
    return min(max(value, 0.0), most)


def _dates(data: KnowledgeContent, dates: Dates, known: ByRow) -> Iterator[CheckFinding]:
    """Yield the dates that cannot be right, by row."""
    wrong: list[tuple[str, Mapping[str, object]]] = [
        (where, {name: at}) for where, name, at in wrong_rows(data.database, dates)
    ]
    for (table, name), record in data.misdated.items():
        wrong.append((f"{BY_NAME[table].kind.name} {name}", dates.wrong_in(record)))
    for table, name, run_id in wrong_contributions(dates, known):
        where = f"lessons of run {run_id} about {table} {name}"
        wrong.append((where, dates.wrong_of(known[table, name][run_id])))
    for where, fields in wrong:
        texts = (f"{name} is {_date_text(at)}" for name, at in fields.items())
        right = dates.decayed if "decayed_at" in fields else dates.opened
        details = {"what": ", ".join(texts), "right": _date_text(right)}
        yield finding("wrong_date", Repairs.correct_dates, where=where, **details)


def _date_text(at: object) -> str:
    """Return a date as text, or a value that is none as it is stored."""
    try:
        return f"{datetime.fromtimestamp(float(at), UTC):%Y-%m-%d}"  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError, OSError):
        return f"{at!r:.40}"


def _stats(data: KnowledgeContent) -> Iterator[CheckFinding]:
    if data.stats is None:
        return
    sessions, battles, rate = data.stats
    nearest = min(max(round(rate * battles), 0), max(battles, 0))
    if min(sessions, battles) >= 0 and abs(rate * battles - nearest) <= TOLERANCE * max(1, battles):
        return
    sums = max(sessions, 0), max(battles, 0), max(nearest, 0)
    details = {"sessions": sessions, "battles": battles, "rate": rate, "sums": sums}
    share = nearest / battles if battles > 0 else 0.0
    yield finding("totals", fix(Repairs.replace_totals, *sums), **details, share=share)


def _provenance(data: KnowledgeContent) -> Iterator[CheckFinding]:
    there = {(each.table, each.id) for each in data.unreadable}
    there |= {(table, name) for table, records in data.records.items() for name in records}
    for (table, name), known in data.provenance.items():
        if table not in BY_NAME or (table, name) not in there:
            action = fix(Repairs.drop_provenance, table, name, [*known[:5], list(known.evidence)])
            yield finding("orphan_provenance", action, table=table, id=name, known=known)
    for table, name in data.lost:
        action = fix(Repairs.drop_provenance, table, name, "unreadable")
        yield finding("unreadable_provenance", action, table=table, id=name)


def _lessons(data: KnowledgeContent) -> Iterator[CheckFinding]:
    """Yield runs with lessons beyond their recorded delivery: resumed, they would deliver these again."""
    last_lesson: defaultdict[str, int] = defaultdict(int)
    for (table, memory_id), where in data.provenance.items():
        if memory_id in data.records.get(table, ()) and where.run_id:
            last_lesson[where.run_id] = max(last_lesson[where.run_id], where.sequence)
    for known, _ in data.entries:
        last_lesson[known.run_id] = max(last_lesson[known.run_id], known.sequence)
    for run_id, sequence in sorted(last_lesson.items()):
        delivered = data.deliveries.get(run_id)
        if run_id in NON_RUN_SOURCES or (delivered is not None and delivered >= sequence):
            continue  # no run delivered it
        so_far = "no lesson" if delivered is None else f"lessons up to {delivered}"
        action = fix(Repairs.record_delivery, run_id, sequence)
        yield finding("undelivered", action, run_id=run_id, sequence=sequence, so_far=so_far)


def _evidence(data: KnowledgeContent) -> Iterator[CheckFinding]:
    known = {*data.deliveries, *(where.run_id for where in data.provenance.values())}
    for each, _ in data.entries:
        known |= {each.origin, each.run_id}
    details = [
        (f"{table} {memory_id}", where.evidence)
        for (table, memory_id), where in data.provenance.items()
        if memory_id in data.records.get(table, {})
    ]
    details += [(f"entry {entry.key}", entry.sources) for _, entry in data.entries]
    for name, sources in details:
        if lost := [each for each in sources if not _is_traceable(each, known)]:
            yield finding("untraceable_evidence", where=name, lost=", ".join(map(repr, lost)))


def _is_traceable(source: str, known: set[str]) -> bool:
    named = _RUN_SOURCE.fullmatch(source)
    return bool(source.strip()) and (named is None or (named["run"] or named["entry"]) in known)


def _outdated_rows(data: KnowledgeContent, dates: Dates) -> Iterator[CheckFinding]:
    now, known = dates.now, _decayed(data, dates)
    worth = values(known, now=now, rate=CONFIG.forgetting_decay_rate)
    for table in TABLES:
        for name, record in known.of(table.name).items():
            months = (now - table.kind.last_of(record)) / MONTH_S
            left, where = worth[KnowledgeKey(table.name, name)], f"{table.name} {name}"
            action = fix(
                Repairs.archive_row, table.name, name, as_json(data.records[table.name][name])
            )
            if (table.name, name) in data.restored:
                continue
            if (closed := data.closed(table.name, name)) and months > MONTHS:
                what = f"closed ({closed}), and {months:.0f} months old"
                yield finding("outdated", action, where=where, what=what)
            elif left < CONFIG.importance_threshold:
                what = f"it is worth {left:.2f} by now, under {CONFIG.importance_threshold}"
                yield finding("outdated", action, where=where, what=what)
            elif table is PATTERNS and months > MONTHS:
                yield finding("unproved", where=where, months=months)


def _decayed(data: KnowledgeContent, dates: Dates) -> Knowledge:
    """Return the knowledge decayed to now, from the date of its last decay or evidence."""
    known, rate = known_from(data.records), CONFIG.forgetting_decay_rate
    for kind in KINDS:
        records = known.of(kind.table)
        for name, record in () if kind.fades else records.items():
            left = decayed(max(dates.decayed, getattr(record, kind.date)), dates.now, rate)
            records[name] = replace(record, **{kind.worth: getattr(record, kind.worth) * left})
    return known


def _outdated_entry(entry: Entry, origin: str) -> Iterator[CheckFinding]:
    worth = entry.relevance * (0.5 + entry.utility)
    if entry.closed and entry.relevance < _OLD_RELEVANCE:
        what = f"closed ({entry.closed}), and more than {MONTHS} months old"
    elif entry.importance < IMPORTANT and worth < CONFIG.importance_threshold:
        what = f"it has faded to {worth:.2f}, under {CONFIG.importance_threshold}"
    else:
        return
    action, where = fix(Repairs.archive_entry, entry.seq), f"entry {entry.key}"
    yield finding("outdated", action, where=where, what=f"{what} (run {origin})")


def _caps(data: KnowledgeContent) -> Iterator[CheckFinding]:
    for kind in KINDS:
        room = getattr(CONFIG, kind.limit) if kind.limit else inf
        groups = Counter(
            f"patterns of type {each.pattern_type}" if kind.name == "pattern" else kind.collection
            for name, each in data.open(kind.table).items()
            if (kind.table, name) not in data.restored
        )
        for where, count in groups.items():
            if count > room:
                yield finding("too_many", Repairs.limit_rows, where=where, count=count, room=room)
    scopes = Counter(
        entry.scope
        for _, entry in data.entries
        if (ENTRIES, id_of(entry.scope, entry.key)) not in data.restored
    )
    for where, count in scopes.items():
        if count > MAX_ENTRIES:
            details = {"where": where, "count": count, "room": MAX_ENTRIES}
            yield finding("full_scope", Repairs.limit_entries, **details)
