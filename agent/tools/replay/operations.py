"""Operations of `replay` on a run folder or an exported file: drive, bisect, export, pictures, decide again."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from importlib.metadata import version
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple, TypeAlias

from agent.advisor.port import Decider
from agent.app.play import KNOWLEDGE, session_of_run
from agent.app.process import Interrupt
from agent.app.session import OTHER_CHOICES, PlayLimits
from agent.app.settings import RunSettings, cartridge_for
from agent.app.summary import TickView, Viewer
from agent.errors import RunError, UsageError
from agent.events import MilestoneEvent, events
from agent.record.answers import ADVICE, AdviceSource, ReplayedAdvice
from agent.story.story import NEVER, Story
from agent.tools.progress import Bar, Done, no_bar
from agent.tools.replay.bisect import BisectResult, bisect_alone, bisect_pair
from agent.tools.replay.portable import (
    OpenRecording,
    RecordedMilestone,
    RecordingOrigin,
    encode_portable,
    read_portable,
)
from agent.tools.replay.recording import (
    Replay,
    TickRange,
    drive,
    episode_of,
    film,
    frames_of,
    recording_of,
    replay_steps,
    require_intact,
    restore_latest,
)
from agent.tools.report.timeline import game_s
from agent.tools.report.words import counted
from emulator import Cartridge, PyBoyConsole
from memory import RunReader, StepRow, read_knowledge_store, read_run
from memory.agent_memory import SESSION_ENDED
from memory.file_access import write_file
from memory.store import MEMORY_AT_START


def require_new(file: Path) -> None:
    """Raise UsageError when `file` exists, because nothing is overwritten, or when its folder does not."""
    if file.exists() or file.is_symlink():
        raise UsageError(f"{file} exists already, and nothing is overwritten; name another file")
    if not file.parent.is_dir():
        raise UsageError(f"{file.parent} is not a folder; create it, or name a file elsewhere")


Say: TypeAlias = Callable[[str], object]
silent: Final[Say] = str  # ignores the text


@contextmanager
def open_recording(path: Path) -> Iterator[OpenRecording]:
    """Open the recording in a run folder or an exported file; the run may still be playing."""
    if path.is_file():
        yield read_portable(path)
        return
    with closing(read_run(path)) as folder:
        run, settings = folder.store, RunSettings.of(folder.settings)
        agent = str(folder.settings["versions"].get("agent", ""))
        with run.decoding("milestones"):
            milestones = tuple(
                RecordedMilestone(each.id, each.tick, tuple(sorted(each.witnesses)))
                for each in events(run, MilestoneEvent, strict=True)
            )
        origin = RecordingOrigin(
            settings.cartridge, settings.sha1, settings.run, settings.seed, settings.pyboy, agent
        )
        yield OpenRecording(path, origin, milestones, recording_of(run), run)


def cartridge_of(origin: RecordingOrigin, rom: Path | None, say: Say) -> Cartridge:
    """Return the cartridge of a recording, and report when the emulator is another version.

    Raises CartridgeError when the cartridge is a different one.
    """
    cartridge = cartridge_for(rom, origin)
    report_emulator(origin.pyboy, say)
    return cartridge


def report_emulator(then: str, say: Say) -> None:
    """Report when a recording was made with another version of PyBoy."""
    now = version("pyboy")
    if then not in ("", now):  # old recordings do not state it
        say(f"recorded with PyBoy {then}, this is {now}: differences may be due to that")


MOST_SCALE: Final = 10


class PictureForm(Enum):
    """The file format of pictures; the value is the option that selects it."""

    PNG = "--png"
    GIF = "--gif"
    MP4 = "--mp4"


ENDING: Final = {each: f".{each.value.removeprefix('--')}" for each in PictureForm}
EVERY: Final = {PictureForm.GIF: 4, PictureForm.MP4: 2}  # frames: about 15 and 30 pictures a second
LONGEST: Final = {PictureForm.GIF: 60, PictureForm.MP4: 1_800}  # seconds of game time


@dataclass(frozen=True, slots=True)
class PictureRequest:
    """A request for pictures from tick `first` to tick `last`, where None means the same as the other one."""

    form: PictureForm
    file: Path
    first: int | None
    last: int | None
    scale: int

    def __post_init__(self) -> None:
        if self.first is None and self.last is None:
            raise UsageError(f"{self.form.value} needs a tick: give --from, --to or both")
        ending = ENDING[self.form]
        if self.file.suffix.lower() != ending:
            message = f"{self.form.value} {self.file} must end in {ending}; give it that ending"
            raise UsageError(message)
        if not 1 <= self.scale <= MOST_SCALE:
            raise UsageError(f"--scale {self.scale} is not from 1 to {MOST_SCALE}")

    @property
    def tick_range(self) -> TickRange:
        """The requested ticks; a single picture shows the end."""
        given = [each for each in (self.first, self.last) if each is not None]
        return TickRange(given[-1] if self.form is PictureForm.PNG else given[0], given[-1])


def replay_run(
    path: Path,
    rom: Path | None,
    episode: int | None = None,
    *,
    say: Say = silent,
    bar: Bar = no_bar,
) -> Replay:
    """Replay the recording in `path` on a new console, up to the end of `episode` if that is given."""
    with open_recording(path) as of, _console(of, rom, say) as console:
        if episode is None:
            return drive(of.recording, console, bar)
        _, description, records = episode_of(of.store("--episode"), episode)
        say(description)
        branch = replace(of.recording, records=records, rows=len(records), end=None)
        return drive(branch, console, bar)


def bisect_run(
    path: Path, rom: Path | None, *, say: Say = silent, bar: Bar = no_bar
) -> BisectResult:
    """Find the first tick at which a replay differs from the recording in `path`."""
    with open_recording(path) as of:
        cartridge = cartridge_of(of.origin, rom, say)
        return bisect_alone(of.recording, partial(PyBoyConsole, cartridge), bar)


def bisect_runs(
    one: Path, other: Path, rom: Path | None, *, say: Say = silent, bar: Bar = no_bar
) -> BisectResult:
    """Find the first tick at which two recordings differ.

    Raises RunError when they were made on different cartridges.
    """
    with open_recording(one) as mine, open_recording(other) as theirs:
        here, there = mine.origin, theirs.origin
        if here.sha1 != there.sha1:
            message = (
                f"{one} was played on {here.cartridge}, SHA-1 {here.sha1}, and {other} on"
                f" {there.cartridge}, SHA-1 {there.sha1}: their ticks cannot be compared"
            )
            raise RunError(message)
        cartridge = cartridge_of(here, rom, say)
        if here.pyboy != there.pyboy:
            say(f"A was recorded with PyBoy {here.pyboy}, B with PyBoy {there.pyboy}")
        if here.seed != there.seed:
            say(f"A has seed {here.seed}, B has seed {there.seed}: two games from the title on")
        pair = mine.recording, theirs.recording
        return bisect_pair(pair, cartridge.sha1, partial(PyBoyConsole, cartridge), bar)


def export_run(path: Path, file: Path, *, say: Say = silent) -> int:
    """Write the recording in `path` to one file without cartridge data, and return its size in bytes.

    Raises RunError when the recording was edited or is empty.
    """
    require_new(file)
    with open_recording(path) as of:
        require_intact(path, of.recording, of.origin.sha1)
        data = encode_portable(of.origin, of.milestones, of.recording.records)
        say(f"{counted(len(of.recording.records), 'tick')} of {of.origin.run}")
    write_file(file, data, replaces=False)
    return len(data)


def picture_run(
    path: Path, rom: Path | None, shot: PictureRequest, *, say: Say = silent, bar: Bar = no_bar
) -> int:
    """Write pictures of the recording in `path`, and return the size of the file in bytes."""
    require_new(shot.file)
    with open_recording(path) as of, _console(of, rom, say) as console:
        require_intact(path, of.recording, of.origin.sha1)
        _require_short_enough(frames_of(of.recording, shot.tick_range), shot.form)
        # One tick earlier than needed: the first picture of a console needs the frames before it.
        at, notes = restore_latest(console, of.recording, shot.tick_range.first - 2)
        for each in notes:
            say(each)
        data = _render(of, console, shot, at, bar)
    write_file(shot.file, data, replaces=False)
    return len(data)


def _console(of: OpenRecording, rom: Path | None, say: Say) -> closing[PyBoyConsole]:
    return closing(PyBoyConsole(cartridge_of(of.origin, rom, say)))


def _render(
    of: OpenRecording, console: PyBoyConsole, shot: PictureRequest, at: int, bar: Bar
) -> bytes:
    # PyAV loads slowly, and play does not need it.
    from agent.tools.replay.images import gif, mp4, png

    if shot.form is PictureForm.PNG:
        records = of.recording.records[at : shot.tick_range.last]
        replay_steps(console, records, draws=True, bar=bar)
        return png(console.screen(), shot.scale)
    every = min(EVERY[shot.form], frames_of(of.recording, shot.tick_range))
    pictures = film(console, of.recording, shot.tick_range, at=at, every=every, bar=bar)
    if shot.form is PictureForm.GIF:
        return gif(pictures, shot.scale)
    return mp4(pictures, shot.scale, every)


def _require_short_enough(frames: int, form: PictureForm) -> None:
    longest = LONGEST.get(form)
    if longest is not None and game_s(frames) > longest:
        other = " or make it an --mp4" if form is PictureForm.GIF else ""
        message = (
            f"{form.value} would last {game_s(frames):,.0f} seconds of game time, and the"
            f" maximum is {longest:,}; bring --from and --to closer{other}"
        )
        raise UsageError(message)


class Redecided(NamedTuple):
    """The ticks decided again, the recorded answers used, the first difference, '' for none, and the last digest of the chain."""

    ticks: int
    advice: int
    divergence: str
    digest: str


@dataclass(frozen=True, slots=True)
class _TickCounter(Viewer):
    """A viewer that reports each tick as complete."""

    done: Done

    def show(self, moment: TickView) -> None:
        """Report one tick."""
        self.done(1)


def redecide_run(
    path: Path, rom: Path | None, *, say: Say = silent, bar: Bar = no_bar
) -> Redecided:
    """Play the run in `path` again in a temporary folder, with the memory it began with, without asking a model.

    The run is not changed. Raises RunError when it was played on with other settings, after it had given up, or from an older
    checkpoint by a supervisor, and when the memory in its folder is another.
    """
    with ExitStack() as stack:
        if path.is_file():
            raise RunError(f"{path} is an exported replay, and --decide takes the folder of a run")
        folder = stack.enter_context(closing(read_run(path)))
        settings, recorded = RunSettings.of(folder.settings), list(folder.store.record.steps())
        cartridge = cartridge_for(rom, settings)
        report_emulator(settings.pyboy, say)
        _require_one_game(path, folder.store, len(recorded))
        home = Path(stack.enter_context(TemporaryDirectory()))
        kept = path / MEMORY_AT_START
        if is_kept := kept.is_file():
            with closing(read_knowledge_store(kept)) as known:
                known.backup(home / KNOWLEDGE)
        console = stack.enter_context(closing(PyBoyConsole(cartridge)))
        story = Story.of(cartridge.kind).with_requested(settings.wanted)
        asking = _asking(settings, folder.store)
        opened = session_of_run(home, settings, console, story, Interrupt(), asking=asking)
        session, again, knowledge = stack.enter_context(opened)
        if knowledge.content_hash() != settings.memory_hash:
            fault = "is not" if is_kept else "is missing:"
            message = f"{kept} {fault} the memory that the run began with; put back the file that play wrote, or replay the steps alone"
            raise RunError(message)
        done = bar("tick", len(recorded))
        session.play(PlayLimits(NEVER, len(recorded)), _TickCounter(done))
        steps = list(again.store.record.steps())
        count = sum(1 for _ in again.store.record.events(ADVICE))
        digest = steps[-1].chain.hex() if steps else ""
        return Redecided(len(steps), count, _difference(recorded, steps), digest)


def _require_one_game(path: Path, run: RunReader, ticks: int) -> None:
    """Raise RunError when the run goes on from a moment that its decisions alone do not lead to."""
    if any((*run.record.events(OTHER_CHOICES), *run.record.events(OTHER_CHOICES, live=False))):
        how = "with other settings than it began with"
    elif any(each.tick < ticks for each in run.record.events(SESSION_ENDED)):
        how = "after it had given up or ended by an error"
    elif any(each.why == "recovered" for each in run.record.branchings()):
        how = "from an older checkpoint by overnight"
    else:
        return
    message = f"{path} was played on {how}, which cannot be decided again; replay its steps alone"
    raise RunError(message)


def _asking(settings: RunSettings, run: RunReader) -> AdviceSource | None:
    if settings.mind != Decider.CLAUDE.value:
        return None
    answers = [*run.record.events(ADVICE, live=False), *run.record.events(ADVICE)]
    return AdviceSource(lambda tools, _observed: ReplayedAdvice(answers, tools), settings.ask_every)


def _difference(recorded: Sequence[StepRow], again: Sequence[StepRow]) -> str:
    for number, (then, now) in enumerate(zip_longest(recorded, again), start=1):
        if then is None or now is None:
            return f"tick {number}: only one of the two continues"
        if then != now:
            changes = ", ".join(
                f"{name} {getattr(then, name)!r} became {getattr(now, name)!r}"
                for name in ("button", "hold", "settle", "frame")
                if getattr(then, name) != getattr(now, name)
            )
            return f"tick {number}: {changes or 'the game state differs'}"
    return ""
