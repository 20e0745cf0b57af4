"""All checks of a knowledge file: contradictions, impossible figures, orphans, and outdated rows."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from math import inf
from typing import Any, Final

from memory.blackboard.entry import Entry
from memory.codec import Json, encode
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
from memory.store.database import Database
from memory.store.dates import Dates, dates_at, wrong_contributions, wrong_rows
from memory.store.knowledge_store import IMPORTANT, MAX_ENTRIES
from memory.store.lasting import ContributionTable
from memory.tiers.contributions import BY_HAND, MANAGER, RESTORED, ByEntry
from memory.tiers.knowledge import (
    KINDS,
    KNOWLEDGE_SCOPES,
    MONTH_S,
    SEVERITIES,
    ConsolidationConfig,
    KnowledgeRecord,
    LearnedPattern,
    MistakeRecord,
    PlayerPreference,
    SuccessfulStrategy,
    decayed,
)
from memory.tiers.lasting import ENTRIES, TOTALS_KEY, record_of, worth_of
from memory.tiers.tactician import MISTAKE, PATTERN, PREFERENCE, STRATEGY

# Why a record has no evidence; or the finding, the corrected fields, and further details for its text.
_Flaw = str | tuple[str, Mapping[str, object], Mapping[str, object]] | None

CONFIG: Final = ConsolidationConfig()
_COUNTS: Final = ("sessions", "battles", "victories")
MIN_USES: Final = CONFIG.min_occurrences_for_pattern  # uses below which a rate proves little
TOLERANCE: Final = 1e-3  # wins or battles: floating point error
MONTHS: Final = 6  # after which knowledge is outdated
NON_RUN_SOURCES: Final = frozenset({BY_HAND, MANAGER, RESTORED})  # sources that did not play
_OLD_RELEVANCE: Final = CONFIG.forgetting_decay_rate**MONTHS  # relevance at that age
_RUN_SOURCE: Final = re.compile(r"run:(?P<run>.+)|(?P<entry>[^/:]+)/\d+")
_CHECKED: Final = frozenset({"deliveries", ENTRIES})  # by separate checks


def check_knowledge(database: Database, *, now: float) -> Iterator[CheckFinding]:
    """Yield the findings of the knowledge in `database`, which may be written to, at the date `now`."""
    yield from damaged_indexes(database, Repairs.reindex)
    contributions = ContributionTable(database).all()
    dates = dates_at(now, database, contributions)
    data = knowledge_content(database, dates)
    for unreadable in data.unreadable:
        yield finding("unreadable", fix(Repairs.archive_unreadable, unreadable), row=unreadable)
    yield from _strategies(data)
    yield from _patterns(data)
    entries = [(entry.seq, entry) for _, entry in data.entries]
    yield from duplicate_keys(entries, "archived", partial(fix, Repairs.archive))
    yield from _figures(data)
    yield from _totals(database)
    yield from _dates(data, dates, contributions)
    yield from _lessons(data)
    yield from _evidence(data)
    for table, run_id in rows_by_run(database, _CHECKED):
        if run_id not in {*data.deliveries, *NON_RUN_SOURCES}:
            yield finding("rows_of_unknown_run", table=table, run_id=run_id)
    yield from _outdated_rows(data, dates)
    yield from _caps(data)


def _name(entry: Entry) -> str:
    """Return how a finding names an entry."""
    kind, _, name = entry.key.partition(":")
    return f"{kind} {name}" if entry.scope in KNOWLEDGE_SCOPES else f"entry {entry.key}"


def _open(data: KnowledgeContent, kind: str) -> Iterator[tuple[Entry, Any]]:
    """Yield the open entries of a kind of knowledge, each with its record."""
    return ((each, record_of(each)) for each in data.known(kind) if not each.closed)


def _strategies(data: KnowledgeContent) -> Iterator[CheckFinding]:
    same: defaultdict[str, list[tuple[Entry, SuccessfulStrategy]]] = defaultdict(list)
    # The one with most uses first: the others are merged into it.
    by_uses = sorted(_open(data, STRATEGY), key=lambda each: (-each[1].total_uses, each[0].key))
    for entry, each in by_uses:
        matchup: list[Json] = [each.enemy_type, each.player_pokemon]
        same[encode([*matchup, each.moves_sequence])].append((entry, each))
    for (most, first), *others in same.values():
        moves = ", ".join(first.moves_sequence)
        for entry, other in others:
            action = fix(Repairs.merge_into, most, entry)
            yield finding("duplicate_strategy", action, first=first, other=other, moves=moves)


def _patterns(data: KnowledgeContent) -> Iterator[CheckFinding]:
    for entry, pattern in _open(data, PATTERN):
        total = pattern.success_count + pattern.failure_count
        if total >= MIN_USES and pattern.failure_count >= CONFIG.pattern_threshold * total:
            reason = f"it failed {pattern.failure_count} of {total} times"
            action = fix(Repairs.close_entry, entry, reason)
            yield finding("failing_pattern", action, pattern=pattern, reason=reason)


def _figures(data: KnowledgeContent) -> Iterator[CheckFinding]:
    """Yield inconsistent figures."""
    for name, flaw_of in (
        (PATTERN, _pattern),
        (STRATEGY, _strategy),
        (MISTAKE, _mistake),
        (PREFERENCE, _preference),
    ):
        for entry in data.known(name):
            record: Any = record_of(entry._replace(relevance=1.0))
            where = _name(entry)
            match flaw_of(record):
                case None:
                    pass
                case str(what):
                    action = fix(Repairs.archive, entry.seq)
                    yield finding("no_evidence", action, where=where, what=what)
                case (wrong, right, details):
                    action = fix(Repairs.change, entry, **right)
                    yield finding(wrong, action, where=where, each=record, right=right, **details)
    for known, entry in data.entries:
        if known.times < 1 or not 0.0 <= entry.relevance <= 1.0 or not 0.0 <= entry.utility <= 1.0:
            action = fix(Repairs.clamp, entry.seq)
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


def _dates(data: KnowledgeContent, dates: Dates, known: ByEntry) -> Iterator[CheckFinding]:
    """Yield the dates that cannot be right, by row."""
    wrong: list[tuple[str, Mapping[str, object]]] = [
        (where, {name: at}) for where, name, at in wrong_rows(data.database, dates)
    ]
    wrong += [(_name(each), dates.wrong_in(each.data)) for each in data.misdated]
    for (scope, key), run_id in wrong_contributions(dates, known):
        where = f"lessons of run {run_id} about {key} in {scope}"
        wrong.append((where, dates.wrong_of(known[scope, key][run_id])))
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


def _totals(database: Database) -> Iterator[CheckFinding]:
    for run_id, each in ContributionTable(database).of(*TOTALS_KEY).items():
        if not each.has_record:
            continue
        figures: Sequence[int] = [each.content["data"][name] for name in _COUNTS]
        sessions, battles, victories = figures
        if min(figures) >= 0 and victories <= battles:
            continue
        most = max(battles, 0)
        sums = max(sessions, 0), most, min(max(victories, 0), most)
        action = fix(Repairs.replace_totals, run_id, dict(zip(_COUNTS, sums, strict=True)))
        yield finding("totals", action, run_id=run_id, figures=figures, sums=sums)


def _lessons(data: KnowledgeContent) -> Iterator[CheckFinding]:
    """Yield runs that contributed to rows, without a record of their delivery."""
    last_lesson: defaultdict[str, int] = defaultdict(int)
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
    known = {*data.deliveries}
    for each, _ in data.entries:
        known |= {each.origin, each.run_id}
    for _, entry in data.entries:
        if lost := [each for each in entry.sources if not _is_traceable(each, known)]:
            names = ", ".join(map(repr, lost))
            yield finding("untraceable_evidence", where=_name(entry), lost=names)


def _is_traceable(source: str, known: set[str]) -> bool:
    named = _RUN_SOURCE.fullmatch(source)
    return bool(source.strip()) and (named is None or (named["run"] or named["entry"]) in known)


def _outdated_rows(data: KnowledgeContent, dates: Dates) -> Iterator[CheckFinding]:
    since = decayed(dates.decayed or dates.now, dates.now, CONFIG.forgetting_decay_rate)
    for known, entry in data.entries:
        if (entry.scope, entry.key) in data.restored:
            continue
        is_known, left = entry.scope in KNOWLEDGE_SCOPES, entry.relevance * since
        worth = worth_of(entry) * since
        if entry.closed and left < _OLD_RELEVANCE:
            what = f"closed ({entry.closed}), and more than {MONTHS} months old"
        elif worth < CONFIG.importance_threshold and (is_known or entry.importance < IMPORTANT):
            what = f"it has faded to {worth:.2f}, under {CONFIG.importance_threshold}"
        elif is_known and entry.kind == PATTERN:
            months = (dates.now - float(entry.data["last_validated"])) / MONTH_S  # type: ignore[arg-type]  # a date
            if months > MONTHS:
                yield finding("unproved", where=_name(entry), months=months)
            continue
        else:
            continue
        action = fix(Repairs.archive, entry.seq)
        yield finding("outdated", action, where=_name(entry), what=f"{what} (run {known.origin})")


def _caps(data: KnowledgeContent) -> Iterator[CheckFinding]:
    for kind in KINDS:
        room = getattr(CONFIG, kind.limit) if kind.limit else inf
        groups = Counter(
            f"patterns of type {each.data['pattern_type']}"
            if kind.name == PATTERN
            else kind.collection
            for each in data.known(kind.name)
            if not each.closed and (each.scope, each.key) not in data.restored
        )
        for where, count in groups.items():
            if count > room:
                details = {"where": where, "count": count, "room": room}
                yield finding("too_many", Repairs.limit_knowledge, **details)
    scopes = Counter(
        each.scope
        for _, each in data.entries
        if each.scope not in KNOWLEDGE_SCOPES and (each.scope, each.key) not in data.restored
    )
    for where, count in scopes.items():
        if count > MAX_ENTRIES:
            details = {"where": where, "count": count, "room": MAX_ENTRIES}
            yield finding("full_scope", Repairs.limit, **details)
