"""The share of time spent in our code: games played in rounds, beside a reference program that never halts.

`speed_ratio` is never-halting / (never-halting + ours). Never-halting is the time of PyBoy, without drawing, for the
same number of frames of that program, in the same process, alternating with play. Ours is all time outside of PyBoy
from one step to the next: reading RAM, perceiving, sensing, deciding, memory, recording, consolidation, checkpoints.
PyBoy is slow at writing its state for a checkpoint; that is measured separately, and a second ratio counts it as ours.
Our cost depends on ticks and that of the reference on frames, so each part of play has its own ratio.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from hashlib import sha1
from pathlib import Path
from typing import Any, Final, TypeAlias

from agent.lab.bench.game import TimedGame, TimedTick, play
from agent.lab.bench.stopwatch import INSIDE, PARTS, PLANNING, SAVING
from agent.lab.publish import Findings, flattened
from agent.lab.stats import Distribution, Rounds
from agent.tools.progress import numbered
from agent.tools.report.words import counted
from emulator import HEADER_CHECKSUM, Cartridge, CartridgeKind, PyBoyConsole, Step, header_checksum

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
    stage = numbered(say, 2 + rounds)
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
    }
    title = f"bench: {cartridge.name}, {counted(rounds, 'round')} of {counted(ticks, 'tick')}"
    return Findings(title, figures, [flattened(figures)])


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
