"""What knowledge is worth as time passes, and what is let go. Time is passed in, in epoch seconds."""

from typing import Final, NamedTuple

from memory.tiers.knowledge import KINDS, SEVERITIES, ConsolidationConfig, Knowledge

MONTH_S: Final = 30 * 86_400.0
_SEVERITY_VALUE: Final = dict(zip(SEVERITIES, (0.5, 0.8, 1.0), strict=True))


class Memory(NamedTuple):
    """The name of one piece of knowledge: its table and its id."""

    table: str
    id: str


def faded(since: float, now: float, rate: float) -> float:
    """Return what is left of 1 at `now`, when `rate` of it is left after a month."""
    return float(rate ** (max(0.0, now - since) / MONTH_S))


def values(knowledge: Knowledge, *, now: float, rate: float) -> dict[Memory, float]:
    """Return what each piece of knowledge is worth at `now`, from 0 to 1."""
    worth: dict[Memory, float] = {}
    for kind in KINDS:
        for memory_id, record in knowledge.of(kind.table).items():
            value = getattr(record, kind.worth)
            if kind.worth == "severity":
                value = _SEVERITY_VALUE.get(value, _SEVERITY_VALUE["minor"])
            kept = faded(getattr(record, kind.date), now, rate) if kind.fades else 1.0
            worth[Memory(kind.table, memory_id)] = value * kept
    return worth


def worthless(knowledge: Knowledge, config: ConsolidationConfig, *, now: float) -> list[Memory]:
    """Return what is worth less at `now` than the threshold."""
    worth = values(knowledge, now=now, rate=config.forgetting_decay_rate)
    return [memory for memory, value in worth.items() if value < config.importance_threshold]


def prune(knowledge: Knowledge, config: ConsolidationConfig, *, now: float) -> None:
    """Drop all that is worth less than the threshold, and all over the caps."""
    for memory in worthless(knowledge, config, now=now):
        del knowledge.of(memory.table)[memory.id]
    knowledge.limit(config)
