"""Driving runs again: whole, to the first difference, for pictures, or into a file that can be driven elsewhere."""

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Final

from agent.app.recorded import Recorded, Tell, quiet, recorded, slot_for
from agent.app.writing import require_new, write_new
from agent.errors import RunError, UsageError
from agent.replay import (
    Finding,
    Pair,
    Picture,
    Replay,
    Stretch,
    bisect_alone,
    bisect_pair,
    bring,
    drive,
    encode_portable,
    episode_of,
    film,
    frames_of,
    require_sound,
    seconds,
    snapshot,
)
from emulator import PyBoyConsole, first_divergence

MOST_SCALE: Final = 10


class Form(Enum):
    """In what form pictures are kept; its value is the flag that asks for it."""

    PNG = "--png"
    GIF = "--gif"
    MP4 = "--mp4"


EVERY: Final = {Form.GIF: 4, Form.MP4: 2}  # frames: about 15 and 30 pictures a second
LONGEST: Final = {Form.GIF: 60, Form.MP4: 1_800}  # seconds of game time


@dataclass(frozen=True, slots=True)
class Shot:
    """Which pictures are wanted: from tick `first` to tick `last`, None for the other one, and how large."""

    form: Form
    file: Path
    first: int | None
    last: int | None
    scale: int

    def __post_init__(self) -> None:
        if self.first is None and self.last is None:
            message = f"{self.form.value} wants to know of which tick: give --from, --to or both"
            raise UsageError(message)
        if not 1 <= self.scale <= MOST_SCALE:
            message = f"--scale {self.scale} is not from 1 to {MOST_SCALE}"
            raise UsageError(message)

    @property
    def stretch(self) -> Stretch:
        """From where to where it goes; a single picture is of the end."""
        given = [each for each in (self.first, self.last) if each is not None]
        return Stretch(given[-1] if self.form is Form.PNG else given[0], given[-1])


def replay_run(
    path: Path, rom: Path | None, episode: int | None = None, *, tell: Tell = quiet
) -> Replay:
    """Drive what was recorded in `path` through a fresh console, or what led to the end of an episode."""
    with recorded(path) as of, _console(of, rom, tell) as console:
        if episode is None:
            return drive(of.recording, console)
        says, records = episode_of(of.store("--episode"), episode)
        tell(says)
        return Replay(len(records), first_divergence(console, records))


def bisect_run(path: Path, rom: Path | None, *, tell: Tell = quiet) -> Finding:
    """Find the first tick at which a fresh drive is not what was recorded in `path`."""
    with recorded(path) as of:
        return bisect_alone(of.recording, partial(PyBoyConsole, slot_for(of.origin, rom, tell)))


def bisect_runs(one: Path, other: Path, rom: Path | None, *, tell: Tell = quiet) -> Finding:
    """Find the first tick at which the recordings in two places differ.

    Raises:
        RunError: when they are of different cartridges.
    """
    with recorded(one) as mine, recorded(other) as theirs:
        here, there = mine.origin, theirs.origin
        if here.sha1 != there.sha1:
            message = (
                f"{one} was played on {here.cartridge}, SHA-1 {here.sha1}, and {other} on"
                f" {there.cartridge}, SHA-1 {there.sha1}: no tick of them can be compared"
            )
            raise RunError(message)
        cartridge = slot_for(here, rom, tell)
        if here.pyboy != there.pyboy:
            tell(f"A was recorded with PyBoy {here.pyboy}, B with PyBoy {there.pyboy}")
        if here.seed != there.seed:
            tell(f"A has seed {here.seed}, B has seed {there.seed}: two games from the title on")
        pair = Pair(mine.recording, theirs.recording)
        return bisect_pair(pair, cartridge.sha1, partial(PyBoyConsole, cartridge))


def export_run(path: Path, file: Path, *, tell: Tell = quiet) -> int:
    """Write what was recorded in `path` to one file without anything of the cartridge, and return its size in bytes.

    Raises:
        RunError: when the recording was edited, or there is none.
    """
    require_new(file)
    with recorded(path) as of:
        require_sound(path, of.recording, of.origin.sha1)
        data = encode_portable(of.origin, of.milestones, of.recording.records)
        tell(f"{len(of.recording.records)} ticks of {of.origin.run}, {len(data):,} bytes")
    write_new(file, data)
    return len(data)


def picture_run(path: Path, rom: Path | None, shot: Shot, *, tell: Tell = quiet) -> int:
    """Write pictures of moments of what was recorded in `path`, and return the size of the file in bytes."""
    require_new(shot.file)
    with recorded(path) as of, _console(of, rom, tell) as console:
        require_sound(path, of.recording, of.origin.sha1)
        _require_bearable(frames_of(of.recording, shot.stretch), shot.form)
        # One tick more than it takes: a console's first picture takes the frames before it.
        at, notes = bring(console, of.recording, shot.stretch.first - 2)
        for each in notes:
            tell(each)
        data = _developed(of, console, shot, at)
    write_new(shot.file, data)
    return len(data)


@contextmanager
def _console(of: Recorded, rom: Path | None, tell: Tell) -> Iterator[PyBoyConsole]:
    with closing(PyBoyConsole(slot_for(of.origin, rom, tell))) as console:
        yield console


def _developed(of: Recorded, console: PyBoyConsole, shot: Shot, at: int) -> bytes:
    # What makes pictures takes a while to load, and playing has no use for it.
    from agent.replay.pictures import gif, png

    if shot.form is Form.PNG:
        return png(snapshot(console, of.recording, shot.stretch.last, at=at), shot.scale)
    every = min(EVERY[shot.form], frames_of(of.recording, shot.stretch))
    pictures: Iterable[Picture] = film(console, of.recording, shot.stretch, at=at, every=every)
    if shot.form is Form.GIF:
        return gif(pictures, shot.scale)
    from agent.replay.video import mp4

    return mp4(pictures, shot.scale, every)


def _require_bearable(frames: int, form: Form) -> None:
    longest = LONGEST.get(form)
    if longest is not None and seconds(frames) > longest:
        other = " or make it an --mp4" if form is Form.GIF else ""
        message = (
            f"{form.value} would last {seconds(frames):,.0f} seconds of game time, and at most"
            f" {longest:,} are made; bring --from and --to closer{other}"
        )
        raise UsageError(message)
