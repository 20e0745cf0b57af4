"""All checks of a file of knowledge: contradictions, figures that cannot be, orphans, and what has outlived its use."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import Final

from memory.blackboard.entry import Entry
from memory.codec import Json, as_json, encode
from memory.store.checks.finding import (
    CheckFinding,
    Held,
    by,
    damaged_indexes,
    finding,
    held_in,
    names_of_two,
    rows_naming_runs,
)
from memory.store.checks.repair import Mending
from memory.store.contributions import BY_HAND, MANAGER
from memory.store.database import Database
from memory.store.knowledge_tables import (
    BY_NAME,
    MISTAKES,
    PATTERNS,
    PREFERENCES,
    STRATEGIES,
    TABLES,
    known_from,
)
from memory.store.long_term import IMPORTANT, MAX_ENTRIES
from memory.tiers.forgetting import MONTH_S, Memory, faded, values
from memory.tiers.knowledge import (
    KINDS,
    SEVERITIES,
    ConsolidationConfig,
    Knowledge,
    LearnedPattern,
    MistakeRecord,
    Piece,
    PlayerPreference,
    SuccessfulStrategy,
)

# Why nothing stands behind a record; or what is wrong with it, the fields put right, and what else is told.
_Wrong = str | tuple[str, Mapping[str, object], Mapping[str, object]] | None

CONFIG: Final = ConsolidationConfig()
FEW: Final = CONFIG.min_occurrences_for_pattern  # uses under which a rate says little
CLOSE: Final = 1e-3  # wins, battles: what floating point may lose
MONTHS: Final = 6  # after which nothing is taken for granted
NO_RUNS: Final = frozenset({BY_HAND, MANAGER})  # who teaches without having played
_FADED: Final = CONFIG.forgetting_decay_rate**MONTHS  # how relevant an entry still is by then
_OF_RUN: Final = re.compile(r"run:(?P<run>.+)|(?P<entry>[^/:]+)/\d+")
_TRACED: Final = frozenset({"provenance", "deliveries", "ltm_entries"})  # by checks of their own


def check_knowledge(database: Database, *, now: float) -> Iterator[CheckFinding]:
    """Yield what is wrong with the knowledge in `database`, which may be written to, at the date `now`."""
    yield from damaged_indexes(database, Mending.reindex)
    held = held_in(database)
    for broken in held.broken:
        yield finding("unreadable", by(Mending.let_go_of_broken, broken), row=broken)
    yield from _strategies(list(held.open(STRATEGIES.name).values()))
    yield from _patterns(held)
    entries = [(entry.seq, entry) for _, entry in held.entries]
    yield from names_of_two(entries, "archived", partial(by, Mending.let_go_of_entry))
    yield from _figures(held)
    yield from _provenance(held)
    yield from _lessons(held)
    yield from _evidence(held)
    for table, run_id in rows_naming_runs(database, _TRACED):
        if run_id not in {*held.deliveries, *NO_RUNS}:
            yield finding("rows_of_nobody", table=table, run_id=run_id)
    yield from _outlived_rows(held, now)
    for known, entry in held.entries:
        yield from _outlived_entry(entry, known.origin)
    yield from _caps(held)


def _strategies(strategies: Sequence[SuccessfulStrategy]) -> Iterator[CheckFinding]:
    same: defaultdict[str, list[SuccessfulStrategy]] = defaultdict(list)
    alike: defaultdict[str, list[SuccessfulStrategy]] = defaultdict(list)
    # The most proven first: into it the others go.
    for each in sorted(strategies, key=lambda each: (-each.total_uses, each.strategy_id)):
        whom: list[Json] = [each.enemy_type, each.player_pokemon]
        same[encode([*whom, each.moves_sequence])].append(each)
        alike[encode([*whom, each.context])].append(each)
    for first, *others in same.values():
        moves = ", ".join(first.moves_sequence)
        for other in others:
            mend = by(Mending.unite, first, other)
            yield finding("strategy_told_twice", mend, first=first, other=other, moves=moves)
    for group in alike.values():
        few = [each for each in group if each.total_uses < FEW]
        for lost in few:
            for won in few:
                if (lost.success_rate, won.success_rate) == (0.0, 1.0) and (
                    lost.moves_sequence != won.moves_sequence
                ):
                    yield finding("strategy_won_and_lost", lost=lost, won=won, few=FEW)


def _patterns(held: Held) -> Iterator[CheckFinding]:
    mistakes: dict[tuple[str, str], MistakeRecord] = {}
    for mistake in held.open(MISTAKES.name).values():
        where = mistake.situation
        if "action" in where:
            mistakes[str(where.get("location", "")), str(where["action"])] = mistake
    for pattern in held.open(PATTERNS.name).values():
        total = pattern.success_count + pattern.failure_count
        if total >= FEW and pattern.failure_count >= CONFIG.pattern_threshold * total:
            reason = f"it failed {pattern.failure_count} of {total} times"
            mend = by(Mending.close_row, PATTERNS.name, pattern.pattern_id, reason)
            yield finding("failing_pattern", mend, pattern=pattern, reason=reason)
            continue
        opposite = mistakes.get(_deed(pattern))
        if opposite is not None and pattern.confidence >= CONFIG.pattern_threshold:
            yield _opposite(pattern, opposite)


def _deed(pattern: LearnedPattern) -> tuple[str, str]:
    """Return place and action of a pattern of one action; the action of others is several."""
    reasoning = str(pattern.trigger_conditions.get("reasoning", ""))
    place = str(pattern.trigger_conditions.get("location", ""))
    return place, pattern.description.removeprefix(f"{reasoning}: ")


def _opposite(pattern: LearnedPattern, mistake: MistakeRecord) -> CheckFinding:
    worked, failed = pattern.success_count, mistake.occurrence_count
    reason, shown = (
        f"it worked {worked} of {worked + failed} times",
        f"pattern:{pattern.pattern_id}",
    )
    close = by(Mending.close_row, MISTAKES.name, mistake.mistake_id, reason, shown)
    mend = close if worked >= failed else None
    return finding("advised_and_advised_against", mend, pattern=pattern, mistake=mistake)


def _figures(held: Held) -> Iterator[CheckFinding]:
    """Yield the figures that do not fit together."""
    for table, wrong_in in (
        (PATTERNS, _pattern),
        (STRATEGIES, _strategy),
        (MISTAKES, _mistake),
        (PREFERENCES, _preference),
    ):
        for name, record in held.records[table.name].items():
            where = f"{table.kind.name} {name}"
            match wrong_in(record):
                case None:
                    pass
                case str(what):
                    mend = by(Mending.let_go, table.name, name, as_json(record))
                    yield finding("baseless", mend, where=where, what=what)
                case (wrong, right, told):
                    mend = by(Mending.change, table.name, record, **right)
                    yield finding(wrong, mend, where=where, each=record, right=right, **told)
    yield from _stats(held)
    for taught, entry in held.entries:
        if taught.times < 1 or not 0.0 <= entry.relevance <= 1.0 or not 0.0 <= entry.utility <= 1.0:
            mend = by(Mending.bound_entry, entry.seq)
            yield finding("entry_figures", mend, entry=entry, times=taught.times)


def _pattern(each: LearnedPattern) -> _Wrong:
    worked, failed, relevance = each.success_count, each.failure_count, each.relevance_score
    total = worked + failed
    if min(worked, failed) < 0 or total < 1:
        return f"{each.description!r} worked {worked} and failed {failed} times"
    if abs(each.confidence - (share := worked / total)) > CLOSE:
        right = {"confidence": share, "relevance_score": _within(relevance, share)}
        return "pattern_confidence", right, {"total": total}
    if not 0.0 <= relevance <= each.confidence + CLOSE:
        return "pattern_relevance", {"relevance_score": _within(relevance, each.confidence)}, {}
    return None


def _strategy(each: SuccessfulStrategy) -> _Wrong:
    if each.total_uses < 1:
        return f"{each.strategy_description!r} was used {each.total_uses} times"
    wins = each.success_rate * each.total_uses
    nearest = min(max(round(wins), 0), each.total_uses)
    if abs(wins - nearest) > CLOSE * each.total_uses:
        right = {"success_rate": nearest / each.total_uses}
        return "strategy_rate", right, {"wins": wins, "nearest": nearest}
    return _turned(each, "first_used", "last_used")


def _mistake(each: MistakeRecord) -> _Wrong:
    if each.occurrence_count < 1:
        return f"{each.description!r} occurred {each.occurrence_count} times"
    if each.severity not in SEVERITIES:
        told = {"severities": ", ".join(SEVERITIES)}
        return "mistake_severity", {"severity": SEVERITIES[0]}, told
    return _turned(each, "first_occurred", "last_occurred")


def _preference(each: PlayerPreference) -> _Wrong:
    if not 0.0 <= each.confidence <= 1.0:
        return "preference_confidence", {"confidence": _within(each.confidence, 1.0)}, {}
    return _turned(each, "created_at", "updated_at")


def _turned(each: Piece, first: str, last: str) -> _Wrong:
    began, ended = getattr(each, first), getattr(each, last)
    if began <= ended:
        return None
    names = {"first": first.replace("_", " "), "last": last.replace("_", " ")}
    return "dates_turned", {first: ended, last: began}, names


def _within(value: float, most: float) -> float:
    return min(max(value, 0.0), most)


def _stats(held: Held) -> Iterator[CheckFinding]:
    if held.stats is None:
        return
    sessions, battles, rate, _ = held.stats
    nearest = min(max(round(rate * battles), 0), max(battles, 0))
    if min(sessions, battles) >= 0 and abs(rate * battles - nearest) <= CLOSE * max(1, battles):
        return
    sums = max(sessions, 0), max(battles, 0), max(nearest, 0)
    told = {"sessions": sessions, "battles": battles, "rate": rate, "sums": sums}
    share = nearest / battles if battles > 0 else 0.0
    yield finding("totals", by(Mending.put_totals, *sums), **told, share=share)


def _provenance(held: Held) -> Iterator[CheckFinding]:
    there = {(each.table, each.id) for each in held.broken}
    there |= {(table, name) for table, records in held.records.items() for name in records}
    for (table, name), known in held.provenance.items():
        if table not in BY_NAME or (table, name) not in there:
            mend = by(Mending.drop_provenance, table, name, [*known[:5], list(known.evidence)])
            yield finding("provenance_of_nothing", mend, table=table, id=name, known=known)
    for table, name in held.lost:
        mend = by(Mending.drop_provenance, table, name, "unreadable")
        yield finding("unreadable_provenance", mend, table=table, id=name)


def _lessons(held: Held) -> Iterator[CheckFinding]:
    """Yield runs that taught more than they are known to have delivered: resumed, they would teach it again."""
    taught: defaultdict[str, int] = defaultdict(int)
    for (table, memory_id), where in held.provenance.items():
        if memory_id in held.records.get(table, ()) and where.run_id:
            taught[where.run_id] = max(taught[where.run_id], where.sequence)
    for known, _ in held.entries:
        taught[known.run_id] = max(taught[known.run_id], known.sequence)
    for run_id, sequence in sorted(taught.items()):
        delivered = held.deliveries.get(run_id)
        if run_id in NO_RUNS or (delivered is not None and delivered >= sequence):
            continue  # what no run says is no lesson
        so_far = "no lesson" if delivered is None else f"lessons up to {delivered}"
        mend = by(Mending.note_delivery, run_id, sequence)
        yield finding("undelivered", mend, run_id=run_id, sequence=sequence, so_far=so_far)


def _evidence(held: Held) -> Iterator[CheckFinding]:
    known = {*held.deliveries, *(where.run_id for where in held.provenance.values())}
    for each, _ in held.entries:
        known |= {each.origin, each.run_id}
    told = [
        (f"{table} {memory_id}", where.evidence)
        for (table, memory_id), where in held.provenance.items()
        if memory_id in held.records.get(table, {})
    ]
    told += [(f"entry {entry.key}", entry.sources) for _, entry in held.entries]
    for name, sources in told:
        if lost := [each for each in sources if not _leads_somewhere(each, known)]:
            yield finding("evidence_of_nobody", where=name, lost=", ".join(map(repr, lost)))


def _leads_somewhere(source: str, known: set[str]) -> bool:
    named = _OF_RUN.fullmatch(source)
    return bool(source.strip()) and (named is None or (named["run"] or named["entry"]) in known)


def _outlived_rows(held: Held, now: float) -> Iterator[CheckFinding]:
    known = _faded(held, now)
    worth = values(known, now=now, rate=CONFIG.forgetting_decay_rate)
    for table in TABLES:
        for name, record in known.of(table.name).items():
            months = (now - table.kind.last_of(record)) / MONTH_S
            left, where = worth[Memory(table.name, name)], f"{table.name} {name}"
            mend = by(Mending.let_go, table.name, name, as_json(held.records[table.name][name]))
            if (closed := held.closed(table.name, name)) and months > MONTHS:
                what = f"closed ({closed}), and {months:.0f} months old"
                yield finding("outlived", mend, where=where, what=what)
            elif left < CONFIG.importance_threshold:
                what = f"it is worth {left:.2f} by now, under {CONFIG.importance_threshold}"
                yield finding("outlived", mend, where=where, what=what)
            elif table is PATTERNS and months > MONTHS:
                yield finding("unproved", where=where, months=months)


def _faded(held: Held, now: float) -> Knowledge:
    """Return what is held as it has faded by `now`, since it was last faded or proved."""
    known, rate = known_from(held.records), CONFIG.forgetting_decay_rate
    if held.stats is None:
        return known
    since: float = held.stats[3]
    for kind in KINDS:
        shelf = known.of(kind.table)
        for name, record in () if kind.fades else shelf.items():
            kept = faded(max(since, getattr(record, kind.date)), now, rate)
            shelf[name] = replace(record, **{kind.worth: getattr(record, kind.worth) * kept})
    return known


def _outlived_entry(entry: Entry, origin: str) -> Iterator[CheckFinding]:
    worth = entry.relevance * (0.5 + entry.utility)
    if entry.closed and entry.relevance < _FADED:
        what = f"closed ({entry.closed}), and more than {MONTHS} months old"
    elif entry.importance < IMPORTANT and worth < CONFIG.importance_threshold:
        what = f"it has faded to {worth:.2f}, under {CONFIG.importance_threshold}"
    else:
        return
    mend, where = by(Mending.let_go_of_entry, entry.seq), f"entry {entry.key}"
    yield finding("outlived", mend, where=where, what=f"{what} (run {origin})")


def _caps(held: Held) -> Iterator[CheckFinding]:
    for kind in KINDS:
        room = getattr(CONFIG, kind.limit) if kind.limit else inf
        groups = Counter(
            f"patterns of type {each.pattern_type}" if kind.name == "pattern" else kind.shelf
            for each in held.open(kind.table).values()
        )
        for where, count in groups.items():
            if count > room:
                yield finding("too_many", Mending.limit_rows, where=where, count=count, room=room)
    scopes = Counter(entry.scope for _, entry in held.entries)
    for where, count in scopes.items():
        if count > MAX_ENTRIES:
            told = {"where": where, "count": count, "room": MAX_ENTRIES}
            yield finding("full_scope", Mending.limit_entries, **told)
