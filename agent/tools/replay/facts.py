"""The facts of a moment of a run as one small file, with which the moment can be rehearsed elsewhere.

It holds numbers, booleans and names of this program: all other text becomes `other`, so that nothing of the cartridge, of
the player or of a machine can be in it. Its last 200 ticks are those of the recording, replayed.
"""

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from enum import Enum
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

from agent.app.build import DecisionParts, GameParts
from agent.app.plan import deciding_at
from agent.app.settings import RunSettings, cartridge_for
from agent.errors import StuckReason, UsageError
from agent.events import ActionEvent, MilestoneEvent, ObjectiveEvent, StuckEvent, events
from agent.mind.mind import Mind
from agent.mind.recovery import RecoveryStep
from agent.perception.percept import percept_of
from agent.skills import Outcome
from agent.story.story import Story
from agent.tools.overnight.night import NightFault
from agent.tools.progress import Bar, no_bar, tracked
from agent.tools.replay.operations import Say, report_emulator, require_new, silent
from agent.tools.replay.recording import (
    Recording,
    TickRange,
    frames_of,
    recording_of,
    replay_steps,
    require_intact,
    restore_latest,
)
from agent.tools.report.run_data import DISAGREEMENTS, RunData, RunStatus, read_run_data
from emulator import (
    FRAMES_PER_SECOND,
    Button,
    CartridgeKind,
    Console,
    PyBoyConsole,
    ScreenType,
    State,
    StepRecord,
    read_state,
)
from emulator.model import moment_of
from memory import RunReader, as_json, read_run
from memory.file_access import write_file
from memory.store import BranchedBy

FORMAT: Final = 1
TICKS: Final = 200  # of which the file tells each
EPISODES: Final = 25  # of being stuck, the last ones
OTHER: Final = "other"  # instead of any text that is no name of the program
# Versions and digests.
PLAIN: Final = re.compile(r"[0-9a-f]{40}|\d{1,4}(\.\d{1,4}){0,2}")
ENUMS: Final[tuple[type[Enum], ...]] = (
    *(StuckReason, RecoveryStep, Outcome, ScreenType, Button, RunStatus, CartridgeKind),
    NightFault,
)


class _Seen(NamedTuple):
    """The last ticks with the state after each, and the last state in which the player was in control, with its tick."""

    ticks: Sequence[tuple[StepRecord, State]]
    free: State
    free_tick: int


def write_facts(
    path: Path,
    to: Path,
    rom: Path | None = None,
    at: int | None = None,
    *,
    say: Say = silent,
    bar: Bar = no_bar,
) -> int:
    """Write the facts of the run in `path` around tick `at`, by default its last one, and return the size in bytes."""
    require_new(to)
    with closing(read_run(path)) as folder:
        run, settings = folder.store, RunSettings.of(folder.settings)
        cartridge = cartridge_for(rom, settings)
        report_emulator(settings.pyboy, say)
        recording = recording_of(run)
        require_intact(path, recording, cartridge.sha1)
        tick = len(recording.records) if at is None else at
        frame = frames_of(recording, TickRange(1, tick))
        with closing(PyBoyConsole(cartridge)) as console:
            seen = _seen(console, recording, tick, bar)
        story = Story.of(cartridge.kind).with_requested(settings.wanted)
        game = GameParts.of(cartridge, story, settings.seed)
        marks = [each for each in run.checkpoints.marks() if each.tick <= tick]
        if not marks:
            raise UsageError(
                f"there is no checkpoint up to tick {tick}; give a later one with --at"
            )
        with deciding_at(max(marks).id, run, game, settings.uses) as (parts, mind):
            facts = {
                "format": FORMAT,
                "cartridge": {"kind": cartridge.kind.value, "sha1": cartridge.sha1},
                "versions": {
                    "agent": folder.settings["versions"].get("agent"),
                    "pyboy": settings.pyboy,
                },
                "seed": settings.seed,
                "wants": [*settings.wanted],
                "tick": tick,
                "frame": frame,
                **_happened(run, read_run_data(folder, cartridge), tick),
                **_decided(parts, mind, seen),
                "game": {"tick": seen.free_tick, "frame": seen.free.frame, **moment_of(seen.free)},
                "battle": _battle(seen.ticks[-1][1]),
                "ticks": list(_rows(run, recording, seen)),
            }
            names = _names(parts, mind, story)
    text = "{\n" + ",\n".join(_lines(_named(facts, names))) + "\n}\n"
    write_file(to, text, replaces=False)
    return len(text)


def _seen(console: Console, recording: Recording, tick: int, bar: Bar) -> _Seen:
    start, _ = restore_latest(console, recording, tick - TICKS)
    ticks, state = list[tuple[StepRecord, State]](), read_state(console.ram(), console.frame)
    free, free_tick = state if state.in_control else None, start
    for record in tracked(recording.records[start:tick], bar):
        replay_steps(console, [record])
        state = read_state(console.ram(), console.frame)
        ticks.append((record, state))
        if state.in_control:
            free, free_tick = state, record.tick
    if free is None:
        raise UsageError(f"the player has no control up to tick {tick}; give a later one with --at")
    return _Seen(ticks[-TICKS:], free, free_tick)


def _battle(state: State) -> list[int] | None:
    """Return the trainer's class and number, 0 and 0 in the wild, and the species, level and HP of the enemy."""
    if state.battle is None or (foe := state.battle.enemy) is None:
        return None
    trainer = (state.battle.trainer_class, state.battle.trainer_number)
    return [*(trainer if state.battle.is_trainer else (0, 0)), foe.species, foe.level, foe.hp]


def _decided(parts: DecisionParts, mind: Mind, seen: _Seen) -> dict[str, Any]:
    """Return what the mind of the last checkpoint decides in the last state of control."""
    facts = mind.sense(percept_of(seen.free, seen.free_tick))
    goals, kept = mind.open_goals(facts), mind.to_json()
    plan = mind.plan_for(goals, facts)
    return {
        "goals": [each.name for each in goals],
        "goal": plan.goal.name if plan is not None else None,
        "plan": [each.name for each in plan.actions] if plan is not None else None,
        "facts": _pairs({name: value for name, value in facts.items() if value}),
        "choices": _pairs(parts.choices.made),
        **{name: _pairs(kept[name]) for name in ("failures", "setbacks")},
    }


def _pairs(table: Any) -> list[list[Any]]:  # noqa: ANN401  # a mapping of names to numbers
    return [[name, value] for name, value in sorted(table.items())]


def _happened(run: RunReader, data: RunData, tick: int) -> dict[str, Any]:
    """Return what happened up to a tick: milestones, times stuck, faults and returns to checkpoints."""
    reached = [each for each in events(run, MilestoneEvent) if each.tick <= tick]
    stuck = [each for each in events(run, StuckEvent) if each.tick <= tick][-EPISODES:]
    return {
        "status": data.verdict.kind.value,
        "milestones": [[each.id, each.tick] for each in reached],
        "stuck": [{**as_json(each), "place": None} for each in stuck],
        "faults": [[each.name, each.times] for each in data.problems.kinds],
        "errors": data.problems.errors,
        "disagreements": _pairs(data.problems.disagreements),
        "returns": [[each.why, each.left, each.to.tick] for each in data.returns],
    }


def _rows(run: RunReader, recording: Recording, seen: _Seen) -> Iterator[list[Any]]:
    """Yield a row for each tick: time, place and screen, the input, and the goal and action with its outcome at its end."""
    frames = [each.frame for each in recording.records]
    done = {each.tick: each for each in events(run, ActionEvent)}
    doing: dict[int, ActionEvent] = {}
    for each in done.values():
        began = frames[each.tick - 1] - round(each.duration_ms * FRAMES_PER_SECOND / 1_000)
        doing |= dict.fromkeys(range(bisect_left(frames, began + 1) + 1, each.tick + 1), each)
    goals = [(each.tick, each) for each in events(run, ObjectiveEvent)]
    for record, state in seen.ticks:
        tick, step = record.tick, record.step
        goal = next((each for at, each in reversed(goals) if at <= tick), None)
        action, ended = doing.get(tick), done.get(tick)
        yield [
            *(tick, record.frame, state.map.map_id, state.map.x, state.map.y),
            state.screen_type.value,
            *(step.button.value if step.button is not None else None, step.hold, step.settle),
            goal.objective_id if goal is not None and goal.status == "active" else None,
            action.action_value if action is not None else None,
            ended.outcome_summary if ended is not None else None,
        ]


def _names(parts: DecisionParts, mind: Mind, story: Story) -> frozenset[str]:
    """Return the names that may be in a file: of this program and of its story."""
    recovery, domain = parts.recovery, mind.domain
    exits = (recovery.escape, recovery.inquiry.action if recovery.inquiry else None)
    actions = (*domain.actions, *(each.action for each in exits if each is not None))
    return frozenset(
        (
            *(each.name for each in actions),
            *(each.name for each in domain.goals),
            *domain.sensed,
            *parts.choices.made,
            *story.ram_facts,
            *(each.id for each in story.milestones),
            *(str(each.value) for kind in ENUMS for each in kind),
            *DISAGREEMENTS,
            *get_args(BranchedBy),
        )
    )


def _named(value: Any, names: frozenset[str]) -> Any:  # noqa: ANN401  # JSON
    """Return a value in which every text is a name, a version or a digest."""
    if isinstance(value, str):
        return value if value in names or PLAIN.fullmatch(value) else OTHER
    if isinstance(value, dict):  # its keys are those of this module
        return {key: _named(each, names) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_named(each, names) for each in value]
    return value


def _lines(facts: dict[str, Any]) -> Iterable[str]:
    """Yield a line for each fact, and for each tick."""
    short = json.JSONEncoder(separators=(",", ":")).encode
    for name, value in facts.items():
        rows = ",\n".join(map(short, value)) if name == "ticks" else ""
        yield f'"{name}": ' + (f"[\n{rows}\n]" if rows else short(value))
