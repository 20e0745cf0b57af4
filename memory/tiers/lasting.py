"""The entries that outlive runs: how each kind of them adds up, what it is worth, and its limits.

Knowledge is in the scopes `ltm:*`, which all agents share; other entries are in the scopes of agents and teams.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from math import isfinite
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

from memory.blackboard.entry import Data, Entry, merge_of
from memory.codec import Json, as_json, from_json
from memory.tiers.encounters import OVER_GAMES
from memory.tiers.knowledge import (
    KIND_BY_NAME,
    KIND_BY_TABLE,
    KNOWLEDGE_SCOPES,
    ConsolidationConfig,
    KnowledgeKind,
    KnowledgeRecord,
)
from memory.tiers.tactician import ALL, TOTALS, added

Key: TypeAlias = tuple[str, str]  # the scope and the key of an entry
# What runs contribute to the totals has this key, but no entry.
TOTALS_KEY: Final = KNOWLEDGE_SCOPES[1], f"{TOTALS}:{ALL}"

LessonKind: TypeAlias = Literal[
    "pattern", "strategy", "mistake", "preference", "totals", "entry", "close"
]


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """One lesson that waits to be added to the knowledge that outlives the run."""

    sequence: int
    tick: int
    kind: LessonKind
    payload: Mapping[str, Any]


ENTRIES: Final = "ltm_entries"  # the table of entries that outlive runs
RUN: Final = "run:"  # prefix of a source that names the run of the lesson


class AddingRule(NamedTuple):
    """How the lessons about one entry add up; `kind` is set for knowledge.

    `merge` merges the data of two runs; without it the deciding run's data hold. `adds`: a lesson adds to the earlier ones of
    its run, otherwise it replaces them.
    """

    merge: Callable[[Data, Data], Data] | None = None
    adds: bool = False
    kind: KnowledgeKind | None = None

    def decisive(self, data: Mapping[str, Any]) -> object:
        """Return what runs can contradict each other in; None where all of them are counted."""
        if self.kind is not None:
            return data[self.kind.decides] if self.kind.decides else None
        return data if self.merge is None else None


def rule_of(scope: str, kind: str) -> AddingRule:
    """Return the rule for an entry of a memory file."""
    return _rules().get((scope in KNOWLEDGE_SCOPES, kind), _REPLACED)


_REPLACED: Final = AddingRule()


@cache
def _rules() -> Mapping[tuple[bool, str], AddingRule]:
    """Return the rules of kinds by whether they are knowledge, and by name."""
    return {
        (True, TOTALS): AddingRule(added, adds=True),
        **{
            (True, each.name): AddingRule(merge_of(each.record, each.merge), adds=True, kind=each)
            for each in KIND_BY_NAME.values()
        },
        **{(False, name): AddingRule(merge_of(*each)) for name, each in OVER_GAMES.items()},
    }


def key_of(table: str, name: str) -> Key:
    """Return scope and key of a row of one of the four views."""
    kind = KIND_BY_TABLE[table]
    return kind.scope, f"{kind.name}:{name}"


def record_of(entry: Entry) -> KnowledgeRecord:
    """Return the record of an entry of knowledge, with what is left of its value."""
    kind, data = KIND_BY_NAME[entry.kind], entry.data
    if not kind.fades:
        data = {**data, kind.worth: cast("float", data[kind.worth]) * entry.relevance}
    record: KnowledgeRecord = from_json(kind.record, data)
    return record


def worth_of(entry: Entry) -> float:
    """Return the value of an entry, from 0 to 1, by which it is pruned: high utility delays this, low utility hastens it."""
    kind = rule_of(entry.scope, entry.kind).kind
    if kind is None:
        return entry.relevance * (0.5 + entry.utility)
    return kind.value_of(entry.data) * entry.relevance


def valid_entry(entry: Entry) -> Entry:
    """Return `entry`; raise TypeError when its tags, its sources or the fields of a record are not of their type."""
    if not all(isinstance(each, str) for each in (*entry.tags, *entry.sources)):
        raise TypeError(entry.key)
    if entry.scope in KNOWLEDGE_SCOPES:
        valid_record(record_of(entry))
    return entry


def valid_record(record: KnowledgeRecord) -> KnowledgeRecord:
    """Return `record`; raise TypeError when a field is empty or not of its type."""
    for name, is_valid in _checks(type(record).__name__):
        if not is_valid(getattr(record, name)):
            raise TypeError(name)
    return record


@cache
def _checks(record: str) -> tuple[tuple[str, Callable[[Any], bool]], ...]:
    """Return the check of the value of each field of a record type; of any JSON there is none."""
    checks: Mapping[str, Callable[[Any], bool]] = {
        "str": lambda value: isinstance(value, str),
        "int": lambda value: isinstance(value, int),
        "float": lambda value: isinstance(value, int | float) and isfinite(value),
        "Mapping[str, Json]": lambda value: isinstance(value, dict),
        "tuple[str, ...]": lambda value: all(isinstance(each, str) for each in value),
    }
    (kind,) = (each for each in KIND_BY_NAME.values() if each.record.__name__ == record)
    return tuple(
        (each.name, checks[str(each.type)])
        for each in fields(kind.record)
        if str(each.type) in checks
    )


def over_limits(entries: Iterable[Entry], config: ConsolidationConfig) -> Iterator[Entry]:
    """Yield the entries of knowledge over the cap of their kind: least relevant, least successful, least severe first."""
    groups: dict[tuple[str, object], list[Entry]] = {}
    for each in entries:
        groups.setdefault((each.kind, each.data.get("pattern_type")), []).append(each)
    for (name, _), members in groups.items():
        kind = KIND_BY_NAME[name]
        if kind.limit and len(members) > getattr(config, kind.limit):
            members.sort(key=_below_first)
            yield from members[getattr(config, kind.limit) :]


def _below_first(entry: Entry) -> tuple[tuple[float, ...], str]:
    data = as_json(record_of(entry))
    return tuple(-each for each in KIND_BY_NAME[entry.kind].rank(data.__getitem__)), entry.key


def entry_json(entry: Entry) -> dict[str, Json]:
    """Return an entry as plain JSON, without its seq, version and expiry, which are local to the run."""
    data = entry._asdict() | {"tags": sorted(entry.tags), "sources": list(entry.sources)}
    return {name: data[name] for name in data if name not in {"seq", "version", "expires_s"}}
