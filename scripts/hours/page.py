"""What a long run came to, as a page and a picture."""

import os
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from statistics import median
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from emulator import FRAMES_PER_SECOND
from hours.budgets import KB, MIB, Tenth, Verdict, growth_of, p99, tenths, verdicts
from hours.growth import CHECKPOINT, CONSOLIDATION, EVERY, Soak

SIZE: Final = (11.0, 7.4)
DPI: Final = 110
MILLION: Final = 1e6
HOUR: Final = 3_600


def page(soak: Soak, picture: str) -> str:
    """Return all that was found out; `picture` is the file of the plot, if there is one."""
    parts = tenths(soak)
    blocks = (
        _head(soak),
        judgement(verdicts(soak)),
        (f"![What grew and what did not]({picture})",) if picture else (),
        _by_tenth(parts),
        _about_memory(soak),
        _scopes(soak),
        _doings(soak),
    )
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def plot(soak: Soak) -> bytes:
    """Return a PNG of what is kept, by frames."""
    figure = Figure(figsize=SIZE, layout="constrained")
    memory, files, times, entries = figure.subplots(2, 2, sharex=True).flat
    _draw_memory(memory, soak)
    _draw_files(files, soak)
    _draw_times(times, soak)
    _draw_entries(entries, soak)
    for axes in (memory, files, times, entries):
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")
    for axes in (times, entries):
        axes.set_xlabel("frames, millions")
    file = BytesIO()
    figure.savefig(file, dpi=DPI, format="png", metadata={"Software": None})
    return file.getvalue()


def _head(soak: Soak) -> Iterator[str]:
    summary = soak.summary
    hours = summary.frames / FRAMES_PER_SECOND / HOUR
    yield from (
        "# A long run, measured",
        "",
        f"Written by `scripts/soak --write docs/soak.md`, on {os.cpu_count()} cores; every figure is from one run of it.",
        f"{summary.cartridge}, seed {summary.seed}: {summary.frames:,} frames, {hours:.1f} hours of game time, in one",
        f"process and one run of {summary.ticks:,} ticks, {summary.wall_s:.0f} s of wall time.",
        "",
        "Once its story is told the agent would wait, so this run hands it one more capability (`scripts/hours/tour.py`):",
        "places in an order of chance, with three fights wherever there is grass, a visit to whoever heals or sells,",
        "and every battle fought. Nothing else differs from `play`.",
    )


def judgement(verdicts: Iterable[Verdict]) -> Iterator[str]:
    """Yield a table of figures and their budgets."""
    yield from ("| what | figure | budget | |", "|---|--:|---|---|")
    for each in verdicts:
        kept = "kept" if each.is_met else "**not kept**"
        yield f"| {each.what} | {each.figure} | {each.budget} | {kept} |"


def _by_tenth(parts: Sequence[Tenth]) -> Iterator[str]:
    yield from (
        "## By tenth",
        "",
        f"At the end of each tenth of the frames; a look every {EVERY} ticks. Times are of the processor, the median and the longest.",
        "",
        "| frames | ticks | resident MiB | objects | run.sqlite MB | bytes a tick | memory.sqlite KB"
        " | its archive KB | entries | consolidations | ms |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    )
    for each in parts:
        last, took = each.last, each.consolidations_ms
        times = f"{median(took):.1f}, {max(took):.1f}" if took else "none"
        yield (
            f"| {last.frame:,} | {each.ticks:,} | {last.rss / MIB:.1f} | {last.objects:,}"
            f" | {last.run_bytes / MILLION:.1f} | {each.run_bytes_a_tick:.0f}"
            f" | {last.knowledge_bytes / KB:.0f} | {last.archive_bytes / KB:.0f} | {sum(last.entries.values()):,} | {len(took)} | {times} |"
        )


def _about_memory(soak: Soak) -> Iterator[str]:
    alone = growth_of(soak.alone) / MIB
    ours = growth_of([(each.frame, each.rss) for each in soak.samples]) / MIB
    saves = [1_000 * each.took for each in soak.lapses if each.what == CHECKPOINT]
    yield from (
        f"The process grows by {ours:.1f} MiB after the first tenth; the same inputs on a console alone, in a process of",
        f"its own, by {alone:.1f} MiB, which is PyBoy's share. The rest is entries, as far as their scopes have room, and the",
        "tables of recent calculations that battles keep, each of a fixed size. Consolidation takes the longer the more",
        "there is to look at, which is why it is compared from the fifth tenth on.",
        "",
        f"A checkpoint ({len(saves)} of them, PyBoy's own saving included) took {median(saves):.1f} ms (median; p99",
        f"{p99(saves):.1f} ms).",
    )


def _scopes(soak: Soak) -> Iterator[str]:
    yield from (
        "## Entries alive, by scope",
        "",
        "| scope | at most | at the end |",
        "|---|--:|--:|",
    )
    for scope in _names(soak):
        counts = [each.entries.get(scope, 0) for each in soak.samples]
        yield f"| `{scope}` | {max(counts):,} | {counts[-1]:,} |"


def _doings(soak: Soak) -> Iterator[str]:
    fought = ", ".join(f"{count:,} {name}" for name, count in sorted(soak.outcomes.items()))
    yield from (
        "## What was done",
        "",
        f"{soak.summary.battles:,} battles ({fought}). Money is short in the grass: there were {soak.bought} purchases, and",
        "after those the clerks were only visited.",
        "",
        "| ticks spent on | |",
        "|---|--:|",
    )
    whole = sum(soak.doings.values())
    for what, ticks in sorted(soak.doings.items(), key=lambda each: -each[1]):
        yield f"| {what} | {ticks / whole:.1%} |"


def _names(soak: Soak) -> list[str]:
    return sorted({scope for each in soak.samples for scope in each.entries})


def _frames(soak: Soak) -> list[float]:
    return [each.frame / MILLION for each in soak.samples]


def _draw_memory(axes: Axes, soak: Soak) -> None:
    axes.plot(_frames(soak), [each.rss / MIB for each in soak.samples], label="the agent")
    frames, sizes = zip(*soak.alone, strict=True)
    axes.plot(
        [each / MILLION for each in frames],
        [each / MIB for each in sizes],
        label="the console alone",
    )
    axes.set_ylabel("resident memory, MiB")


def _draw_files(axes: Axes, soak: Soak) -> None:
    frames = _frames(soak)
    axes.plot(frames, [each.run_bytes / MILLION for each in soak.samples], label="run.sqlite")
    axes.plot(
        frames, [each.knowledge_bytes / MILLION for each in soak.samples], label="memory.sqlite"
    )
    axes.plot(frames, [each.log_bytes / MILLION for each in soak.samples], label="their logs")
    axes.plot(frames, [each.archive_bytes / MILLION for each in soak.samples], label="its archive")
    axes.set_ylabel("size, MB")


def _draw_times(axes: Axes, soak: Soak) -> None:
    for what, mark in ((CHECKPOINT, "x"), (CONSOLIDATION, "o")):
        points = [
            (each.frame / MILLION, 1_000 * each.took) for each in soak.lapses if each.what == what
        ]
        if points:
            axes.plot(*zip(*points, strict=True), mark, markersize=4, label=f"each {what}")
    axes.set_ylabel("ms")


def _draw_entries(axes: Axes, soak: Soak) -> None:
    for scope in _names(soak):
        counts = [each.entries.get(scope, 0) for each in soak.samples]
        axes.plot(_frames(soak), counts, label=scope)
    axes.set_ylabel("entries alive")
