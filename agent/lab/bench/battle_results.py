"""The measurement of battles by kind: rows for a table, figures, and a page for the documentation."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from agent.lab.bench.battles import ABOVE, HIGHEST, KINDS, LARGEST_TEAM, LOWEST, BattlePair
from agent.lab.stats import Distribution, Paired

ALL: Final = "all"


def paired(pairs: Sequence[BattlePair], kind: str = ALL) -> Paired:
    """Return the outcomes of one kind of battles, or of all."""
    return Paired.of(
        (each.agent.won, each.baseline.won) for each in pairs if kind in (ALL, each.kind)
    )


def fought(pairs: Sequence[BattlePair]) -> tuple[str, ...]:
    """Return the kinds that were fought, all of them together first."""
    kinds = {each.kind for each in pairs}
    return (ALL, *[kind for kind in KINDS if kind in kinds]) if kinds else ()


MILLISECONDS: Final = 1_000


class BattleRow(NamedTuple):
    """One kind of battle, in figures that can be printed."""

    kind: str
    battles: str
    agent: str
    baseline: str
    only_agent: str
    only_baseline: str
    difference: str
    p_value: str


BATTLE_HEAD: Final = BattleRow(
    "battles",
    "number",
    "agent wins",
    "baseline wins",
    "only the agent",
    "only the baseline",
    "difference (95%)",
    "McNemar p",
)


def battle_rows(pairs: Sequence[BattlePair]) -> Iterator[BattleRow]:
    """Yield a row for all battles, and one for each kind that was fought."""
    for kind in fought(pairs):
        yield _row(kind, paired(pairs, kind))


def thinking(pairs: Sequence[BattlePair]) -> Distribution:
    """Return the milliseconds that a turn takes the agent to decide."""
    thought = [each * MILLISECONDS for pair in pairs for each in pair.agent.thought]
    return Distribution.of(thought or [0.0])


def battle_json(pairs: Sequence[BattlePair]) -> Mapping[str, Any]:
    """Return the figures in plain JSON types, the one that matters first."""
    counts = paired(pairs)
    low, high = counts.interval()
    agent, baseline = counts.rates
    return {
        "lower_bound": low,
        "upper_bound": high,
        "difference": counts.difference,
        "agent": agent,
        "baseline": baseline,
        "pairs": counts.count,
        "p_value": counts.p_value(),
        "decision_ms": {"p50": thinking(pairs).p50, "p99": thinking(pairs).p99},
    }


def battle_page(cartridge: str, seeds: str, pairs: Sequence[BattlePair], picture: str) -> str:
    """Return the page that `bench battles --write` leaves; `picture` is the name of the plot beside it."""
    thought = thinking(pairs)
    trainers = Counter(each.met for each in pairs if each.met)
    met = ", ".join(f"{name} {count}" for name, count in sorted(trainers.items()))
    levels = ", ".join(f"{above:+}" for above in ABOVE)
    lines = [
        "# Battles, measured",
        "",
        f"Written by `python -m agent bench battles --seeds {seeds} --write docs/battles.md` on {cartridge}.",
        "",
        "Each seed draws one battle, and both policies fight it from the same saved moment of a game that was played up to",
        "its first battle, after the same wait, so with the same random state: the agent (`agent/battle`), and a",
        "baseline that always uses the move with the highest power times accuracy. Both go through the same menus",
        "with the same skill; in this measurement nobody runs.",
        "",
        f"A third of the seeds meets something wild (any species, level {LOWEST} to {HIGHEST}), a third a trainer of the cartridge",
        "with one mon, a third one with several, every team as likely. The own team is written into RAM before, by the",
        "cartridge's rules for a mon that just reached its level: species drawn from all that can attack at level 2, moves by",
        f"learnset, DVs drawn, level that of the strongest foe and one of {levels}; against several there are 1 to {LARGEST_TEAM}",
        "(never more than they are). Bags are empty.",
        "",
        f"Trainers met, by class: {met or 'none'}.",
        "",
        "The interval of the paired difference is Newcombe's method 10; p is the exact two-sided McNemar test.",
        "",
        "| " + " | ".join(BATTLE_HEAD) + " |",
        "|---|" + "--:|" * (len(BATTLE_HEAD) - 1),
        *["| " + " | ".join(row) + " |" for row in battle_rows(pairs)],
        "",
        f"![Shares of battles won by both, by kind, with 95% intervals]({picture})",
        "",
        f"A turn took the agent {thought.p50:.2f} ms of the processor to decide (median), {thought.p99:.1f} ms at p99.",
    ]
    return "\n".join(lines) + "\n"


def _row(kind: str, counts: Paired) -> BattleRow:
    agent, baseline = counts.rates
    low, high = counts.interval()
    return BattleRow(
        kind,
        str(counts.count),
        f"{agent:.1%}",
        f"{baseline:.1%}",
        str(counts.first),
        str(counts.second),
        f"{counts.difference:+.1%} ({low:+.1%} to {high:+.1%})",
        f"{counts.p_value():.2g}",
    )
