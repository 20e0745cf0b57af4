"""The share of time spent in our code: games played in rounds, beside a reference program that never halts.

`speed_ratio` is never-halting / (never-halting + ours). Never-halting is the time of PyBoy, without drawing, for the
same number of frames of that program, in the same process, alternating with play. Ours is all time outside of PyBoy
from one step to the next: reading RAM, perceiving, sensing, deciding, memory, recording, consolidation, checkpoints.
PyBoy is slow at writing its state for a checkpoint; that is measured separately, and a second ratio counts it as ours.
Our cost depends on ticks and that of the reference on frames, so each part of play has its own ratio.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from hashlib import sha1
from pathlib import Path
from statistics import fmean, median
from time import perf_counter
from typing import Any, Final, NamedTuple, TypeAlias

from agent.lab.bench.game import TimedGame, TimedTick, play, steps_of
from agent.lab.bench.stopwatch import INSIDE, PARTS, PLANNING, SAVING, lapse
from agent.lab.publish import Findings, flattened
from agent.lab.stats import Distribution, Rounds
from agent.tools.progress import numbered
from agent.tools.report.words import counted
from emulator import (
    HEADER_CHECKSUM,
    Cartridge,
    CartridgeKind,
    Console,
    Dex,
    Font,
    PyBoyConsole,
    Screen,
    Step,
    World,
    header_checksum,
    read_state,
)
from emulator.ram import NoControl
from emulator.screen import GlyphReader, TextReader, Unavailable, accuracy, find_tesseract

NEVER_HALTS: Final = tomllib.loads(Path(__file__).with_name("never_halts.toml").read_text("utf-8"))
START_UP: Final = 120  # frames; PyBoy's own boot program takes about half of them


def never_halting() -> PyBoyConsole:
    """Return a console that runs the program, after PyBoy's start-up."""
    rom = bytearray(0x8000)
    for address, lines in NEVER_HALTS.items():
        code = bytes.fromhex(" ".join(lines))
        at = int(address, 16)
        rom[at : at + len(code)] = code
    rom[HEADER_CHECKSUM] = header_checksum(bytes(rom))
    cartridge = Cartridge(
        path=Path("never_halts.gb"),  # no file: the image is only in memory
        rom=bytes(rom),
        title="NEVER HALTS",
        sha1=sha1(rom, usedforsecurity=False).hexdigest(),
        kind=CartridgeKind.DEMO,
    )
    console = PyBoyConsole(cartridge)
    console.perform(Step(None, 0, START_UP))
    return console


WANTED: Final = 240
SEEDS: Final = 8  # games to search
LONGEST: Final = 5_000  # ticks of a game; the story ends earlier
# The game copies a third of its tile map to the picture each frame: a newer one is not complete yet.
SETTLED: Final = 3
DARK: Final = {NoControl.FADING, NoControl.SCREEN_OFF}


@dataclass(frozen=True, slots=True)
class ReaderFigures:
    """The result of one screen reader; `accuracy` is the share of characters equal to the tile map."""

    screens: int
    accuracy: float
    perfect: int
    ms: Distribution


class TextSample(NamedTuple):
    """A picture, and the rows of text on the logical screen at the same time."""

    screen: Screen
    rows: tuple[str, ...]


def gather(cartridge: Cartridge, seed: int) -> list[TextSample]:
    """Return distinct pictures with text, from the games of `seed` and the following seeds."""
    found: dict[Screen, TextSample] = {}
    for each in range(seed, seed + SEEDS):
        with closing(PyBoyConsole(cartridge)) as console:
            for sample in _seen(console, steps_of(cartridge, each, LONGEST)):
                found.setdefault(sample.screen, sample)
                if len(found) == WANTED:
                    return list(found.values())
    return list(found.values())


def _seen(console: Console, steps: Sequence[Step]) -> Iterator[TextSample]:
    """Yield the settled screens with text, frame by frame."""
    last: tuple[str, ...] = ()
    frames = 0
    for frame in _frames(steps):
        console.perform(frame, render=True)
        state = read_state(console.ram(), console.frame)
        rows = state.screen_rows
        frames = frames + 1 if rows == last else 0
        last = rows
        is_lit = DARK.isdisjoint(state.control.reasons)
        if frames >= SETTLED and any(map(str.strip, rows)) and is_lit:
            yield TextSample(console.screen(), rows)


def _frames(steps: Sequence[Step]) -> Iterator[Step]:
    """Yield the same input as steps of one frame."""
    for step in steps:
        for _ in range(step.hold):
            yield Step(step.button, 1, 0)
        for _ in range(step.settle):
            yield Step(None, 0, 1)


def read_all(samples: Sequence[TextSample], reader: TextReader) -> ReaderFigures:
    """Return the result of `reader` on at least one sample, compared with the rows of the tile map."""
    shares, times = [], []
    for screen, rows in samples:
        start = perf_counter()
        read = reader.read(screen)
        times.append((perf_counter() - start) * 1_000)
        shares.append(accuracy(rows, read).share)
    return ReaderFigures(len(samples), fmean(shares), shares.count(1.0), Distribution.of(times))


DECODED: Final = 3  # times
OPINIONS: Final = 40  # screens for Tesseract, which is thousands of times slower
WARM_UP: Final = 200  # ticks: caches fill, lazy tables are decoded
MICROSECONDS: Final = 1e6

Cut: TypeAlias = Callable[[TimedGame], Sequence[TimedTick]]
Figures: TypeAlias = dict[str, Any]

# Parts of a game: idle play after the story has longer ticks, so each is measured separately.
CUTS: Final[Mapping[str, Cut]] = {
    "all": lambda game: game.ticks,
    "story": lambda game: game.ticks[: game.story],
    "onward": lambda game: game.ticks[game.story :],
}


def measure_speed(
    cartridge: Cartridge, seed: int, ticks: int, rounds: int, say: Callable[[str], object]
) -> Findings:
    """Return all figures of `rounds` games of `ticks` ticks; `say` gets the name of each stage."""
    tesseract = find_tesseract()
    stage = numbered(say, 5 + rounds + (not isinstance(tesseract, Unavailable)))
    stage("decoding the cartridge")
    decoding = decode_all(cartridge)
    stage("warming up")
    play(cartridge, seed, min(ticks, WARM_UP), INSIDE)
    games = []
    with closing(never_halting()) as reference:
        for _ in range(rounds):
            stage(f"{counted(ticks, 'tick')} beside a program that never halts")
            games.append(play(cartridge, seed, ticks, INSIDE, reference))
    stage("timing the parts of a tick")
    with_parts = play(cartridge, seed, ticks, PARTS)
    searches = [tick.parts[PLANNING] for tick in with_parts.ticks if PLANNING in tick.parts]
    stage("gathering screens with text")
    samples = gather(cartridge, seed)
    stage(f"reading {counted(len(samples), 'screen')}")
    glyphs = read_all(samples, GlyphReader(Font.of(cartridge)))
    second = None
    if not isinstance(tesseract, Unavailable):
        stage(f"reading {OPINIONS} of them with Tesseract")
        apart = -(-len(samples) // OPINIONS)
        second = read_all(samples[::apart], tesseract)
    stretches = {name: _stretch(games, cut) for name, cut in CUTS.items() if all(map(cut, games))}
    figures: Figures = {
        "speed_ratio": stretches["all"]["speed_ratio"].median,
        "cartridge": cartridge.name,
        "seed": seed,
        "ticks": ticks,
        "rounds": rounds,
        "reference_us_per_frame": Rounds.of([game.reference * MICROSECONDS for game in games]),
        "stretches": stretches,
        "parts_us": part_times(with_parts),
        # A tick with timed parts, including the rest outside of all parts.
        "timed_us": _us([tick.ours for tick in with_parts.ticks]).mean,
        "plans": len(searches),
        "plan_us": _us(searches) if searches else None,
        "decoding": decoding,
        "glyphs": glyphs,
        "tesseract": second,
    }
    title = f"bench: {cartridge.name}, {counted(rounds, 'round')} of {counted(ticks, 'tick')}"
    return Findings(title, figures, [flattened(figures)])


def decode_all(cartridge: Cartridge) -> list[Figures]:
    """Return the decoding time of each table of the cartridge, without caches."""
    world, dex = partial(decode_world, cartridge), partial(Dex.of.__wrapped__, cartridge)
    tables: dict[str, Callable[[], object]] = {
        "world: every map with all that is on it, tilesets, holes": world,
        "dex: species, moves, items, trainers, wild slots, rules": dex,
    }
    return [
        {"what": what, "ms": median(lapse(work, perf_counter) * 1_000 for _ in range(DECODED))}
        for what, work in tables.items()
    ]


def decode_world(cartridge: Cartridge) -> None:
    """Decode everything about maps, bypassing the cache of `World.of`."""
    world = World.of.__wrapped__(cartridge)
    _ = world.maps, world.dungeon_warps


def _stretch(games: Sequence[TimedGame], cut: Cut) -> Figures:
    """Return the figures of one part of play over all rounds, times in microseconds."""
    ticks = [tick for game in games for tick in cut(game)]
    costs = [_per_frame(cut(game)) for game in games]
    references = [game.reference * MICROSECONDS for game in games]
    pairs = list(zip(costs, references, strict=True))
    return {
        "ticks": len(cut(games[0])),
        "frames_per_tick": Distribution.of([tick.frames for tick in ticks]),
        "overhead_us": _us([tick.ours for tick in ticks]),
        "ours_us_per_frame": Rounds.of([ours for ours, _, _ in costs]),
        "saving_us_per_frame": Rounds.of([saving for _, saving, _ in costs]),
        "console_us_per_frame": Rounds.of([console for _, _, console in costs]),
        "speed_ratio": Rounds.of([it / (it + ours) for (ours, _, _), it in pairs]),
        "speed_ratio_with_saving": Rounds.of(
            [it / (it + ours + saving) for (ours, saving, _), it in pairs]
        ),
    }


def _per_frame(ticks: Sequence[TimedTick]) -> tuple[float, float, float]:
    """Return the time of a frame: ours, saving in PyBoy and playing in PyBoy, in microseconds."""
    scale = MICROSECONDS / sum(tick.frames for tick in ticks)
    return (
        sum(tick.ours for tick in ticks) * scale,
        sum(tick.saving for tick in ticks) * scale,
        sum(tick.console for tick in ticks) * scale,
    )


def part_times(game: TimedGame) -> dict[str, Distribution]:
    """Return the time of each part of a tick, in microseconds, the largest first."""
    ticks = game.ticks
    names = {name for tick in ticks for name in tick.parts}
    found = {name: _us([tick.parts.get(name, 0.0) for tick in ticks]) for name in names}
    found[SAVING] = _us([tick.saving for tick in ticks])
    rest = [tick.ours - sum(tick.parts.values()) for tick in ticks]
    found["everything else, with the cost of timing the parts"] = _us(rest)
    return dict(sorted(found.items(), key=lambda item: -item[1].mean))


def _us(seconds: Sequence[float]) -> Distribution:
    return Distribution.of([each * MICROSECONDS for each in seconds])
