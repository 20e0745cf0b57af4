"""The value of knowledge as it ages, and which knowledge to forget. Times are given by the caller, in epoch seconds."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from memory.tiers.knowledge import KINDS, SEVERITIES, ConsolidationConfig, Knowledge

MONTH_S: Final = 30 * 86_400.0
_SEVERITY_VALUE: Final = dict(zip(SEVERITIES, (0.5, 0.8, 1.0), strict=True))


class KnowledgeKey(NamedTuple):
    """The key of one knowledge record: its table and its id."""

    table: str
    id: str


def decayed(since: float, now: float, rate: float) -> float:
    """Return the part of 1 that is left at `now`, when `rate` is left after one month."""
    return float(rate ** (max(0.0, now - since) / MONTH_S))


def values(
    knowledge: Knowledge,
    *,
    now: float,
    rate: float,
    since: Mapping[KnowledgeKey, float] | None = None,
) -> dict[KnowledgeKey, float]:
    """Return the value of each knowledge record at `now`, from 0 to 1; it fades from its date `since`, or its own."""
    worth, dates = dict[KnowledgeKey, float](), since or {}
    for kind in KINDS:
        for memory_id, record in knowledge.of(kind.table).items():
            value = getattr(record, kind.worth)
            if kind.worth == "severity":
                value = _SEVERITY_VALUE.get(value, _SEVERITY_VALUE["minor"])
            key = KnowledgeKey(kind.table, memory_id)
            date = dates.get(key, getattr(record, kind.date))
            worth[key] = value * (decayed(date, now, rate) if kind.fades else 1.0)
    return worth


def below_threshold(
    knowledge: Knowledge,
    config: ConsolidationConfig,
    *,
    now: float,
    since: Mapping[KnowledgeKey, float] | None = None,
) -> list[KnowledgeKey]:
    """Return the records whose value at `now` is below the threshold."""
    worth = values(knowledge, now=now, rate=config.forgetting_decay_rate, since=since)
    return [memory for memory, value in worth.items() if value < config.importance_threshold]


def prune(
    knowledge: Knowledge,
    config: ConsolidationConfig,
    *,
    now: float,
    since: Mapping[KnowledgeKey, float] | None = None,
) -> None:
    """Delete the records with a value below the threshold, and those over the caps."""
    for memory in below_threshold(knowledge, config, now=now, since=since):
        del knowledge.of(memory.table)[memory.id]
    knowledge.limit(config)
