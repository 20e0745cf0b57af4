"""The share of time that is ours: games played in rounds, beside a program that never halts.

The program is ours and has 32 KiB. Its V-blank interrupt saves registers, counts frames and moves the
picture by a pixel. Its main program loops for ever with the mix of a game's inner loops: 64 bytes are
read, added, combined with their neighbours, tested and written back, so that every round has other
numbers; then a subroutine sums 32 of them up in 16 bits, by pushes, calls, carries and branches. The
LCD is on. Nothing waits and nothing spins on the spot: every frame's 17,556 cycles are ordinary
instructions.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from hashlib import sha1
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final, NamedTuple, TypeAlias

from agent.lab.bench.game import TimedGame, TimedTick, play
from agent.lab.bench.stopwatch import INSIDE, PARTS, PLANNING, SAVING
from agent.lab.bench.text_readers import gather, read_all, some
from agent.lab.stats import (
    Decoding,
    Distribution,
    ReaderFigures,
    Rounds,
    SpeedFigures,
    StretchFigures,
)
from emulator import (
    Cartridge,
    CartridgeKind,
    Dex,
    Font,
    GlyphReader,
    PyBoyConsole,
    Step,
    Unavailable,
    World,
    find_tesseract,
)
from emulator.cartridge import HEADER_CHECKSUM, header_checksum

TITLE: Final = b"NEVER HALTS"
ENTRY: Final = bytes.fromhex("00 C3 50 01")  # nop; jp main
VBLANK: Final = bytes.fromhex("C3 00 02")  # jp 0200

MAIN: Final = bytes.fromhex(
    "31 FE FF  3E 01  E0 FF  FB"  # sp = FFFE; allow V-blank interrupts
    "21 00 C1  11 00 C1  06 40"  # again: hl = de = C100; b = 64
    "2A  80  AE  12  13"  # next: a = (hl+) + b ^ (hl); (de+) = a
    "CB 7F  28 03  CB 37  4F"  # when bit 7 of a is set: c = a with its nibbles swapped
    "05  20 F2"  # b -= 1, and back to next until it is 0
    "CD 80 01  18 E4"  # call sum; back to again
)
SUM: Final = bytes.fromhex(
    "C5  21 00 C1  01 00 00  1E 20"  # keep bc; hl = C100; bc = 0; e = 32
    "2A  81  4F  30 01  04"  # next: c += (hl+), with the carry into b
    "1D  20 F7"  # e -= 1, and back to next until it is 0
    "78  EA 00 C3  C1  C9"  # (C300) = b; give bc back
)
COUNT_FRAMES: Final = bytes.fromhex(
    "F5 E5  21 00 C0  34  20 02  23 34"  # keep af and hl; count at C000, carry to C001
    "F0 43  3C  E0 43"  # rSCX += 1
    "E1 F1  D9"
)
START_UP: Final = 120  # frames; PyBoy's own boot program takes about half of them
PROGRAM: Final = {
    0x0040: VBLANK,
    0x0100: ENTRY,
    0x0134: TITLE,
    0x0150: MAIN,
    0x0180: SUM,
    0x0200: COUNT_FRAMES,
}


def never_halting() -> PyBoyConsole:
    """Return a console with the program in its slot, past PyBoy's own start-up."""
    console = PyBoyConsole(reference_cartridge())
    console.perform(Step(None, 0, START_UP))
    return console


def reference_cartridge() -> Cartridge:
    """Return the image, made in memory."""
    rom = bytearray(0x8000)
    for address, code in PROGRAM.items():
        rom[address : address + len(code)] = code
    rom[HEADER_CHECKSUM] = header_checksum(bytes(rom))
    return Cartridge(
        path=Path("never_halts.gb"),  # of no file: the image is only ever in memory
        rom=bytes(rom),
        title=TITLE.decode(),
        sha1=sha1(rom, usedforsecurity=False).hexdigest(),
        kind=CartridgeKind.DEMO,
    )


TIMES: Final = 3


def decode_all(cartridge: Cartridge) -> list[Decoding]:
    """Return how long each table of the cartridge takes, decoded anew."""
    tables: dict[str, Callable[[Cartridge], object]] = {
        "world: every map with all that is on it, tilesets, holes": decode_world,
        "dex: creatures, moves, things, trainers, whom one meets where, rules": Dex.of.__wrapped__,
    }
    return [
        Decoding(what, median(_timed(decode, cartridge) for _ in range(TIMES)))
        for what, decode in tables.items()
    ]


def decode_world(cartridge: Cartridge) -> None:
    """Decode everything about maps, past the cache of `World.of`."""
    world = World.of.__wrapped__(cartridge)
    _ = world.maps, world.dungeon_warps


def _timed(decode: Callable[[Cartridge], object], cartridge: Cartridge) -> float:
    start = perf_counter()
    decode(cartridge)
    return (perf_counter() - start) * 1_000


MICROSECONDS: Final = 1e6

Cut: TypeAlias = Callable[[TimedGame], Sequence[TimedTick]]

# Named by what is played: waiting for nothing has longer ticks, so each is told on its own.
CUTS: Final[Mapping[str, Cut]] = {
    "all": lambda game: game.ticks,
    "story": lambda game: game.ticks[: game.story],
    "onward": lambda game: game.ticks[game.story :],
}


class Cost(NamedTuple):
    """What a frame of a stretch took, in seconds: ours, PyBoy's saving and playing, and the reference's."""

    ours: float
    saving: float
    console: float
    reference: float

    @property
    def ratio(self) -> float:
        """The reference's share of its time and ours."""
        return self.reference / (self.reference + self.ours)

    @property
    def ratio_with_saving(self) -> float:
        """The same, as if PyBoy's saving were ours."""
        return self.reference / (self.reference + self.ours + self.saving)


def stretches(games: Sequence[TimedGame]) -> dict[str, StretchFigures]:
    """Return every stretch that the games have."""
    return {name: stretch(games, cut) for name, cut in CUTS.items() if all(map(cut, games))}


def stretch(games: Sequence[TimedGame], cut: Cut) -> StretchFigures:
    """Return the figures of one stretch over all rounds."""
    costs = [_cost(game, cut(game)) for game in games]
    ticks = [tick for game in games for tick in cut(game)]
    return StretchFigures(
        ticks=len(cut(games[0])),
        frames_per_tick=Distribution.of([tick.frames for tick in ticks]),
        overhead_us=Distribution.of([tick.ours * MICROSECONDS for tick in ticks]),
        ours_us_per_frame=Rounds.of([cost.ours * MICROSECONDS for cost in costs]),
        saving_us_per_frame=Rounds.of([cost.saving * MICROSECONDS for cost in costs]),
        console_us_per_frame=Rounds.of([cost.console * MICROSECONDS for cost in costs]),
        speed_ratio=Rounds.of([cost.ratio for cost in costs]),
        speed_ratio_with_saving=Rounds.of([cost.ratio_with_saving for cost in costs]),
    )


def part_spreads(game: TimedGame) -> dict[str, Distribution]:
    """Return what each part takes of a tick, in microseconds, the largest first."""
    names = {name for tick in game.ticks for name in tick.parts}
    spreads = {
        name: Distribution.of([tick.parts.get(name, 0.0) * MICROSECONDS for tick in game.ticks])
        for name in names
    }
    spreads[SAVING] = Distribution.of([tick.saving * MICROSECONDS for tick in game.ticks])
    rest = [tick.ours - sum(tick.parts.values()) for tick in game.ticks]
    spreads["everything else, with the cost of timing the parts"] = Distribution.of(
        [seconds * MICROSECONDS for seconds in rest]
    )
    return dict(sorted(spreads.items(), key=lambda item: -item[1].mean))


def _cost(game: TimedGame, ticks: Sequence[TimedTick]) -> Cost:
    frames = sum(tick.frames for tick in ticks)
    return Cost(
        ours=sum(tick.ours for tick in ticks) / frames,
        saving=sum(tick.saving for tick in ticks) / frames,
        console=sum(tick.console for tick in ticks) / frames,
        reference=game.reference,
    )


OPINIONS: Final = 40  # screens for Tesseract, which takes thousands of times as long
WARM_UP: Final = 200  # ticks: caches fill, lazy tables are decoded

Say: TypeAlias = Callable[[str], object]


def measure_speed(
    cartridge: Cartridge, *, seed: int, ticks: int, rounds: int, say: Say, opinions: int = OPINIONS
) -> SpeedFigures:
    """Return all figures of `rounds` games of `ticks` ticks; `say` is told what is being done.

    `opinions` is how many screens Tesseract reads as well, where it is installed.
    """
    say("decoding the cartridge")
    decoding = decode_all(cartridge)
    say("warming up")
    play(cartridge, seed, min(ticks, WARM_UP), INSIDE)
    games = []
    with closing(never_halting()) as reference:
        for number in range(1, rounds + 1):
            say(f"round {number} of {rounds}: {ticks:,} ticks beside a program that never halts")
            games.append(play(cartridge, seed, ticks, INSIDE, reference))
    say("timing the parts of a tick")
    taken_apart = play(cartridge, seed, ticks, PARTS)
    searches = [tick.parts[PLANNING] for tick in taken_apart.ticks if PLANNING in tick.parts]
    say("gathering screens with text")
    samples = gather(cartridge, seed)
    say(f"reading {len(samples)} screens")
    glyphs = read_all(samples, GlyphReader(Font.of(cartridge)))
    tesseract = find_tesseract()
    if not isinstance(tesseract, Unavailable):
        say(f"reading {opinions} of them with Tesseract")
    return SpeedFigures(
        cartridge=cartridge.name,
        seed=seed,
        ticks=ticks,
        rounds=rounds,
        reference_us_per_frame=Rounds.of([game.reference * MICROSECONDS for game in games]),
        stretches=stretches(games),
        parts_us=part_spreads(taken_apart),
        timed_us=Distribution.of([tick.ours * MICROSECONDS for tick in taken_apart.ticks]).mean,
        plans=len(searches),
        plan_us=Distribution.of([each * MICROSECONDS for each in searches]) if searches else None,
        decoding=decoding,
        glyphs=glyphs,
        tesseract=None
        if isinstance(tesseract, Unavailable)
        else read_all(some(samples, opinions), tesseract),
    )


STRETCHES: Final = {
    "all": "all of it",
    "story": "to the story's last milestone",
    "onward": "after it: waiting, all goals reached",
}


class SpeedRow(NamedTuple):
    """One figure, under the heading of its section."""

    section: str
    what: str
    figure: str


def speed_rows(figures: SpeedFigures) -> Iterator[SpeedRow]:
    """Yield every figure, section by section."""
    yield from _speed(figures)
    for name, stretch in figures.stretches.items():
        yield from _stretch(STRETCHES[name], stretch)
    for part, spread in figures.parts_us.items():
        yield SpeedRow("parts of a tick (mean, p50, p99)", part, _us(spread))
    yield from _planning(figures)
    yield from _readers(figures)


def speed_page(figures: SpeedFigures) -> str:
    """Return the page that `bench --write` leaves."""
    lines = [
        "# Speed, measured",
        "",
        f"Written by `python -m agent bench --write docs/bench.md`, on {os.cpu_count()} cores; every figure is"
        " from one run of it.",
        f"{figures.cartridge}, seed {figures.seed}: {figures.rounds} rounds of {figures.ticks:,} ticks each.",
        "",
        "`speed_ratio` is never-halting / (never-halting + ours). *Never-halting* is what PyBoy needs, without",
        "drawing, for as many frames of a program that never halts (`agent/lab/bench/speed.py` says what it does), in",
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
    for row in speed_rows(figures):
        if row.section != section:
            section = row.section
            lines += ["", f"## {section[0].upper()}{section[1:]}", "", "| | |", "|---|--:|"]
        lines.append(f"| {row.what} | {row.figure} |")
    return "\n".join(lines) + "\n"


def _speed(figures: SpeedFigures) -> Iterator[SpeedRow]:
    section = "speed"
    yield SpeedRow(section, "speed_ratio", _ratio(figures.speed_ratio))
    yield SpeedRow(section, "a frame of the reference", _us_range(figures.reference_us_per_frame))


def _stretch(section: str, stretch: StretchFigures) -> Iterator[SpeedRow]:
    frames = stretch.frames_per_tick
    yield SpeedRow(section, "ticks a round", f"{stretch.ticks:,}")
    yield SpeedRow(
        section,
        "frames a tick (mean, p50, p99)",
        f"{frames.mean:.1f}, {frames.p50:.0f}, {frames.p99:.0f}",
    )
    yield SpeedRow(section, "ours a tick (mean, p50, p99)", _us(stretch.overhead_us))
    yield SpeedRow(section, "ours a frame", _us_range(stretch.ours_us_per_frame))
    yield SpeedRow(section, "the game's console a frame", _us_range(stretch.console_us_per_frame))
    yield SpeedRow(section, "PyBoy's own saving a frame", _us_range(stretch.saving_us_per_frame))
    yield SpeedRow(section, "speed_ratio", _ratio(stretch.speed_ratio))
    yield SpeedRow(section, "with that saving as ours", _ratio(stretch.speed_ratio_with_saving))


def _planning(figures: SpeedFigures) -> Iterator[SpeedRow]:
    section = "decoding and planning"
    for each in figures.decoding:
        yield SpeedRow(section, each.what, f"{each.ms:.1f} ms")
    spread = figures.plan_us
    searches = "none" if spread is None else f"{_us(spread)}; {spread.high:.1f} μs"
    yield SpeedRow(section, f"a plan, of {figures.plans} (mean, p50, p99; highest)", searches)


def _readers(figures: SpeedFigures) -> Iterator[SpeedRow]:
    for name, reading in (("glyphs", figures.glyphs), ("Tesseract", figures.tesseract)):
        yield from _reader(name, reading)


def _reader(name: str, reading: ReaderFigures | None) -> Iterator[SpeedRow]:
    section = "text read from pixels"
    if reading is None:
        yield SpeedRow(section, name, "not installed")
        return
    yield SpeedRow(section, f"{name}: screens", str(reading.screens))
    yield SpeedRow(section, f"{name}: characters right", f"{reading.accuracy:.2%}")
    yield SpeedRow(section, f"{name}: screens without a fault", str(reading.perfect))
    times = reading.ms
    yield SpeedRow(
        section,
        f"{name}: a screen (mean, p50, p99)",
        f"{times.mean:.2f}, {times.p50:.2f}, {times.p99:.2f} ms",
    )


def _us(spread: Distribution) -> str:
    return f"{spread.mean:.1f}, {spread.p50:.1f}, {spread.p99:.1f} μs"


def _us_range(rounds: Rounds) -> str:
    return f"{rounds.median:.1f} μs ({rounds.low:.1f} to {rounds.high:.1f})"


def _ratio(rounds: Rounds) -> str:
    return f"{rounds.median:.3f} ({rounds.low:.3f} to {rounds.high:.3f})"
