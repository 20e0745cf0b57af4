"""How much a long run may grow, and whether it kept to that. Every figure of the judgement is here."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from agent.app import Stop
from hours.growth import CHECKPOINT, CONSOLIDATION, Sample, Soak

TENTHS: Final = 10
EARLY: Final = (1, 2, 3)  # tenths, counted from 0; the first holds the story and whatever is loaded
FILLED: Final = (4, 5, 6)  # by then the tiers hold about as much as they ever will
LATE: Final = (7, 8, 9)
MIB: Final = 1024 * 1024
KB: Final = 1_000
MOST_RSS: Final = 20 * MIB  # after the first tenth
MOST_KNOWLEDGE: Final = 500 * KB
MOST_LOGS: Final = 12_000 * KB  # SQLite empties each at a thousand pages, which are 4 MB
PER_PATTERN: Final = 1 * KB
MOST_STRATEGIST: Final = 50 * KB
MOST_OBSERVER: Final = (
    2_500  # about 1 KB by the design; ten actions with long names are as much again
)
SLACK: Final = 1.1  # of what should stay the same: play is not the same every hour
SLOWER: Final = 1.2
CLOCK_MS: Final = 1.0  # that a busy machine may add to a time
LONGEST_MS: Final = 100.0
IDLE: Final = 0.05  # of all ticks, at most


@dataclass(frozen=True, slots=True)
class Verdict:
    """One figure against its budget."""

    what: str
    figure: str
    budget: str
    is_met: bool


@dataclass(frozen=True, slots=True)
class Tenth:
    """A tenth of the frames: what stood at its end, and what it took."""

    last: Sample
    ticks: int
    run_bytes_a_tick: float
    most_entries: int
    consolidations_ms: Sequence[float]


def tenths(soak: Soak) -> list[Tenth]:
    """Return the run in ten parts of as many frames each."""
    end = soak.samples[-1].frame
    found: list[Tenth] = []
    for number in range(TENTHS):
        low, high = (end * each / TENTHS for each in (number, number + 1))
        inside = [each for each in soak.samples if low < each.frame <= high]
        before = found[-1].last if found else soak.samples[0]
        last = inside[-1] if inside else before
        ticks = last.tick - before.tick
        found.append(
            Tenth(
                last=last,
                ticks=ticks,
                run_bytes_a_tick=(last.run_bytes - before.run_bytes) / max(ticks, 1),
                most_entries=max((sum(each.entries.values()) for each in inside), default=0),
                consolidations_ms=[
                    1_000 * each.took
                    for each in soak.lapses
                    if each.what == CONSOLIDATION and low < each.frame <= high
                ],
            )
        )
    return found


def growth_of(curve: Sequence[tuple[int, int]]) -> int:
    """Return how far a curve over frames rises above where it stands after the first tenth."""
    begins = curve[-1][0] / TENTHS
    settled = [size for frame, size in curve if frame > begins]
    start = [size for frame, size in curve if frame <= begins] or settled[:1]
    return max(settled) - start[-1]


def verdicts(soak: Soak) -> list[Verdict]:
    """Return every figure that has a budget."""
    parts = tenths(soak)
    return [
        _resident(soak),
        _run_file(parts),
        *_files(soak.samples),
        _entries(parts),
        *_consolidations(parts),
        _checkpoints(soak),
        *_play(soak),
    ]


def p99(values: Sequence[float]) -> float:
    """Return the value that 99 of a hundred are not above; of fewer than a hundred, the highest."""
    ordered = sorted(values)
    return ordered[-1 - len(ordered) // 100] if ordered else 0.0


def _resident(soak: Soak) -> Verdict:
    grown = growth_of([(each.frame, each.rss) for each in soak.samples])
    return Verdict(
        "resident memory, growth after the first tenth",
        f"{grown / MIB:.1f} MiB",
        f"under {MOST_RSS // MIB} MiB",
        grown < MOST_RSS,
    )


def _run_file(parts: Sequence[Tenth]) -> Verdict:
    early, late = (median(parts[each].run_bytes_a_tick for each in at) for at in (EARLY, LATE))
    return Verdict(
        "run.sqlite, bytes a tick: tenths 2 to 4, tenths 8 to 10 (medians)",
        f"{early:.0f}, {late:.0f}",
        f"at most {SLACK} times as many later",
        late <= SLACK * early,
    )


def _files(samples: Sequence[Sample]) -> Iterator[Verdict]:
    worst = max(samples, key=lambda each: _live_bytes(each) - PER_PATTERN * each.patterns)
    budget = MOST_KNOWLEDGE + PER_PATTERN * worst.patterns
    yield Verdict(
        f"memory.sqlite without its archive, at its largest ({worst.patterns} patterns)",
        f"{_live_bytes(worst) / KB:.0f} KB",
        f"{MOST_KNOWLEDGE // KB} KB and {PER_PATTERN // KB} KB a pattern",
        _live_bytes(worst) <= budget,
    )
    logs = max(each.log_bytes for each in samples)
    yield Verdict(
        "the logs beside both files",
        f"{logs / KB:,.0f} KB",
        f"{MOST_LOGS // KB:,} KB",
        logs <= MOST_LOGS,
    )
    for what, most, budget in (
        ("the strategist's session", max(e.strategist_bytes for e in samples), MOST_STRATEGIST),
        ("the observer's moment", max(e.observer_bytes for e in samples), MOST_OBSERVER),
    ):
        figure = f"{most / KB:.1f} KB"
        yield Verdict(f"{what}, as text, at most", figure, f"{budget / KB:g} KB", most <= budget)


def _live_bytes(sample: Sample) -> int:
    return sample.knowledge_bytes - sample.archive_bytes


def _checkpoints(soak: Soak) -> Verdict:
    end = soak.samples[-1].frame
    early, late = (
        [
            1_000 * each.took
            for each in soak.lapses
            if each.what == CHECKPOINT and int(TENTHS * each.frame / end) in at
        ]
        for at in (EARLY, LATE)
    )
    early_ms, late_ms = (median(each) if each else 0.0 for each in (early, late))
    return Verdict(
        "a checkpoint, median: tenths 2 to 4, tenths 8 to 10",
        f"{early_ms:.1f} ms, {late_ms:.1f} ms",
        f"at most {SLOWER} times as long later",
        late_ms <= SLOWER * early_ms + CLOCK_MS,
    )


def _entries(parts: Sequence[Tenth]) -> Verdict:
    before = max(each.most_entries for each in parts[: LATE[0]])
    late = max(parts[each].most_entries for each in LATE)
    return Verdict(
        "entries alive at once: up to tenth 7, tenths 8 to 10",
        f"{before:,}, {late:,}",
        f"at most {SLACK} times as many later",
        late <= SLACK * before,
    )


def _consolidations(parts: Sequence[Tenth]) -> Iterator[Verdict]:
    filled, late = (
        [took for each in at for took in parts[each].consolidations_ms] for at in (FILLED, LATE)
    )
    yield Verdict(
        "a consolidation, p99: tenths 5 to 7, tenths 8 to 10",
        f"{p99(filled):.1f} ms, {p99(late):.1f} ms",
        f"no longer later, within {CLOCK_MS:.0f} ms",
        p99(late) <= p99(filled) + CLOCK_MS,
    )
    longest = max((took for each in parts for took in each.consolidations_ms), default=0.0)
    yield Verdict(
        "the longest consolidation",
        f"{longest:.1f} ms",
        f"under {LONGEST_MS:.0f} ms",
        longest < LONGEST_MS,
    )


def _play(soak: Soak) -> Iterator[Verdict]:
    waited = soak.doings.get("waiting", 0) / max(sum(soak.doings.values()), 1)
    yield Verdict("ticks waited", f"{waited:.1%}", f"at most {IDLE:.0%}", waited <= IDLE)
    summary = soak.summary
    yield Verdict(
        "the end, faults",
        f"{summary.stop.value}, {summary.errors}",
        f"{Stop.INTERRUPTED.value} (by the last frame), 0",
        summary.stop is Stop.INTERRUPTED and summary.errors == 0,
    )
