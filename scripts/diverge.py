"""The proof that the first differing tick is found: a recorded game, made to differ at random ticks in two ways.

Alone: the machine that drives it again changes one byte of RAM as the tick ends. As a pair: the game goes on with
another step from that tick, and is recorded as play records. Exits 1 when another tick is named, or when it took more
than 2 + log2(checkpoints) restores.
"""

import random
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Annotated, Final, NamedTuple

import typer
from rich.console import Console
from rich.progress import track

from agent.app import Interrupt, Settings, TickView, play_run, record_of, row_of
from agent.tools.replay import (
    BisectResult,
    Recording,
    RecordingPair,
    bisect_alone,
    bisect_pair,
    recording_of,
)
from emulator import (
    DIGEST_RANGES,
    Button,
    Cartridge,
    Link,
    PyBoyConsole,
    RecordingConsole,
    Step,
    demo_cartridge_path,
    label_of,
    load_cartridge,
)
from memory import Checkpoint, RunStore, open_run, read_run

GOAL: Final = "first_badge"
ADDRESSES: Final = tuple(at for start, size in DIGEST_RANGES for at in range(start, start + size))


class Nobody:
    """A viewer that looks away."""

    def show(self, moment: TickView) -> None:
        """Look away."""


class Fault(NamedTuple):
    """A byte of RAM that becomes another at the end of a tick."""

    tick: int
    address: int
    flips: int

    def __str__(self) -> str:
        """Return it as the page names it."""
        label, offset = label_of(self.address) or (f"{self.address:#06x}", 0)
        return f"{label}{f'+{offset}' if offset else ''} ^ {self.flips:02x}"


class FaultyConsole(PyBoyConsole):
    """A Game Boy in which a byte of RAM becomes another at one frame."""

    def __init__(self, cartridge: Cartridge, fault: Fault, frame: int) -> None:
        super().__init__(cartridge)
        self._fault = fault
        self._faulty_frame = frame

    def perform(self, step: Step, *, render: bool = False) -> None:
        """Let a step pass, and the fault happen when it ends there."""
        super().perform(step, render=render)
        if self.frame == self._faulty_frame:
            _, address, flips = self._fault
            self.poke(address, bytes([self.read(address, 1)[0] ^ flips]))


class Tried(NamedTuple):
    """One tick, made to differ in both ways, and what was found; seconds of wall time."""

    fault: Fault
    step: Step
    alone: BisectResult
    alone_s: float
    pair: BisectResult
    pair_s: float

    @property
    def is_found(self) -> bool:
        """Whether it was named exactly, in few enough restores, both times."""
        both = self.alone, self.pair
        return all(_named(each) == self.fault.tick and each.restores <= each.most for each in both)


def main(
    count: Annotated[int, typer.Option(min=1, help="How many random ticks.")] = 50,
    seed: Annotated[int, typer.Option(help="Which game, and which ticks.")] = 0,
    write: Annotated[Path | None, typer.Option(metavar="PAGE", help="Write the figures.")] = None,
) -> None:
    """Play a game, make it differ, and search."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        memory = Path(folder) / "memory.sqlite"
        play_run(Settings(seed=seed, until=GOAL, run=run, memory=memory), Nobody(), Interrupt())
        with closing(read_run(run)) as played:
            recording = recording_of(played.store)
            faults = list(drawn(recording, chance, count))
            # Without a thread that draws: a console looks through all objects for its RAM, half-made ones too.
            told = [
                tried(run, recording, each, other_step(recording, each.tick, chance))
                for each in track(
                    faults, "searching", console=Console(stderr=True), auto_refresh=False
                )
            ]
            text = document(told, recording, seed)
    if write is not None:
        write.write_text(text, encoding="utf-8")
    print(text)
    raise typer.Exit(0 if all(each.is_found for each in told) else 1)


def drawn(recording: Recording, chance: random.Random, count: int) -> Iterator[Fault]:
    """Yield faults at random ticks, in bytes that a tick's digest covers."""
    for tick in chance.sample(range(1, len(recording.records) + 1), count):
        yield Fault(tick, chance.choice(ADDRESSES), chance.randrange(1, 0x100))


def other_step(recording: Recording, tick: int, chance: random.Random) -> Step:
    """Return a step of the same length as that of a tick, with another button."""
    old = recording.records[tick - 1].step
    button = chance.choice([each for each in Button if each is not old.button])
    hold = old.hold or min(4, old.frames)
    return Step(button, hold, old.frames - hold)


def tried(run: Path, recording: Recording, fault: Fault, step: Step) -> Tried:
    """Return what is found of one tick that differs."""
    cartridge = load_cartridge(demo_cartridge_path())
    began = perf_counter()
    alone = found_alone(recording, fault, cartridge)
    alone_s = perf_counter() - began
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / "other"
        go_another_way(run, other, fault.tick, step)
        began = perf_counter()
        with closing(read_run(other)) as played:
            pair = RecordingPair(recording, recording_of(played.store))
            found = bisect_pair(pair, cartridge.sha1, partial(PyBoyConsole, cartridge))
        return Tried(fault, step, alone, alone_s, found, perf_counter() - began)


def found_alone(recording: Recording, fault: Fault, cartridge: Cartridge) -> BisectResult:
    """Return what is found when a recording is driven by a machine with a fault."""
    frame = recording.records[fault.tick - 1].frame
    return bisect_alone(recording, partial(FaultyConsole, cartridge, fault, frame))


def go_another_way(run: Path, copy: Path, tick: int, step: Step) -> None:
    """Make a copy of a run that does another step at a tick, and keeps to the recorded ones from then on."""
    shutil.copytree(run, copy)
    cartridge = load_cartridge(demo_cartridge_path())
    with closing(open_run(copy)) as folder, closing(PyBoyConsole(cartridge)) as console:
        store = folder.store
        steps = [record_of(row).step for row in store.steps()]
        steps[tick - 1] = step
        due = {mark.tick for mark in store.marks() if mark.tick >= tick}
        start = next(each for each in store.checkpoints() if each.tick < tick)
        console.load(start.state)
        store.rewind(start)
        recorder = RecordingConsole(
            console,
            lambda record: store.append_step(row_of(record)),
            start=Link(start.tick, start.chain),
        )
        for each in steps[start.tick :]:
            recorder.perform(each)
            if recorder.link.tick in due:
                _keep(store, recorder)
        store.commit()


def _keep(store: RunStore, recorder: RecordingConsole) -> None:
    tick, chain = recorder.link
    state = recorder.save()
    store.commit(checkpoint=Checkpoint(tick, recorder.frame, state, chain, {}, why="milestone"))


def document(told: Sequence[Tried], recording: Recording, seed: int) -> str:
    """Return the page."""
    return "\n".join([*_head(told, recording, seed), *map(_row, told)]) + "\n"


def _head(told: Sequence[Tried], recording: Recording, seed: int) -> Iterator[str]:
    most = told[0].alone.most
    restores = [[each.restores for each in way] for way in _ways(told)]
    exact = [sum(each.is_found for each in told)]
    driven = [median(each.ticks for each in way) for way in _ways(told)]
    took = median(each.alone_s for each in told), median(each.pair_s for each in told)
    yield from (
        "# The first differing tick, measured",
        "",
        f"Written by `scripts/diverge --count {len(told)} --seed {seed}`; every figure is from one run of it. A game of the demo is",
        f"played and recorded: {len(recording.records):,} ticks, and {recording.moments} moments that can be restored, power-on among them. Then it is",
        "made to differ at random ticks, each in two ways, and [`replay --bisect`](replay.md#the-first-difference) looks for it:",
        "",
        "- **alone**: the machine that drives the recording again flips bits of one byte as the tick ends, somewhere in what a",
        "  tick's digest covers;",
        "- **pair**: a copy of the run presses another button at that tick, keeps to the recorded steps from then on, and is",
        "  recorded with checkpoints where the first has them.",
        "",
        f"**{exact[0]} of {len(told)} ticks are named exactly both times, in at most 2 + log2({recording.moments}) = {most:.1f} restores.**",
        "",
        "| | restores, most | restores, median | ticks driven, median | seconds, median |",
        "|---|--:|--:|--:|--:|",
        *(
            f"| {name} | {max(each)} | {median(each):g} | {ticks:,.0f} | {seconds:.2f} |"
            for name, each, ticks, seconds in zip(
                ("alone", "pair"), restores, driven, took, strict=True
            )
        ),
        "",
        "Restores and ticks driven are those of each search; the last column is the first thing by whose name the pair differs,",
        "empty where the other button has changed nothing in RAM by the end of the tick.",
        "",
        "| tick | the byte | alone: found, restores, driven | the other step | pair: found, restores, driven | in what |",
        "|--:|---|---|---|---|---|",
    )


def _ways(told: Sequence[Tried]) -> tuple[list[BisectResult], list[BisectResult]]:
    return [each.alone for each in told], [each.pair for each in told]


def _row(each: Tried) -> str:
    step = each.step
    button = step.button.value if step.button else "none"
    ways = [f"{_named(way)}, {way.restores}, {way.ticks}" for way in (each.alone, each.pair)]
    cells = (each.fault.tick, each.fault, ways[0], button, ways[1], _what(each.pair))
    return f"| {' | '.join(map(str, cells))} |"


def _what(found: BisectResult) -> str:
    if found.shown is None:
        return ""
    first = next(iter((*found.shown.fields, *found.shown.ram)), None)
    return f"`{str(first).replace('|', '/')}`" if first else ""


def _named(found: BisectResult) -> int | None:
    return None if found.divergence is None else found.divergence.tick


if __name__ == "__main__":
    typer.run(main)
