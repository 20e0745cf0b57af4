"""What comes of damaged cartridge images: thousands of them, each through both doors of the program.

The first door is `load_cartridge`, which asks who the image is. The second is behind it: the image is
taken for what it was, all of it is decoded, and the survey looks for what cannot be. Either way an
image ends with one line, or is sound. Writes the figures to docs/corruption.md; exits 1 when any image ended otherwise.
"""

import hashlib
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import cache, partial
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Annotated, Final

import typer
from damage import KINDS, spoil
from rich.console import Console
from rich.progress import track

from emulator import Cartridge, CartridgeError, CartridgeKind, demo_cartridge_path
from emulator.cartridge import DEMO_TITLE, HEADER_END, TITLE, identify
from emulator.soundness import refuse_unsound, survey

DOCUMENT: Final = Path(__file__).resolve().parent.parent / "docs" / "corruption.md"
MOST_SECONDS: Final = 2.0  # that both doors together may take for one image
PROCESSES: Final = 2
CHUNK: Final = 20


class Outcome(Enum):
    """How an image ended behind the first door."""

    REFUSED = "cannot be decoded"
    UNSOUND = "named as unsound"
    SOUND = "sound"


@dataclass(frozen=True, slots=True)
class Trial:
    """One damaged image; `outcome` is None and `failure` tells of it where it ended otherwise."""

    seed: int
    base: str
    kind: str
    let_in: bool
    outcome: Outcome | None
    line: str
    seconds: float
    failure: str = ""


def main(
    images: Annotated[int, typer.Option(min=1, help="How many images to damage.")] = 10_000,
    rom: Annotated[
        list[Path] | None,
        typer.Option(help="A cartridge image to damage besides the demo; may be repeated."),
    ] = None,
    only: Annotated[
        int | None, typer.Option(metavar="SEED", help="Try this one alone, and write no page.")
    ] = None,
) -> None:
    """Damage images, try them, and write docs/corruption.md."""
    bases = (demo_cartridge_path(), *(rom or ()))
    for base in bases:
        if not base.is_file() or base.stat().st_size < HEADER_END:
            print(f"{str(base)!r} is no cartridge image; name a file", file=sys.stderr)
            raise typer.Exit(2)
    if only is not None:
        print(told := trial(bases, only))
        raise typer.Exit(1 if told.failure else 0)
    with ProcessPoolExecutor(PROCESSES) as pool:
        trying = pool.map(partial(trial, bases), range(images), chunksize=CHUNK)
        console = Console(stderr=True)
        trials = list(track(trying, "damaging", total=images, console=console))
    failures = [each for each in trials if each.failure]
    for each in failures:
        print(f"seed {each.seed} ({each.kind} of {each.base}): {each.failure}")
    text = document(trials)
    DOCUMENT.write_text(text, encoding="utf-8")
    print(text)
    raise typer.Exit(1 if failures else 0)


def trial(bases: Sequence[Path], seed: int) -> Trial:
    """Damage the image that `seed` says in the way that it says, and try both doors."""
    turn, at = divmod(seed, len(bases))
    base, kind = bases[at], tuple(KINDS)[turn % len(KINDS)]
    image = spoil(image_of(base), kind, Random(seed))
    let_in, outcome, line, failure = False, None, "", ""
    start = perf_counter()
    try:
        with watchdog():
            let_in = knock(image)
            outcome, line = look_inside(image, image_of(base))
    except Exception:  # noqa: BLE001  # whatever else comes out of a door is what we look for
        failure = traceback.format_exc()
    seconds = perf_counter() - start
    if seconds > MOST_SECONDS:
        failure = failure or f"took {seconds:.1f} s"
    return Trial(seed, title_of(image_of(base)), kind, let_in, outcome, line, seconds, failure)


def title_of(image: bytes) -> str:
    """Return what an image calls itself: the page does not say how somebody's file is called."""
    return image[TITLE].rstrip(b"\0").decode("ascii", "replace")


@cache
def image_of(path: Path) -> bytes:
    """Return the bytes of a base."""
    return path.read_bytes()


@contextmanager
def watchdog() -> Iterator[None]:
    """Interrupt what takes too long; a loop without an end would otherwise be no finding."""

    def bark(*_: object) -> None:
        message = f"took over {MOST_SECONDS} s"
        raise TimeoutError(message)

    before = signal.signal(signal.SIGALRM, bark)
    signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def knock(image: bytes) -> bool:
    """Return whether the first door lets an image in; else it gave one line."""
    try:
        identify(Path("damaged.gb"), image)
    except CartridgeError as error:
        one_line(error)
        return False
    return True


def look_inside(image: bytes, base: bytes) -> tuple[Outcome, str]:
    """Decode all of an image as if it were still its base, and survey it."""
    title = title_of(base)
    kind = CartridgeKind.DEMO if title == DEMO_TITLE else CartridgeKind.RED
    sha1 = hashlib.sha1(image, usedforsecurity=False).hexdigest()
    cartridge = Cartridge(Path("damaged.gb"), image, title, sha1, kind)
    try:
        checks = survey(cartridge)
    except CartridgeError as error:
        return Outcome.REFUSED, one_line(error)
    try:
        refuse_unsound(cartridge, checks)
    except CartridgeError as error:
        return Outcome.UNSOUND, one_line(error)
    return Outcome.SOUND, ""


def one_line(error: CartridgeError) -> str:
    """Return what a person would read, which must be one line that says something."""
    line = str(error)
    if not line.strip() or not line.isprintable():
        message = f"no clear line: {line!r}"
        raise ValueError(message)
    return line


def document(trials: Sequence[Trial]) -> str:
    """Return the figures as a page."""
    return "\n".join([*about_doors(trials), *about_kinds(trials), *about_bases(trials)]) + "\n"


def about_doors(trials: Sequence[Trial]) -> Iterator[str]:
    """Yield the lines on all images."""
    failures = sum(bool(each.failure) for each in trials)
    counts = Counter(each.outcome for each in trials)
    let_in = [each for each in trials if each.let_in]
    refused = len(trials) - len(let_in)
    unnoticed = sum(each.outcome is Outcome.SOUND for each in let_in)
    slowest = max(trials, key=lambda each: each.seconds)
    yield from (
        "# What comes of damaged cartridge images, measured",
        "",
        "Written by `scripts/corrupt`; every figure is from one run of it. Each image goes through two doors.",
        "`load_cartridge` asks who it is: by its header and SHA-1, or by the sum of its bytes where it calls itself",
        "the demo. Then it is taken for the cartridge it was before, whatever the first door said: all of it is",
        "decoded, and the survey looks for what no sound cartridge has.",
        "",
        f"{len(trials):,} images: {failures} ended in a traceback, in no clear line, or took over"
        f" {MOST_SECONDS:.0f} s.",
        f"The first door refused {refused:,}. Behind it, {counts[Outcome.REFUSED]:,} could not be decoded and",
        f"{counts[Outcome.UNSOUND]:,} were named as unsound, each with one line; {counts[Outcome.SOUND]:,} were sound:",
        "what was hit there is not decoded (code, graphics, other texts, empty room), or has become something that a sound",
        f"cartridge could have as well. Of the {len(let_in):,} that the first door let in, {unnoticed:,} were of this kind:",
        "it is `doctor` that surveys, play does not.",
        f"The longest took {slowest.seconds:.2f} s for both doors (seed {slowest.seed}, {slowest.kind}).",
        "",
        "`scripts/corrupt --only SEED`, with the same `--rom`, tries one of them again. `python -m tests.emulator.synthetic",
        "PATH` writes an image that has the tables of the real game, made from facts about it, and none of its code.",
    )


def about_kinds(trials: Sequence[Trial]) -> Iterator[str]:
    """Yield a table of the kinds of damage and their outcomes."""
    outcomes = " | ".join(outcome.value for outcome in Outcome)
    yield from (
        "",
        f"| damage | images | refused at the door | {outcomes} | failed | longest s |",
        f"|---|--:|--:|{'--:|' * len(Outcome)}--:|--:|",
    )
    for kind in KINDS:
        yield row(kind, [each for each in trials if each.kind == kind])
    yield row("all", trials)


def about_bases(trials: Sequence[Trial]) -> Iterator[str]:
    """Yield a table of the images that were damaged."""
    outcomes = " | ".join(outcome.value for outcome in Outcome)
    yield from (
        "",
        f"| damaged | images | refused at the door | {outcomes} | failed | longest s |",
        f"|---|--:|--:|{'--:|' * len(Outcome)}--:|--:|",
    )
    for base in dict.fromkeys(each.base for each in trials):
        yield row(f"`{base}`", [each for each in trials if each.base == base])


def row(what: str, trials: Sequence[Trial]) -> str:
    """Return a row of a table."""
    counts = Counter(each.outcome for each in trials)
    cells = (
        len(trials),
        sum(not each.let_in for each in trials),
        *(counts[outcome] for outcome in Outcome),
        sum(bool(each.failure) for each in trials),
    )
    longest = max((each.seconds for each in trials), default=0.0)
    return f"| {what} | {' | '.join(f'{cell:,}' for cell in cells)} | {longest:.2f} |"


if __name__ == "__main__":
    typer.run(main)
