"""The value of knowledge as it ages, and which knowledge to forget. Times are given by the caller, in epoch seconds."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from memory.codec import as_json
from memory.tiers.knowledge import KINDS, SEVERITIES, ConsolidationConfig, Knowledge, KnowledgeKind

MONTH_S: Final = 30 * 86_400.0
_SEVERITY_VALUE: Final = dict(zip(SEVERITIES, (0.5, 0.8, 1.0), strict=True))


class KnowledgeKey(NamedTuple):
    """The key of one knowledge record: its table and its id."""

    table: str
    id: str


def decayed(since: float, now: float, rate: float) -> float:
    """Return the part of 1 that is left at `now`, when `rate` is left after one month."""
    return float(rate ** (max(0.0, now - since) / MONTH_S))


def value_of(kind: KnowledgeKind, data: Mapping[str, Any]) -> float:
    """Return the value of a record that has not faded, from 0 to 1."""
    value = data[kind.worth]
    return float(_SEVERITY_VALUE.get(value, _SEVERITY_VALUE["minor"]) if kind.worth == "severity" else value)  # fmt: skip


def values(knowledge: Knowledge, *, now: float, rate: float) -> dict[KnowledgeKey, float]:
    """Return the value of each knowledge record at `now`, from 0 to 1."""
    worth = dict[KnowledgeKey, float]()
    for kind in KINDS:
        for memory_id, record in knowledge.of(kind.table).items():
            left = decayed(getattr(record, kind.date), now, rate) if kind.fades else 1.0
            worth[KnowledgeKey(kind.table, memory_id)] = value_of(kind, as_json(record)) * left
    return worth


def below_threshold(
    knowledge: Knowledge, config: ConsolidationConfig, *, now: float
) -> list[KnowledgeKey]:
    """Return the records whose value at `now` is below the threshold."""
    worth = values(knowledge, now=now, rate=config.forgetting_decay_rate)
    return [memory for memory, value in worth.items() if value < config.importance_threshold]
