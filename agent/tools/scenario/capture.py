"""New scenario files made from a run: at any tick, or for its stuck episodes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import takewhile
from os.path import lexists
from pathlib import Path
from typing import Any, Final, NamedTuple

import tomli_w

from agent.app.settings import RunSettings, cartridge_for
from agent.errors import RunError, UsageError
from agent.events import ObjectiveEvent, StuckEvent, events
from agent.story.story import Story
from agent.tools.replay.recording import (
    Recording,
    episode_of,
    recording_of,
    replay_steps,
    require_intact,
    restore_latest,
)
from agent.tools.report.words import counted
from agent.tools.scenario.conditions import condition
from agent.tools.scenario.file import FRAMES, NAME, STATES
from agent.tools.scenario.states import (
    REACHED,
    current_state,
    describe_episode,
    known_at,
    state_path,
)
from emulator import EMULATOR, Cartridge, Divergence, PyBoyConsole, StepRecord
from memory import RunReader, read_run
from memory.codec import valid_unicode
from memory.file_access import real_path, write_file


def drive_to(
    tick: int, records: Sequence[StepRecord], live: Recording, console: PyBoyConsole
) -> None:
    """Bring `console` to the end of `tick` of a branch with these `records` from power-on.

    The replay starts at the last checkpoint that the branch shares with the `live` one, and compares every tick.
    Raises RunError when the replay differs from the recording.
    """
    start, _ = restore_latest(console, live, min(tick, fork_of(records, live.records)))
    try:
        replay_steps(console, records[start:tick])
    except Divergence as divergence:
        message = (
            f"the run cannot be replayed to tick {tick}: {divergence}; use the PyBoy"
            " it was played with, or name an earlier tick"
        )
        raise RunError(message) from divergence


def fork_of(records: Sequence[StepRecord], live: Sequence[StepRecord]) -> int:
    """Return the last tick that a branch has in common with the live one."""
    pairs = zip(records, live, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0].chain == pair[1].chain, pairs))


@dataclass(frozen=True, slots=True)
class Draft:
    """A scenario to write, with the machine `state` it begins with.

    `origin` holds comment lines about the source run, `known` the facts reached before the start; `play` is that table.
    """

    name: str = ""
    origin: tuple[str, ...] = ()
    pitfall: str = ""
    description: str = ""
    cartridge: str = ""
    seed: int = 0
    known: tuple[str, ...] = ()
    play: Mapping[str, Any] = field(default_factory=dict)
    state: bytes = b""


class RunSource(NamedTuple):
    """A run to take scenarios from, and its cartridge; `live` is the current branch with its checkpoints."""

    run: RunReader
    settings: RunSettings
    cartridge: Cartridge
    live: Recording

    def draft_at(self, tick: int, records: Sequence[StepRecord]) -> tuple[str, Draft]:
        """Return the place, and a draft, for the end of `tick` of a branch with these `records` from power-on.

        Raises RunError when the replay differs from the recording.
        """
        with closing(PyBoyConsole(self.cartridge)) as console:
            drive_to(tick, records, self.live, console)
            state, data = current_state(console), console.save()
        place = Story.of(self.cartridge.kind).place_of(state)
        where = f"{place} ({state.map.x},{state.map.y})" if state.game_started else place
        goals = [each.name for each in self._goals() if each.tick <= tick]
        origin = (
            f"Tick {tick} of run {self.run.run_id}, frame {state.frame:,}: {where}.",
            f"Goal then: {goals[-1] if goals else 'none yet'}.",
            f"Cartridge: {self.cartridge.name}. Emulator: {EMULATOR}.",
        )
        known = known_at(self.run, tick, fork_of(records, self.live.records))
        sha1, seed = self.cartridge.sha1, self.settings.seed
        return where, Draft(origin=origin, cartridge=sha1, seed=seed, known=known, state=data)

    def goal_name(self, goal: str | None) -> str:
        """Return the name of one goal of the run."""
        names = {each.objective_id: each.name for each in self._goals()}
        return names.get(goal or "", "none")

    def _goals(self) -> Iterator[ObjectiveEvent]:
        goals = events(self.run, ObjectiveEvent, strict=True)
        return (each for each in goals if each.status == "active")


@contextmanager
def open_source(run: Path, rom: Path | None) -> Iterator[RunSource]:
    """Open the run in a folder, with the cartridge image it was played on or the given `rom`.

    Raises RunError when its recording was edited.
    """
    with closing(read_run(run)) as folder:
        settings = RunSettings.of(folder.settings)
        cartridge, recording = cartridge_for(rom, settings), recording_of(folder.store)
        require_intact(run, recording, cartridge.sha1)
        # The first checkpoint counts too: the run of a scenario begins at a prepared state.
        first = [each for each in folder.store.checkpoints.marks() if each.tick == 0]
        live = replace(recording, marks=[*first, *recording.marks])
        yield RunSource(folder.store, settings, cartridge, live)


NEVER_STUCK: Final = {"episodes": ">= start + 1"}
SOMETHING_GAINED: Final = {"gains": ">= start + 1"}


def require_free_name(into: Path, name: str) -> None:
    """Raise UsageError when a scenario of that name cannot be written, or would replace a file."""
    if not NAME.fullmatch(name):
        message = f"--name {name!r} must be a file name without ending: letters, digits, _ and -"
        raise UsageError(message)
    path = file_of(into, name)
    if lexists(path):
        raise UsageError(f"{path} exists already; choose another --name or --into, or remove it")


def file_of(into: Path, name: str) -> Path:
    """Return the path of a scenario file."""
    return into / f"{name}.toml"


def write_scenario(draft: Draft, into: Path) -> Path:
    """Write a new scenario file, with its state in the folder of states beside it, and return its path.

    A state without a scenario, left by a write that was cut off, is used if it is the same.
    """
    file, state = file_of(into, draft.name), state_path(into / STATES, draft.name)
    try:
        state.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as undo:
            if not (state.is_file() and state.read_bytes() == draft.state):
                write_file(state, draft.state, replaces=False)
                undo.callback(state.unlink, missing_ok=True)
            write_file(file, text_of(draft), replaces=False)
            undo.pop_all()
    except FileExistsError as error:
        message = f"{error.filename} exists already; choose another --name or --into, or remove it"
        raise UsageError(message) from error
    except OSError as error:
        message = f"{into}: cannot write {draft.name} ({error.strerror}); name another --into"
        raise UsageError(message) from error
    return file


def text_of(draft: Draft) -> str:
    """Return the content of a scenario file."""
    about = {name: getattr(draft, name) for name in ("description", "cartridge", "seed")}
    pitfall = {"pitfall": draft.pitfall} if draft.pitfall else {}
    start = {"state": draft.name, **({"known": draft.known} if draft.known else {})}
    head, first, play = map(tomli_w.dumps, (pitfall | about, start, {"play": draft.play}))
    comments = "".join(f"# {' '.join(words.split())}\n" for words in draft.origin)
    return valid_unicode(f"{comments}{head}\n[[start]]\n{first}\n{play}")


TIMES_AS_LONG: Final = 3  # the frames of the episode: by then play is stuck again or not
INTEGER: Final = re.compile(r"-?\d+")
TRUTHS: Final = {"true": True, "false": False}


class RecordRequest(NamedTuple):
    """A request for a scenario: a tick of a run, a name, a description, and the goal as NAME=VALUE."""

    tick: int
    name: str
    description: str | None = None
    until: tuple[str, ...] = ()


def record(run: Path, rom: Path | None, request: RecordRequest, into: Path) -> Path:
    """Return the file of a new scenario that begins at one tick of a run.

    Raises UsageError when the run has no such tick, or the name is taken.
    """
    require_free_name(into, request.name)
    demands = dict(_parse_demand(words) for words in request.until)
    condition(demands)  # raises UsageError for an unknown name
    goal = {"until": demands} if demands else {}
    with open_source(run, rom) as source:
        if request.tick > len(source.live.records):
            message = f"--at {request.tick} is after the end of {run}, which has {counted(len(source.live.records), 'tick')}"
            raise UsageError(message)
        place, draft_part = source.draft_at(request.tick, source.live.records)
        if REACHED + Story.of(source.cartridge.kind).milestones[-1].id in draft_part.known:
            message = f"by tick {request.tick} the story of {run} is complete, and play would end at once; name an earlier --at"
            raise UsageError(message)
    description = f"Play reaches its goal from {place} without getting stuck."
    if not goal:
        description = f"Play continues from {place} without getting stuck."
    draft = replace(
        draft_part,
        name=request.name,
        description=request.description or description,
        play={**goal, "frames": FRAMES, "never": [NEVER_STUCK]},
    )
    return write_scenario(draft, into)


def from_stuck(run: Path, rom: Path | None, episode: int | None, into: Path) -> list[Path]:
    """Return the files of new scenarios, one for each stuck episode of a run, or for the `episode`th.

    Raises RunError when the run has fewer episodes; a run without any gives no files.
    """
    with open_source(run, rom) as source:
        stuck = list(events(source.run, StuckEvent))
        numbers = range(1, len(stuck) + 1) if episode is None else [episode]
        home = re.sub(r"[^\w-]", "_", real_path(run).name)
        names = {number: f"{home}_stuck_{number}" for number in numbers}
        for name in names.values():
            require_free_name(into, name)
        return [_of_episode(source, number, name, into) for number, name in names.items() if stuck]


def _of_episode(source: RunSource, number: int, name: str, into: Path) -> Path:
    stuck, _, records = episode_of(source.run, number)
    place, draft_part = source.draft_at(stuck.since, records)
    took = sum(record.step.frames for record in records[stuck.since :])
    draft = replace(
        draft_part,
        name=name,
        origin=(
            *draft_part.origin,
            f"Stuck, time {number}: {describe_episode(stuck)}. Goal: {source.goal_name(stuck.goal)}.",
            "This fails while play gets stuck from here, and passes once play makes progress.",
        ),
        pitfall=stuck.reason.replace("_", "-"),
        description=f"Play makes progress from {place}.",
        play={
            "until": SOMETHING_GAINED,
            "frames": max(FRAMES, TIMES_AS_LONG * took),
            "never": [NEVER_STUCK],
        },
    )
    return write_scenario(draft, into)


def _parse_demand(words: str) -> tuple[str, int | str | bool]:
    name, equals, value = words.partition("=")
    if not (name and equals and value):
        raise UsageError(f"--until {words!r} is not NAME=VALUE; write it like milestone:rival=true")
    return name, int(value) if INTEGER.fullmatch(value) else TRUTHS.get(value, value)
