"""The proof of what the demo cartridge shows: many seeds to the end of its story, replayed, and flipped inputs.

Writes the figures to docs/proof.md and the frames to docs/milestones.png. Exits 1 when any figure is
not what it should be.
"""

import random
import tempfile
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Final

import typer
from PIL import Image
from rich.console import Console
from rich.progress import track

from agent.app import Interrupt, Settings, Stop, Summary, TickView, play_run, record_of
from agent.story import Story
from agent.tools.replay import replay_run
from emulator import (
    Button,
    Cartridge,
    CartridgeKind,
    PyBoyConsole,
    Step,
    StepRecord,
    demo_cartridge_path,
    first_divergence,
    load_cartridge,
    verify_chain,
)
from emulator.recording import first_link, next_chain
from memory import read_run

DOCS: Final = Path(__file__).resolve().parent.parent / "docs"
DOCUMENT: Final = DOCS / "proof.md"
PICTURE: Final = DOCS / "milestones.png"
MOST_TRIES: Final = 2  # flips drawn for each one that is wanted; hardly any changes nothing
ROW: Final = 5  # frames of the picture
GAP: Final = 8  # dots between them
MOST_WALL: Final = 120.0  # seconds that a game may take
PROCESSES: Final = 2
# Work and high RAM without the stack, whose dead part keeps traces of what was called long ago.
MEANINGFUL: Final = ((0xC000, 0x1EE2), (0xFF80, 0x7F))
MILESTONES: Final = Story.of(CartridgeKind.DEMO).up_to("first_badge")


class Nobody:
    """A viewer that looks away."""

    def show(self, moment: TickView) -> None:
        """Look away."""


@dataclass(frozen=True, slots=True)
class Game:
    """One seed, played and replayed; the battles in order, the first against the rival."""

    summary: Summary
    records: tuple[StepRecord, ...]
    battles: tuple[dict[str, Any], ...]
    replay: str
    pictures: tuple[bytes, ...]  # the witness frame of each milestone, as PNG

    @property
    def is_sound(self) -> bool:
        """Whether it arrived in time, by two witnesses each time, and replays."""
        reached = self.summary.milestones
        witnessed = all(set(each.witnesses) == {"ram", "frame"} for each in reached)
        arrived = self.summary.stop is Stop.GOAL and len(reached) == len(MILESTONES)
        in_time = self.summary.wall_s <= MOST_WALL
        return (
            arrived and witnessed and in_time and self.replay == "none" and self.summary.errors == 0
        )

    @property
    def rival(self) -> str:
        """How the battle against the rival ended."""
        return str(self.battles[0]["outcome"]) if self.battles else "none"

    def ticks_to(self, milestone: str) -> int | None:
        """Return the tick at which a milestone was reached."""
        ticks = (each.tick for each in self.summary.milestones if each.id == milestone)
        return next(ticks, None)


@dataclass(frozen=True, slots=True)
class Flip:
    """One input of a recording replaced by another, and where that was noticed."""

    seed: int
    tick: int
    was: str
    now: str
    differs_at: int | None  # by work and high RAM, tick by tick; None: nothing changed
    named_at: int | None  # by the replay, with a chain made to fit
    chain_names: int | None  # by the replay, with the chain as it was

    @property
    def is_named(self) -> bool:
        """Whether the replay names it: at the tick that differs, or by the chain at its own."""
        if self.differs_at is None:
            return self.named_at in (None, self.tick) and self.chain_names == self.tick
        return self.named_at == self.differs_at and self.chain_names == self.tick


def main(
    seeds: Annotated[int, typer.Option(help="How many seeds to play, from 0.")] = 50,
    flips: Annotated[int, typer.Option(help="How many inputs that change the game to flip.")] = 50,
) -> None:
    """Play, replay and flip, and write docs/proof.md."""
    console = Console(stderr=True)
    changing: list[Flip] = []
    idle: list[Flip] = []
    with ProcessPoolExecutor(PROCESSES) as pool:
        playing = pool.map(play, range(seeds))
        games = list(track(playing, "playing", total=seeds, console=console))
        flipping = pool.map(flipped, *zip(*draws(games, flips * MOST_TRIES), strict=True))
        for flip in track(flipping, "flipping", total=flips * MOST_TRIES, console=console):
            (idle if flip.differs_at is None else changing).append(flip)
            if len(changing) == flips:
                pool.shutdown(cancel_futures=True)
                break
    PICTURE.write_bytes(side_by_side(games[0].pictures))
    text = document(games, changing, idle)
    DOCUMENT.write_text(text, encoding="utf-8")
    print(text)
    sound = all(game.is_sound for game in games) and distinct(games) == len(games)
    named = all(flip.is_named for flip in (*changing, *idle))
    survived = any(game.rival == "defeat" for game in games)
    raise typer.Exit(0 if sound and named and survived and len(changing) == flips else 1)


def play(seed: int) -> Game:
    """Play one seed with an empty memory, and replay it."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        settings = Settings(
            seed=seed, until=MILESTONES[-1], run=run, memory=Path(folder) / "memory.sqlite"
        )
        summary = play_run(settings, Nobody(), Interrupt())
        divergence = replay_run(run, None).divergence
        with closing(read_run(run)) as played:
            records = tuple(record_of(row) for row in played.store.steps())
            battles = tuple(dict(event.payload) for event in played.store.events("battle"))
            pictures = tuple(
                b64decode(str(event.payload["picture"]))
                for event in played.store.events("milestone")
            )
    return Game(summary, records, battles, str(divergence) if divergence else "none", pictures)


def side_by_side(pictures: Sequence[bytes]) -> bytes:
    """Return one PNG of several, in rows of `ROW`, each twice as large, with sharp pixels."""
    images = [Image.open(BytesIO(picture)).convert("L") for picture in pictures]
    width, height = 2 * images[0].width + GAP, 2 * images[0].height + GAP
    rows = -(-len(images) // ROW)
    sheet = Image.new("L", (min(len(images), ROW) * width - GAP, rows * height - GAP), 255)
    for number, image in enumerate(images):
        row, column = divmod(number, ROW)
        large = image.resize((width - GAP, height - GAP), Image.Resampling.NEAREST)
        sheet.paste(large, (column * width, row * height))
    file = BytesIO()
    sheet.save(file, "PNG")
    return file.getvalue()


def distinct(games: Sequence[Game]) -> int:
    """Return how many games have digests of their own."""
    return len({tuple(record.digest for record in game.records) for game in games})


def draws(games: Sequence[Game], count: int) -> Iterator[tuple[Game, int, Button]]:
    """Yield random places of random games, and what to press there instead."""
    chance = random.Random(0)
    for _ in range(count):
        game = chance.choice(games)
        at = chance.randrange(len(game.records))
        others = [button for button in Button if button is not game.records[at].step.button]
        yield game, at, chance.choice(others)


def flipped(game: Game, at: int, button: Button) -> Flip:
    """Return what comes of replacing the input at index `at` of a game's recording."""
    cartridge = load_cartridge(demo_cartridge_path())
    old = game.records[at]
    hold = old.step.hold or min(8, old.step.settle)
    new = Step(button, hold, old.step.frames - hold)
    edited = [*game.records[:at], replace(old, step=new), *game.records[at + 1 :]]
    steps = [record.step for record in edited]
    return Flip(
        seed=game.summary.seed,
        tick=old.tick,
        was=words(old.step),
        now=words(new),
        differs_at=truth([record.step for record in game.records], steps, cartridge),
        named_at=named(rechained(edited, cartridge), cartridge),
        chain_names=verify_chain(edited, cartridge.sha1),
    )


def truth(recorded: Sequence[Step], flipped: Sequence[Step], cartridge: Cartridge) -> int | None:
    """Return the first tick after which any byte of MEANINGFUL differs between two drives."""
    with closing(PyBoyConsole(cartridge)) as one, closing(PyBoyConsole(cartridge)) as other:
        for tick, (step, another) in enumerate(zip(recorded, flipped, strict=True), start=1):
            one.perform(step)
            other.perform(another)
            if any(one.read(*each) != other.read(*each) for each in MEANINGFUL):
                return tick
    return None


def rechained(records: Sequence[StepRecord], cartridge: Cartridge) -> list[StepRecord]:
    """Return the records with a chain made to fit, as a careful forger would."""
    chain = first_link(cartridge.sha1).chain
    forged = []
    for record in records:
        chain = next_chain(chain, record)
        forged.append(replace(record, chain=chain))
    return forged


def named(records: Sequence[StepRecord], cartridge: Cartridge) -> int | None:
    """Return the tick that a replay names, or None."""
    with closing(PyBoyConsole(cartridge)) as console:
        divergence = first_divergence(console, records)
    return divergence.tick if divergence else None


def words(step: Step) -> str:
    """Return a step in a few letters."""
    return f"{step.button.value if step.button else 'wait'} {step.hold}+{step.settle}"


def document(games: Sequence[Game], changing: Sequence[Flip], idle: Sequence[Flip]) -> str:
    """Return the figures as a page."""
    return "\n".join([*about_games(games), *about_flips(changing, idle)]) + "\n"


def about_games(games: Sequence[Game]) -> Iterator[str]:
    """Yield the lines on the games played."""
    walls = [game.summary.wall_s for game in games]
    rivals = Counter(game.rival for game in games)
    outcomes = Counter(str(battle["outcome"]) for game in games for battle in game.battles)
    yield from (
        "# What the demo cartridge shows, measured",
        "",
        "Written by `scripts/prove`; every figure is from one run of it. The cartridge is our own.",
        "",
        f"{sum(game.is_sound for game in games)} of {len(games)} seeds, from power-on and with an empty",
        f"memory, reach `{MILESTONES[-1]}` by rules alone, with both witnesses for each milestone, and",
        f"replay without divergence; {distinct(games)} of them have digests of their own. Seeds differ",
        f"in the frames waited at the title, and with them in every random number. {PROCESSES} games at a time",
        f"took {median(walls):.1f} s of wall time each (median; the longest {max(walls):.1f} s).",
        "",
        f"The battle against the rival was won {rivals['victory']} times and lost {rivals['defeat']}"
        " times;",
        f"of all {sum(outcomes.values())} battles {outcomes['victory']} were won, {outcomes['defeat']}"
        f" lost, and {outcomes['runaway']} run from.",
        "",
        "![The frames that proved the milestones of seed 0](milestones.png)",
        "",
        f"| seed | {' | '.join(MILESTONES)} | rival | battles won, lost, ran | frames | wall s"
        " | replay |",
        f"|--:|{'--:|' * len(MILESTONES)}---|---|--:|--:|---|",
    )
    for game in games:
        ticks = " | ".join(f"{game.ticks_to(each) or 'never'}" for each in MILESTONES)
        ends = Counter(str(battle["outcome"]) for battle in game.battles)
        counts = ", ".join(str(ends[each]) for each in ("victory", "defeat", "runaway"))
        summary = game.summary
        yield (
            f"| {summary.seed} | {ticks} | {game.rival} | {counts} | {summary.frames:,}"
            f" | {summary.wall_s:.1f} | {game.replay} |"
        )
    yield (
        "| median |"
        + "".join(
            f" {median(game.ticks_to(each) or 0 for game in games):.0f} |" for each in MILESTONES
        )
        + f" | | {median(game.summary.frames for game in games):,.0f} | {median(walls):.1f} | |"
    )


def about_flips(changing: Sequence[Flip], idle: Sequence[Flip]) -> Iterator[str]:
    """Yield the lines on recordings with one input flipped."""
    yield from (
        "",
        "## Flipped inputs",
        "",
        "One input of a recording is replaced. The first tick that truly differs is found by driving",
        "both versions side by side and comparing work and high RAM after every tick, all but the stack:",
        "its dead part keeps traces that nothing reads.",
        "",
        f"{sum(flip.is_named for flip in changing)} of {len(changing)} flips that change the game are",
        "named at that tick by the digests (with a chain forged to fit), and at the edited tick by the",
        f"chain. {sum(flip.is_named for flip in idle)} of {len(idle)} flips that change nothing are",
        "named by the chain.",
        "",
        "A change outside of the RAM that each tick's digest covers is seen at the next hundredth tick,",
        "where all of work and high RAM is compared.",
        "",
        "| seed | tick | was | became | differs at | digests name | chain names |",
        "|--:|--:|---|---|--:|--:|--:|",
    )
    for flip in (*changing, *idle):
        yield (
            f"| {flip.seed} | {flip.tick} | {flip.was} | {flip.now} | {flip.differs_at or 'never'}"
            f" | {flip.named_at or 'none'} | {flip.chain_names or 'none'} |"
        )


if __name__ == "__main__":
    typer.run(main)
