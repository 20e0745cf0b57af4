"""Rows of knowledge that contradict each other, and rows that belong to something that is not there."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Final

from memory.codec import Json, encode
from memory.store.checks.finding import CheckFinding, columns_of
from memory.store.checks.repair import Mending
from memory.store.contributions import BY_HAND, MANAGER
from memory.store.knowledge_tables import BY_NAME, MISTAKES, PATTERNS, STRATEGIES
from memory.tiers.knowledge import ConsolidationConfig, more_strategy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memory.blackboard.entry import Entry
    from memory.store.checks.finding import Held
    from memory.tiers.knowledge import LearnedPattern, MistakeRecord, SuccessfulStrategy


CONFIG: Final = ConsolidationConfig()
FEW: Final = CONFIG.min_occurrences_for_pattern  # uses under which a rate says little


def contradictions(held: Held) -> Iterator[CheckFinding]:
    """Yield what contradicts something else, or itself."""
    yield from _strategies(list(held.open(STRATEGIES.name).values()))
    yield from _patterns(held)
    yield from _entries(held)


def _strategies(strategies: Sequence[SuccessfulStrategy]) -> Iterator[CheckFinding]:
    same: defaultdict[str, list[SuccessfulStrategy]] = defaultdict(list)
    alike: defaultdict[str, list[SuccessfulStrategy]] = defaultdict(list)
    # The most proven first: into it the others go.
    for each in sorted(strategies, key=lambda each: (-each.total_uses, each.strategy_id)):
        whom: list[Json] = [each.enemy_type, each.player_pokemon]
        same[encode([*whom, each.moves_sequence])].append(each)
        alike[encode([*whom, each.context])].append(each)
    for first, *others in same.values():
        for other in others:
            yield _said_twice(first, other)
    for group in alike.values():
        few = [each for each in group if each.total_uses < FEW]
        never = [each for each in few if each.success_rate == 0.0]
        always = [each for each in few if each.success_rate == 1.0]
        for lost in never:
            for won in always:
                if lost.moves_sequence != won.moves_sequence:
                    yield _won_and_lost(lost, won)


def _said_twice(first: SuccessfulStrategy, other: SuccessfulStrategy) -> CheckFinding:
    def unite(mending: Mending) -> None:
        mending.put(STRATEGIES.name, more_strategy(other, first))
        mending.let_go(STRATEGIES.name, other.strategy_id, other)

    return CheckFinding(
        "contradiction",
        f"strategies {first.strategy_id} and {other.strategy_id}",
        f"{first.player_pokemon} against {first.enemy_type} with {', '.join(first.moves_sequence)} has two rows: "
        f"won {first.success_rate:.0%} of {first.total_uses} and {other.success_rate:.0%} of {other.total_uses}",
        "whoever asks gets whichever of the two comes first",
        f"both become {first.strategy_id} with the battles of both; the other is archived",
        unite,
    )


def _won_and_lost(lost: SuccessfulStrategy, won: SuccessfulStrategy) -> CheckFinding:
    return CheckFinding(
        "contradiction",
        f"strategies {lost.strategy_id} and {won.strategy_id}",
        f"{won.player_pokemon} against {won.enemy_type} at the same levels always wins and never wins, each from "
        f"fewer than {FEW} battles",
        "a few battles prove neither",
    )


def _patterns(held: Held) -> Iterator[CheckFinding]:
    mistakes: dict[tuple[str, str], MistakeRecord] = {}
    for mistake in held.open(MISTAKES.name).values():
        where = mistake.situation
        if "action" in where:
            mistakes[str(where.get("location", "")), str(where["action"])] = mistake
    for pattern in held.open(PATTERNS.name).values():
        total = pattern.success_count + pattern.failure_count
        if total >= FEW and pattern.failure_count >= CONFIG.pattern_threshold * total:
            yield _failing(pattern, total)
            continue
        opposite = mistakes.get(_deed(pattern))
        if opposite is not None and pattern.confidence >= CONFIG.pattern_threshold:
            yield _opposite(pattern, opposite)


def _deed(pattern: LearnedPattern) -> tuple[str, str]:
    """Return place and action of a pattern of one action; the action of others is several."""
    reasoning = str(pattern.trigger_conditions.get("reasoning", ""))
    place = str(pattern.trigger_conditions.get("location", ""))
    return place, pattern.description.removeprefix(f"{reasoning}: ")


def _failing(pattern: LearnedPattern, total: int) -> CheckFinding:
    reason = f"it failed {pattern.failure_count} of {total} times"
    return CheckFinding(
        "contradiction",
        f"pattern {pattern.pattern_id}",
        f"{pattern.description!r} is held to work, and {reason}",
        "it would be followed, though it fails as often as a pattern must work",
        "it is closed, with this as the reason",
        lambda mending: mending.close(PATTERNS.name, pattern.pattern_id, reason),
    )


def _opposite(pattern: LearnedPattern, mistake: MistakeRecord) -> CheckFinding:
    worked, failed = pattern.success_count, mistake.occurrence_count
    what = (
        f"{pattern.description!r} worked {worked} times, and {mistake.description!r} says the opposite of it, "
        f"from {failed}"
    )
    where = f"pattern {pattern.pattern_id} and mistake {mistake.mistake_id}"
    why = "the same deed in the same place is advised and advised against"
    if worked < failed:
        return CheckFinding("contradiction", where, what, why)
    reason = f"it worked {worked} of {worked + failed} times"
    return CheckFinding(
        "contradiction",
        where,
        what,
        why,
        "the mistake is closed, as play closes one that works as often as it fails",
        lambda mending: mending.close(
            MISTAKES.name, mistake.mistake_id, reason, f"pattern:{pattern.pattern_id}"
        ),
    )


def _entries(held: Held) -> Iterator[CheckFinding]:
    """Yield entries of one key in one scope; the file forbids them, unless its index is damaged."""
    by_key: defaultdict[tuple[str, str], list[Entry]] = defaultdict(list)
    for _, entry in held.entries:
        by_key[entry.scope, entry.key].append(entry)
    for (scope, key), (*older, newest) in by_key.items():
        for each in older:
            yield CheckFinding(
                "contradiction",
                f"entries {each.seq} and {newest.seq} of {scope}",
                f"both are called {key}"
                + (", with different data" if each.data != newest.data else ""),
                "a name must mean one thing",
                "the newer one stays, the other is archived",
                partial(Mending.let_go_of_entry, number=each.seq),
            )


NO_RUNS: Final = frozenset({BY_HAND, MANAGER})  # who teaches without having played
_OF_RUN: Final = re.compile(r"run:(?P<run>.+)|(?P<entry>[^/:]+)/\d+")


def orphans(held: Held) -> Iterator[CheckFinding]:
    """Yield what belongs to nothing."""
    yield from _provenance(held)
    yield from _lessons(held)
    yield from _evidence(held)
    yield from _other_tables(held)


def _provenance(held: Held) -> Iterator[CheckFinding]:
    unreadable = {(each.table, each.id) for each in held.broken}
    for (table, memory_id), where in held.provenance.items():
        if table in BY_NAME and (
            memory_id in held.records[table] or (table, memory_id) in unreadable
        ):
            continue
        yield CheckFinding(
            "orphan",
            f"provenance of {table} {memory_id}",
            f"it says where a row comes from that is not there (run {where.run_id}, tick {where.tick})",
            "should a row of that name come back, it would pass for what taught the lost one",
            "it is archived",
            partial(
                Mending.drop_provenance,
                table=table,
                memory_id=memory_id,
                row=[*where[:5], list(where.evidence)],
            ),
        )
    for table, memory_id in held.lost:
        yield CheckFinding(
            "damage",
            f"provenance of {table} {memory_id}",
            "nobody can read where it comes from",
            "whoever asks for it gets an error",
            "it is let go of; the row itself stays",
            partial(Mending.drop_provenance, table=table, memory_id=memory_id, row="unreadable"),
        )


def _lessons(held: Held) -> Iterator[CheckFinding]:
    """Yield runs that taught more than they are known to have delivered: resumed, they would teach it again."""
    taught: defaultdict[str, int] = defaultdict(int)
    for (table, memory_id), where in held.provenance.items():
        if memory_id in held.records.get(table, ()) and where.run_id:
            taught[where.run_id] = max(taught[where.run_id], where.sequence)
    for known, _ in held.entries:
        taught[known.run_id] = max(taught[known.run_id], known.sequence)
    for run_id, sequence in sorted(taught.items()):
        if run_id in NO_RUNS:
            continue  # what they say is no lesson
        delivered = held.deliveries.get(run_id)
        if delivered is not None and delivered >= sequence:
            continue
        so_far = "no lesson" if delivered is None else f"lessons up to {delivered}"
        yield CheckFinding(
            "orphan",
            f"deliveries of run {run_id}",
            f"its lesson {sequence} is here, but {so_far} of it is known to have been delivered",
            "should the run be resumed, it would teach all that once more, and it would be counted twice",
            f"{sequence} is noted as its last lesson",
            partial(Mending.note_delivery, run_id=run_id, sequence=sequence),
        )


def _evidence(held: Held) -> Iterator[CheckFinding]:
    known = {*held.deliveries, *(where.run_id for where in held.provenance.values())}
    for each, _ in held.entries:
        known |= {each.origin, each.run_id}
    for name, sources in _sources(held):
        lost = [each for each in sources if not _leads_somewhere(each, known)]
        if lost:
            yield CheckFinding(
                "orphan",
                name,
                f"its evidence {', '.join(map(repr, lost))} leads nowhere: no such run ever taught this file",
                "nobody can look up why it is believed",
            )


def _sources(held: Held) -> Iterator[tuple[str, Sequence[str]]]:
    for (table, memory_id), where in held.provenance.items():
        if memory_id in held.records.get(table, {}):
            yield f"{table} {memory_id}", where.evidence
    for _, entry in held.entries:
        yield f"entry {entry.key}", entry.sources


def _leads_somewhere(source: str, known: set[str]) -> bool:
    if not source.strip():
        return False
    named = _OF_RUN.fullmatch(source)
    return named is None or (named["run"] or named["entry"]) in known


def _other_tables(held: Held) -> Iterator[CheckFinding]:
    """Yield rows of tables that name runs, whichever they are, of runs that never taught this file."""
    tables = held.database.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")
    for (table,) in tables:
        if table in {"provenance", "deliveries", "ltm_entries"}:
            continue
        if "run_id" in columns_of(held.database, table):
            sql = f'SELECT DISTINCT run_id FROM "{table}" ORDER BY run_id'  # noqa: S608
            for (run_id,) in held.database.rows(sql):
                if run_id not in {*held.deliveries, *NO_RUNS}:
                    yield CheckFinding(
                        "orphan",
                        table,
                        f"it has rows of run {run_id}, which never delivered anything to this file",
                        "what it counts of that run cannot be traced",
                    )
