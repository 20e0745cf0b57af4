"""New scenario files made from a run: of any moment, or of its stuck episodes."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from typing import Any, Final, NamedTuple

from agent.app.settings import RunSettings, cartridge_for
from agent.errors import RunError, UsageError
from agent.events import ObjectiveEvent, StuckEvent, events
from agent.story.story import Story
from agent.tools.replay.recording import (
    Recording,
    bring,
    episode_of,
    follow,
    recording_of,
    require_sound,
)
from agent.tools.scenario.conditions import condition
from agent.tools.scenario.file import FRAMES, NAME, STATES
from agent.tools.scenario.history import REACHED, in_words, known_at
from agent.tools.scenario.states import look, state_path
from emulator import EMULATOR, Cartridge, Divergence, PyBoyConsole, StepRecord
from memory import RunReader, read_run


def drive_to(
    tick: int, records: Sequence[StepRecord], live: Recording, console: PyBoyConsole
) -> None:
    """Bring `console` to the moment after `tick` of a branch with these `records` from power-on.

    It starts at a checkpoint that the branch shares with the `live` one. Every tick on the way is compared. Raises
    RunError when the machine does something else than what was recorded.
    """
    start, _ = bring(console, live, min(tick, fork_of(records, live.records)))
    try:
        follow(console, records[start:tick])
    except Divergence as divergence:
        message = (
            f"the run cannot be driven again to tick {tick}: {divergence}; drive it with the PyBoy"
            " it was played with, or name a moment before that"
        )
        raise RunError(message) from divergence


def fork_of(records: Sequence[StepRecord], live: Sequence[StepRecord]) -> int:
    """Return the last tick that a branch has in common with the live one."""
    pairs = zip(records, live, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0].chain == pair[1].chain, pairs))


@dataclass(frozen=True, slots=True)
class Draft:
    """A scenario to write, and the `state` it begins with.

    `origin` says in lines where that moment comes from, `known` what play had behind it; `play` is the table of that name.
    """

    name: str = ""
    origin: tuple[str, ...] = ()
    pitfall: str = ""
    says: str = ""
    cartridge: str = ""
    seed: int = 0
    known: tuple[str, ...] = ()
    play: Mapping[str, Any] = field(default_factory=dict)
    state: bytes = b""


class RunSource(NamedTuple):
    """A run to take moments of, and its cartridge; `live` is the branch that went on, with its checkpoints."""

    run: RunReader
    settings: RunSettings
    cartridge: Cartridge
    live: Recording

    def take(self, tick: int, records: Sequence[StepRecord]) -> tuple[str, Draft]:
        """Return the place, and a draft, of the moment after `tick` of a branch with these `records` from power-on.

        Raises RunError when the machine does something else on the way than what was recorded.
        """
        with closing(PyBoyConsole(self.cartridge)) as console:
            drive_to(tick, records, self.live, console)
            state, data = look(console), console.save()
        place = Story.of(self.cartridge.kind).place_of(state)
        where = f"{place} ({state.map.x},{state.map.y})" if state.game_started else place
        wished = [each.name for each in self._wishes() if each.tick <= tick]
        origin = (
            f"Tick {tick} of run {self.run.run_id}, frame {state.frame:,}: {where}.",
            f"Wanted then: {wished[-1] if wished else 'nothing yet'}.",
            f"Cartridge: {self.cartridge.name}. Emulator: {EMULATOR}.",
        )
        known = known_at(self.run, tick, fork_of(records, self.live.records))
        sha1, seed = self.cartridge.sha1, self.settings.seed
        return where, Draft(origin=origin, cartridge=sha1, seed=seed, known=known, state=data)

    def called(self, goal: str | None) -> str:
        """Return what the run calls one of its goals."""
        names = {each.objective_id: each.name for each in self._wishes()}
        return names.get(goal or "", "nothing")

    def _wishes(self) -> Iterator[ObjectiveEvent]:
        return (
            each
            for each in events(self.run, ObjectiveEvent, strict=True)
            if each.status == "active"
        )


@contextmanager
def source_of(run: Path, rom: Path | None) -> Iterator[RunSource]:
    """Lend the run in a folder, with the image it was played on or the `rom` that is named.

    Raises RunError when its recording was edited.
    """
    with closing(read_run(run)) as folder:
        settings = RunSettings.of(folder.settings)
        cartridge, recording = cartridge_for(rom, settings), recording_of(folder.store)
        require_sound(run, recording, cartridge.sha1)
        # The first checkpoint counts too: a scenario's run begins at a moment that was set up.
        first = [each for each in folder.store.marks() if each.tick == 0]
        live = replace(recording, marks=[*first, *recording.marks])
        yield RunSource(folder.store, settings, cartridge, live)


NEVER_STUCK: Final = {"episodes": ">= start + 1"}
SOMETHING_GAINED: Final = {"gains": ">= start + 1"}
EXPLAINED: Final = {
    "known": "What play had behind it, and RAM does not show.",
    "until": "The aim, for which there are so many frames.",
    "never": "What must not be: that play gets nowhere once more.",
}
FOR_SO_LONG: Final = "For so many frames, or to the end of the story."


def refuse_taken(into: Path, name: str) -> None:
    """Raise UsageError where a scenario of that name cannot be written, or would replace something."""
    if not NAME.fullmatch(name):
        message = f"--name {name!r} names a file without ending: letters, digits, _ and -"
        raise UsageError(message)
    for path in (file_of(into, name), state_path(into / STATES, name)):
        if path.exists():
            message = f"{path} is there already; choose another --name or --into, or remove it"
            raise UsageError(message)


def file_of(into: Path, name: str) -> Path:
    """Return the scenario's file."""
    return into / f"{name}.toml"


def write_scenario(draft: Draft, into: Path) -> Path:
    """Return the file of a new scenario, with its moment in the folder of states beside it; nothing is replaced."""
    file, state = file_of(into, draft.name), state_path(into / STATES, draft.name)
    made: list[Path] = []
    try:
        state.parent.mkdir(parents=True, exist_ok=True)
        for path, data in ((state, draft.state), (file, text_of(draft).encode())):
            with path.open("xb") as output:
                made.append(path)
                output.write(data)
    except OSError as error:
        for path in made:
            with suppress(OSError):
                path.unlink()
        message = f"{into} does not take {draft.name} ({error.strerror}); name another --into"
        raise UsageError(message) from error
    return file


def text_of(draft: Draft) -> str:
    """Return a scenario as its file has it."""
    start = {"state": draft.name, **({"known": draft.known} if draft.known else {})}
    lines = [f"# {' '.join(words.split())}" for words in draft.origin]
    lines += [f"pitfall = {_value(draft.pitfall)}"] if draft.pitfall else []
    lines += [f"{name} = {_value(getattr(draft, name))}" for name in ("says", "cartridge")]
    lines += [f"seed = {draft.seed}", "", "[[start]]", *_explained(start), "", "[play]"]
    lines += [] if "until" in draft.play else [f"# {FOR_SO_LONG}"]
    return "\n".join([*lines, *_explained(draft.play)]) + "\n"


def _explained(table: Mapping[str, Any]) -> Iterator[str]:
    for name, value in table.items():
        if name in EXPLAINED:
            yield f"# {EXPLAINED[name]}"
        yield f"{name} = {_value(value)}"


def _value(value: Any) -> str:  # noqa: ANN401 -- whatever TOML has
    match value:
        case str():
            return _text(value)
        case bool():
            return json.dumps(value)
        case int():
            return f"{value:_}"
        case Mapping():
            pairs = ", ".join(f"{_key(name)} = {_value(each)}" for name, each in value.items())
            return f"{{ {pairs} }}"
        case _:
            return f"[{', '.join(map(_value, value))}]"


def _text(words: str) -> str:
    """Return words as TOML spells them: JSON's pairs of surrogates are none of its characters."""
    sound = words.encode("utf-8", "replace").decode()
    return json.dumps(sound, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if NAME.fullmatch(name) and name.isascii() else _text(name)


TIMES_AS_LONG: Final = 3  # as the episode took: by then play is stuck again, or free
WHOLE: Final = re.compile(r"-?\d+")
TRUTHS: Final = {"true": True, "false": False}


class MomentRequest(NamedTuple):
    """What is asked for: a moment of a run, a name for it, and what should come of it, as NAME=VALUE."""

    tick: int
    name: str
    says: str | None = None
    until: tuple[str, ...] = ()


def record(run: Path, rom: Path | None, wanted: MomentRequest, into: Path) -> Path:
    """Return the file of a new scenario that begins at one moment of a run.

    Raises UsageError when the run has no such moment, or something of that name is there.
    """
    refuse_taken(into, wanted.name)
    demands = dict(_demand(words) for words in wanted.until)
    condition(demands)  # raises where a name says nothing of a moment
    aim = {"until": demands} if demands else {}
    with source_of(run, rom) as source:
        if wanted.tick > len(source.live.records):
            message = f"--at {wanted.tick} is behind the end of {run}, which has {len(source.live.records):,} ticks"
            raise UsageError(message)
        place, taken = source.take(wanted.tick, source.live.records)
        if REACHED + Story.of(source.cartridge.kind).milestones[-1].id in taken.known:
            message = f"by tick {wanted.tick} the story of {run} is told, and play would end at once; name an earlier --at"
            raise UsageError(message)
    says = f"Play gets from {place} to where it should, without getting stuck."
    if not aim:
        says = f"Play goes on from {place} without getting stuck."
    draft = replace(
        taken,
        name=wanted.name,
        says=wanted.says or says,
        play={**aim, "frames": FRAMES, "never": [NEVER_STUCK]},
    )
    return write_scenario(draft, into)


def from_stuck(run: Path, rom: Path | None, episode: int | None, into: Path) -> list[Path]:
    """Return the files of new scenarios, one for each stuck episode of a run, or for the `episode`th.

    Raises RunError when the run has fewer; a run without any gives no files.
    """
    with source_of(run, rom) as source:
        told = list(events(source.run, StuckEvent))
        numbers = range(1, len(told) + 1) if episode is None else [episode]
        home = re.sub(r"[^\w-]", "_", run.resolve().name)
        names = {number: f"{home}_stuck_{number}" for number in numbers}
        for name in names.values():
            refuse_taken(into, name)
        return [_of_episode(source, number, name, into) for number, name in names.items() if told]


def _of_episode(source: RunSource, number: int, name: str, into: Path) -> Path:
    stuck, _, records = episode_of(source.run, number)
    place, taken = source.take(stuck.since, records)
    took = sum(record.step.frames for record in records[stuck.since :])
    draft = replace(
        taken,
        name=name,
        origin=(
            *taken.origin,
            f"Stuck, time {number}: {in_words(stuck)}. Wanted: {source.called(stuck.goal)}.",
            "This fails while play gets nowhere from here, and passes once it gains something instead.",
        ),
        pitfall=stuck.reason.replace("_", "-"),
        says=f"Play gets on from {place}.",
        play={
            "until": SOMETHING_GAINED,
            "frames": max(FRAMES, TIMES_AS_LONG * took),
            "never": [NEVER_STUCK],
        },
    )
    return write_scenario(draft, into)


def _demand(words: str) -> tuple[str, int | str | bool]:
    name, equals, value = words.partition("=")
    if not (name and equals and value):
        message = f"--until {words!r} is no demand; write NAME=VALUE, as milestone:rival=true"
        raise UsageError(message)
    return name, int(value) if WHOLE.fullmatch(value) else TRUTHS.get(value, value)
