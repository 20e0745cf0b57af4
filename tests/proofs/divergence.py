"""A recorded game changed at one tick in two ways, and the search for the first difference.

Alone: the replaying console changes a byte of RAM at the end of the tick. As a pair: a copy of the run presses another
button at that tick, follows the recorded steps after it, and is recorded like play.
"""

import shutil
import tempfile
from contextlib import closing
from functools import cache, partial
from math import log2
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from agent.app import record_of, row_of
from agent.tools.replay.bisect import BisectResult, bisect_alone, bisect_pair
from agent.tools.replay.recording import Recording, recording_of
from emulator import (
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
from emulator.console import DIGEST_RANGES
from memory import Checkpoint, open_run, read_run
from tests.proofs.played import played
from tests.proofs.workers import Row

GOAL: Final = "first_badge"
ADDRESSES: Final = tuple(at for start, size in DIGEST_RANGES for at in range(start, start + size))


class ChangedByte(NamedTuple):
    """A change of a byte of RAM at the end of a tick."""

    tick: int
    address: int
    flips: int


class ChangedConsole(PyBoyConsole):
    """A console in which a byte of RAM changes at one frame."""

    def __init__(self, cartridge: Cartridge, change: ChangedByte, frame: int) -> None:
        super().__init__(cartridge)
        self._change, self._changed_frame = change, frame

    def perform(self, step: Step, *, render: bool = False) -> None:
        """Perform a step, and change the byte when it ends at that frame."""
        super().perform(step, render=render)
        if self.frame == self._changed_frame:
            _, address, flips = self._change
            self.poke(address, bytes([self.read(address, 1)[0] ^ flips]))


def divergence_job(seed: int, number: int) -> Row:
    """Change the game of a seed at a random tick in both ways, and search for the tick."""
    chance, cartridge = Random(number), load_cartridge(demo_cartridge_path())
    run = _played(seed)
    with closing(read_run(run)) as recorded, tempfile.TemporaryDirectory() as folder:
        recording = recording_of(recorded.store)
        change = random_change(recording, chance)
        step = other_step(recording, change.tick, chance)
        other = Path(folder) / "other"
        copy_with(run, other, change.tick, step)
        with closing(read_run(other)) as changed:
            pair = recording, recording_of(changed.store)
            found = {
                "alone": bisect_with(recording, change, cartridge),
                "pair": bisect_pair(pair, cartridge.sha1, partial(PyBoyConsole, cartridge)),
            }
    most = most_restores(recording)
    label, offset = label_of(change.address) or (f"{change.address:#06x}", 0)
    return {
        "name": f"tick {change.tick}",
        "byte": f"{label}+{offset} ^ {change.flips:02x}",
        "button": str(step.button),
        "restores": {way: each.restores for way, each in found.items()},
        "ticks driven": {way: each.ticks for way, each in found.items()},
        "most restores": round(most, 1),
        "problems": [
            f"{way}: reported tick {tick_of(each)} in {each.restores} restores, at most {most:.1f}"
            for way, each in found.items()
            if tick_of(each) != change.tick or each.restores > most
        ],
    }


@cache
def _played(seed: int) -> Path:
    """Return the run of a seed, played once for all jobs of a process."""
    folder = Path(tempfile.mkdtemp(prefix="divergence"))
    played(folder, seed=seed, until=GOAL)
    return folder / "run"


def random_change(recording: Recording, chance: Random) -> ChangedByte:
    """Return a change at a random tick, in a byte covered by the digest of a tick."""
    tick = chance.randrange(1, len(recording.records) + 1)
    return ChangedByte(tick, chance.choice(ADDRESSES), chance.randrange(1, 0x100))


def other_step(recording: Recording, tick: int, chance: Random) -> Step:
    """Return a step with the length of that of a tick, but another button."""
    old = recording.records[tick - 1].step
    button = chance.choice([each for each in Button if each is not old.button])
    hold = old.hold or min(4, old.frames)
    return Step(button, hold, old.frames - hold)


def most_restores(recording: Recording) -> float:
    """Return how many states a binary search restores at most, power-on among them."""
    return 2 + log2(1 + len(recording.marks))


def bisect_with(recording: Recording, change: ChangedByte, cartridge: Cartridge) -> BisectResult:
    """Return the bisect result of a recording on a console with a change."""
    frame = recording.records[change.tick - 1].frame
    return bisect_alone(recording, partial(ChangedConsole, cartridge, change, frame))


def tick_of(found: BisectResult) -> int | None:
    """Return the reported tick, or None."""
    return None if found.divergence is None else found.divergence.tick


def copy_with(run: Path, copy: Path, tick: int, step: Step) -> None:
    """Make a copy of a run with another step at one tick, followed by the recorded steps."""
    shutil.copytree(run, copy)
    cartridge = load_cartridge(demo_cartridge_path())
    with closing(open_run(copy)) as folder, closing(PyBoyConsole(cartridge)) as console:
        store = folder.store
        steps = [record_of(row).step for row in store.record.steps()]
        steps[tick - 1] = step
        due = {mark.tick for mark in store.checkpoints.marks() if mark.tick >= tick}
        start = next(each for each in store.checkpoints.all() if each.tick < tick)
        console.load(start.state)
        store.rewind(start)
        recorder = RecordingConsole(
            console,
            lambda record: store.record.append(row_of(record)),
            start=Link(start.tick, start.chain),
        )
        for each in steps[start.tick :]:
            recorder.perform(each)
            if recorder.link.tick in due:
                at, chain = recorder.link
                state = recorder.save()
                store.commit(
                    checkpoint=Checkpoint(at, recorder.frame, state, chain, why="milestone")
                )
        store.commit()
