"""What `replay` does with a recording, a run's folder or an exported file: drive, bisect, export, make pictures."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Final, TypeAlias

from agent.app.settings import RunSettings, cartridge_for
from agent.errors import RunError, UsageError
from agent.tools.replay.bisect import BisectResult, RecordingPair, bisect_alone, bisect_pair
from agent.tools.replay.portable import (
    OpenRecording,
    RecordedMilestone,
    RecordingOrigin,
    encode_portable,
    read_portable,
)
from agent.tools.replay.recording import (
    Picture,
    Replay,
    TickRange,
    bring,
    drive,
    episode_of,
    film,
    frames_of,
    recording_of,
    require_sound,
    seconds,
    snapshot,
)
from emulator import Cartridge, PyBoyConsole, first_divergence
from memory import read_run


def require_new(file: Path) -> None:
    """Raise UsageError when there is something at `file`: nothing is overwritten."""
    if file.exists() or file.is_symlink():
        message = f"{file} exists already, and nothing is overwritten; name another file"
        raise UsageError(message)
    if not file.parent.is_dir():
        message = f"{file.parent} is no folder; make it, or name a file elsewhere"
        raise UsageError(message)


def write_new(file: Path, data: bytes) -> None:
    """Write a new file, or leave none behind."""
    with file.open("xb") as new:
        try:
            new.write(data)
            new.flush()
        except BaseException:
            file.unlink(missing_ok=True)
            raise


Tell: TypeAlias = Callable[[str], object]


def quiet(_words: str) -> None:
    """Say nothing."""


@contextmanager
def open_recording(path: Path) -> Iterator[OpenRecording]:
    """Lend what was recorded in a run's folder or an exported file, also while the run is being played."""
    if path.is_file():
        yield read_portable(path)
        return
    with closing(read_run(path)) as folder:
        run, kept = folder.store, RunSettings.of(folder.settings)
        agent = str(folder.settings["versions"].get("agent", ""))
        with run.understood("milestones"):
            milestones = tuple(
                RecordedMilestone(
                    str(each.payload["id"]), each.tick, tuple(sorted(each.payload["witnesses"]))
                )
                for each in run.events("milestone")
            )
        origin = RecordingOrigin(kept.run, kept.seed, kept.cartridge, kept.sha1, kept.pyboy, agent)
        yield OpenRecording(path, origin, milestones, recording_of(run), run)


def slot_for(origin: RecordingOrigin, rom: Path | None, tell: Tell) -> Cartridge:
    """Return the cartridge of a recording, and tell at once when the emulator is another than it was.

    Raises:
        CartridgeError: when there is another cartridge.
    """
    cartridge = cartridge_for(rom, origin)
    tell_emulator(origin.pyboy, tell)
    return cartridge


def tell_emulator(then: str, tell: Tell) -> None:
    """Tell when a recording was made with another PyBoy."""
    now = version("pyboy")
    if then not in ("", now):  # it was not always told
        tell(f"recorded with PyBoy {then}, this is {now}: what differs may be due to that")


MOST_SCALE: Final = 10


class PictureForm(Enum):
    """In what form pictures are kept; its value is the flag that asks for it."""

    PNG = "--png"
    GIF = "--gif"
    MP4 = "--mp4"


EVERY: Final = {PictureForm.GIF: 4, PictureForm.MP4: 2}  # frames: about 15 and 30 pictures a second
LONGEST: Final = {PictureForm.GIF: 60, PictureForm.MP4: 1_800}  # seconds of game time


@dataclass(frozen=True, slots=True)
class PictureRequest:
    """Which pictures are wanted: from tick `first` to tick `last`, None for the other one, and how large."""

    form: PictureForm
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
    def stretch(self) -> TickRange:
        """From where to where it goes; a single picture is of the end."""
        given = [each for each in (self.first, self.last) if each is not None]
        return TickRange(given[-1] if self.form is PictureForm.PNG else given[0], given[-1])


def replay_run(
    path: Path, rom: Path | None, episode: int | None = None, *, tell: Tell = quiet
) -> Replay:
    """Drive what was recorded in `path` through a fresh console, or what led to the end of an episode."""
    with open_recording(path) as of, _console(of, rom, tell) as console:
        if episode is None:
            return drive(of.recording, console)
        says, records = episode_of(of.store("--episode"), episode)
        tell(says)
        return Replay(len(records), first_divergence(console, records))


def bisect_run(path: Path, rom: Path | None, *, tell: Tell = quiet) -> BisectResult:
    """Find the first tick at which a fresh drive is not what was recorded in `path`."""
    with open_recording(path) as of:
        return bisect_alone(of.recording, partial(PyBoyConsole, slot_for(of.origin, rom, tell)))


def bisect_runs(one: Path, other: Path, rom: Path | None, *, tell: Tell = quiet) -> BisectResult:
    """Find the first tick at which the recordings in two places differ.

    Raises:
        RunError: when they are of different cartridges.
    """
    with open_recording(one) as mine, open_recording(other) as theirs:
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
        pair = RecordingPair(mine.recording, theirs.recording)
        return bisect_pair(pair, cartridge.sha1, partial(PyBoyConsole, cartridge))


def export_run(path: Path, file: Path, *, tell: Tell = quiet) -> int:
    """Write what was recorded in `path` to one file without anything of the cartridge, and return its size in bytes.

    Raises:
        RunError: when the recording was edited, or there is none.
    """
    require_new(file)
    with open_recording(path) as of:
        require_sound(path, of.recording, of.origin.sha1)
        data = encode_portable(of.origin, of.milestones, of.recording.records)
        tell(f"{len(of.recording.records)} ticks of {of.origin.run}, {len(data):,} bytes")
    write_new(file, data)
    return len(data)


def picture_run(path: Path, rom: Path | None, shot: PictureRequest, *, tell: Tell = quiet) -> int:
    """Write pictures of moments of what was recorded in `path`, and return the size of the file in bytes."""
    require_new(shot.file)
    with open_recording(path) as of, _console(of, rom, tell) as console:
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
def _console(of: OpenRecording, rom: Path | None, tell: Tell) -> Iterator[PyBoyConsole]:
    with closing(PyBoyConsole(slot_for(of.origin, rom, tell))) as console:
        yield console


def _developed(of: OpenRecording, console: PyBoyConsole, shot: PictureRequest, at: int) -> bytes:
    # What makes pictures takes a while to load, and playing has no use for it.
    from agent.tools.replay.images import gif, png

    if shot.form is PictureForm.PNG:
        return png(snapshot(console, of.recording, shot.stretch.last, at=at), shot.scale)
    every = min(EVERY[shot.form], frames_of(of.recording, shot.stretch))
    pictures: Iterable[Picture] = film(console, of.recording, shot.stretch, at=at, every=every)
    if shot.form is PictureForm.GIF:
        return gif(pictures, shot.scale)
    from agent.tools.replay.images import mp4

    return mp4(pictures, shot.scale, every)


def _require_bearable(frames: int, form: PictureForm) -> None:
    longest = LONGEST.get(form)
    if longest is not None and seconds(frames) > longest:
        other = " or make it an --mp4" if form is PictureForm.GIF else ""
        message = (
            f"{form.value} would last {seconds(frames):,.0f} seconds of game time, and at most"
            f" {longest:,} are made; bring --from and --to closer{other}"
        )
        raise UsageError(message)
