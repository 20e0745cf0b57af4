"""The whole measurement, in one process."""

from collections.abc import Callable
from contextlib import closing
from typing import Final, TypeAlias

from agent.bench import speed
from agent.bench.decoding import decode_all
from agent.bench.figures import Figures, Rounds, Spread
from agent.bench.game import play
from agent.bench.parts import INSIDE, PARTS, PLANNING
from agent.bench.reading import read_all, some
from agent.bench.reference import never_halting
from agent.bench.screens import gather
from emulator import Cartridge, Font, GlyphReader, Unavailable, find_tesseract

OPINIONS: Final = 40  # screens for Tesseract, which takes thousands of times as long
WARM_UP: Final = 200  # ticks: caches fill, lazy tables are decoded

Say: TypeAlias = Callable[[str], object]


def measure(
    cartridge: Cartridge, *, seed: int, ticks: int, rounds: int, say: Say, opinions: int = OPINIONS
) -> Figures:
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
    return Figures(
        cartridge=cartridge.name,
        seed=seed,
        ticks=ticks,
        rounds=rounds,
        reference_us_per_frame=Rounds.of([game.reference * speed.MICROSECONDS for game in games]),
        stretches=speed.stretches(games),
        parts_us=speed.parts(taken_apart),
        timed_us=Spread.of([tick.ours * speed.MICROSECONDS for tick in taken_apart.ticks]).mean,
        plans=len(searches),
        plan_us=Spread.of([each * speed.MICROSECONDS for each in searches]) if searches else None,
        decoding=decoding,
        glyphs=glyphs,
        tesseract=None
        if isinstance(tesseract, Unavailable)
        else read_all(some(samples, opinions), tesseract),
    )
