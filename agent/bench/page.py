"""The figures in words: rows for a table, and a page for the documentation."""

import os
from collections.abc import Iterator
from typing import Final, NamedTuple

from agent.bench.figures import Figures, Reading, Rounds, Spread, Stretch

STRETCHES: Final = {
    "all": "all of it",
    "story": "to the story's last milestone",
    "onward": "after it: waiting, all goals reached",
}


class Row(NamedTuple):
    """One figure, under the heading of its section."""

    section: str
    what: str
    figure: str


def rows(figures: Figures) -> Iterator[Row]:
    """Yield every figure, section by section."""
    yield from _speed(figures)
    for name, stretch in figures.stretches.items():
        yield from _stretch(STRETCHES[name], stretch)
    for part, spread in figures.parts_us.items():
        yield Row("parts of a tick (mean, p50, p99)", part, _us(spread))
    yield from _planning(figures)
    yield from _readers(figures)


def page(figures: Figures) -> str:
    """Return the page that `bench --write` leaves."""
    lines = [
        "# Speed, measured",
        "",
        f"Written by `python -m agent bench --write docs/bench.md`, on {os.cpu_count()} cores; every figure is"
        " from one run of it.",
        f"{figures.cartridge}, seed {figures.seed}: {figures.rounds} rounds of {figures.ticks:,} ticks each.",
        "",
        "`speed_ratio` is never-halting / (never-halting + ours). *Never-halting* is what PyBoy needs, without",
        "drawing, for as many frames of a program that never halts (`agent/bench/reference.py` says what it does), in",
        "the same process, by turns with play. *Ours* is all the time outside of PyBoy from one step to the next:",
        "reading RAM, perceiving, sensing, deciding, remembering, recording, consolidation, checkpoints. Ranges are",
        "the lowest and the highest round.",
        "",
        "A checkpoint holds PyBoy's state, which takes PyBoy long to write, byte by byte; there is one at power-on, at",
        "each milestone, every 1,000 ticks and at the end. That is inside of PyBoy, so it is told on its own, and a",
        "second ratio has it on our side.",
        "",
        "Ticks differ much in their frames, as the tables say: reading on, walking, watching a battle, waiting. Our cost",
        "goes by ticks, the reference's by frames, so each stretch has its own ratio.",
    ]
    section = ""
    for row in rows(figures):
        if row.section != section:
            section = row.section
            lines += ["", f"## {section[0].upper()}{section[1:]}", "", "| | |", "|---|--:|"]
        lines.append(f"| {row.what} | {row.figure} |")
    return "\n".join(lines) + "\n"


def _speed(figures: Figures) -> Iterator[Row]:
    section = "speed"
    yield Row(section, "speed_ratio", _ratio(figures.speed_ratio))
    yield Row(section, "a frame of the reference", _us_range(figures.reference_us_per_frame))


def _stretch(section: str, stretch: Stretch) -> Iterator[Row]:
    frames = stretch.frames_per_tick
    yield Row(section, "ticks a round", f"{stretch.ticks:,}")
    yield Row(
        section,
        "frames a tick (mean, p50, p99)",
        f"{frames.mean:.1f}, {frames.p50:.0f}, {frames.p99:.0f}",
    )
    yield Row(section, "ours a tick (mean, p50, p99)", _us(stretch.overhead_us))
    yield Row(section, "ours a frame", _us_range(stretch.ours_us_per_frame))
    yield Row(section, "the game's console a frame", _us_range(stretch.console_us_per_frame))
    yield Row(section, "PyBoy's own saving a frame", _us_range(stretch.saving_us_per_frame))
    yield Row(section, "speed_ratio", _ratio(stretch.speed_ratio))
    yield Row(section, "with that saving as ours", _ratio(stretch.speed_ratio_with_saving))


def _planning(figures: Figures) -> Iterator[Row]:
    section = "decoding and planning"
    for each in figures.decoding:
        yield Row(section, each.what, f"{each.ms:.1f} ms")
    spread = figures.plan_us
    searches = "none" if spread is None else f"{_us(spread)}; {spread.high:.1f} μs"
    yield Row(section, f"a plan, of {figures.plans} (mean, p50, p99; highest)", searches)


def _readers(figures: Figures) -> Iterator[Row]:
    for name, reading in (("glyphs", figures.glyphs), ("Tesseract", figures.tesseract)):
        yield from _reader(name, reading)


def _reader(name: str, reading: Reading | None) -> Iterator[Row]:
    section = "text read from pixels"
    if reading is None:
        yield Row(section, name, "not installed")
        return
    yield Row(section, f"{name}: screens", str(reading.screens))
    yield Row(section, f"{name}: characters right", f"{reading.accuracy:.2%}")
    yield Row(section, f"{name}: screens without a fault", str(reading.perfect))
    times = reading.ms
    yield Row(
        section,
        f"{name}: a screen (mean, p50, p99)",
        f"{times.mean:.2f}, {times.p50:.2f}, {times.p99:.2f} ms",
    )


def _us(spread: Spread) -> str:
    return f"{spread.mean:.1f}, {spread.p50:.1f}, {spread.p99:.1f} μs"


def _us_range(rounds: Rounds) -> str:
    return f"{rounds.median:.1f} μs ({rounds.low:.1f} to {rounds.high:.1f})"


def _ratio(rounds: Rounds) -> str:
    return f"{rounds.median:.3f} ({rounds.low:.3f} to {rounds.high:.3f})"
