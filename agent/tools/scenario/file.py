"""Scenario files: how the start is derived, what is done from there, and what must be true.

pitfall = "oscillation"                    the known problem it covers, if any
description = "A worn team is healed."            what it shows, in a sentence
cartridge = "<SHA-1>"                      its cartridge; on another one it is skipped
seed = 3                                   the seed of the game

[[start]] tables are applied in order; each has one of these keys:

    state = "gym"                          `gym.redstate` in the user's folder of states, only as the first table;
                                           `known = ["reached:rival"]` lists facts of play that RAM does not show
    after = "lane"                         the stages of `moments/lane.toml` beside the file, shared between files
    play = { "milestone:rival" = true }    play by rules until this is true; from power-on when it comes first
    set = { wGrassRate = 0 }               bytes of RAM by label, or "event:NAME" = true
    walk = { map = 12, to = [9, 20] }      by the walking skill, without encounters
    team = 2                               fill the team with copies of its first member, up to this size
    press = ["up 2 10", "wait 30 x4"]      button, frames held, frames released; number of times
    power = "off and on"                   power cycle: battery RAM stays, everything else is reset

Then one of two bodies, and in [then] the conditions at the end. Play by rules:

    [play]
    until = { map = 1 }                    the goal, within `frames`; without it play lasts `frames`, or to the story's end
    wants = ["item:parcel"]                  story facts to reach before the milestones, spelled as in story files
    never = [{ menu = "keyboard" }]        conditions that no tick may meet
    meets = [{ battle = "wild" }]          conditions that some tick must meet
    counts = [{ when = { map = 37 }, times = "<= 1" }]    how often a condition may become true

or single presses, to test the machine:

    [[steps]]
    press = ["b 4 26"]                     repeated up to `within` times,
    until = { menu = "none" }              when there is a condition to wait for
    then = { x = "== start + 1" }
"""

import re
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from agent.errors import UsageError
from agent.tools.scenario.conditions import (
    Condition,
    address_of,
    condition,
    event_place,
    number_demand,
)
from agent.tools.scenario.states import change_ram, fill_team, press, walk_to
from emulator import Button, PyBoyConsole, Step
from memory.file_access import read_toml

FRAMES: Final = 20_000  # default budget: five and a half minutes of game time
PRESS: Final = re.compile(r"(?:(wait) (\d+)|([a-z]+) (\d+) (\d+))(?: x(\d+))?")
MOST_FRAMES: Final = 216_000  # of a press: an hour of game time
MOST_TIMES: Final = 10_000  # that a press is repeated
MOST: Final = (1 << 31) - 1  # of a number of frames, or a seed
NAME: Final = re.compile(r"[\w-]+")  # of a saved state or moment
MOST_SHARED: Final = 32  # shared starts that continue each other


@dataclass(frozen=True, slots=True)
class Play:
    """Play by rules until a condition is true, within `frames`; with None for exactly `frames`.

    `wants` are story facts to reach before the milestones.
    """

    until: Condition | None
    frames: int
    wants: tuple[str, ...] = ()


class Setup(NamedTuple):
    """A change made directly on the console that would take long to reach by play."""

    do: Callable[[PyBoyConsole], None]
    is_walk: bool = False


@dataclass(frozen=True, slots=True)
class PowerCycle:
    """A power cycle: off and on again."""


class SavedStart(NamedTuple):
    """A saved state to begin at, with the facts reached before that RAM does not show."""

    name: str
    known: tuple[str, ...]


Stage: TypeAlias = Play | Setup | PowerCycle | SavedStart


def stage_of(table: Mapping[str, Any]) -> Stage:
    """Return the stage in one table of a start; raises UsageError for an unknown table."""
    match table:
        case {"state": str(name)}:
            return SavedStart(_name(name), _texts(table, "known"))
        case {"play": demands}:
            return Play(condition(demands), _number(table, "frames", FRAMES))
        case {"set": values}:
            return _change(values)
        case {"walk": {"map": map_id, "to": [x, y]}}:
            return Setup(partial(walk_to, map_id=map_id, square=(x, y)), is_walk=True)
        case {"team": int(size)}:
            return Setup(partial(fill_team, size=size))
        case {"press": presses}:
            return Setup(partial(press, steps=steps_of(presses)))
        case {"power": "off and on"}:
            return PowerCycle()
        case _:
            pass
    message = f"a start has one of after, state, play, set, team, walk, press and power, not {dict(table)}"
    raise UsageError(message)


def _text(table: Mapping[str, Any], name: str) -> str:
    """Return a text of a table, '' for none; raises UsageError for any other value."""
    value = table.get(name, "")
    if not isinstance(value, str):
        raise UsageError(f"{name} = {reprlib.repr(value)} is not a text")
    return value


def _number(table: Mapping[str, Any], name: str, default: int) -> int:
    """Return a number of a table; raises UsageError for any other value."""
    value = table.get(name, default)
    if type(value) is not int or not 0 <= value <= MOST:
        raise UsageError(f"{name} = {reprlib.repr(value)} is not a number from 0 to {MOST:,}")
    return value


def _texts(table: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return a list of texts of a table; raises UsageError for any other value."""
    value = table.get(name, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise UsageError(f"{name} = {reprlib.repr(value)} is not a list of texts")
    return tuple(value)


def _name(name: str) -> str:
    """Return the name of a file in its folder, and nowhere else; raises UsageError for any other text."""
    if not NAME.fullmatch(name):
        message = f"{name!r} is not a name of a saved state or moment"
        raise UsageError(f"{message}; give its file name without ending")
    return name


def _change(values: Mapping[str, Any]) -> Setup:
    data, bits = [], []
    for name, value in values.items():
        if name.startswith("event:"):
            bits.append((*event_place(name.removeprefix("event:")), bool(value)))
        else:
            data.append((address_of(name), bytes(value if isinstance(value, list) else [value])))
    return Setup(partial(change_ram, data=data, bits=bits))


def steps_of(presses: Iterable[str]) -> tuple[Step, ...]:
    """Return the input steps of a list of presses."""
    return tuple(step for press in presses for step in _parse(press))


def _parse(press: str) -> list[Step]:
    found = PRESS.fullmatch(press)
    if found is None:
        raise UsageError(f"{press!r} is not a press; write 'up 4 8', 'wait 30' or 'b 4 26 x10'")
    waited, frames, button, hold, settle, times = found.groups()
    longest = max(int(each or 0) for each in (frames, hold, settle))
    if longest > MOST_FRAMES or int(times or 1) > MOST_TIMES:
        most = f"{MOST_FRAMES:,} frames, {MOST_TIMES:,} times"
        raise UsageError(f"{press!r} is too long; press for at most {most}")
    step = Step(None, 0, int(frames)) if waited else Step(Button(button), int(hold), int(settle))
    return [step] * int(times or 1)


SEED: Final = 3
MOMENTS: Final = "moments"
STATES: Final = "states"
ENDING: Final = ".toml"
DEEPEST: Final = 2  # levels of subfolders that are searched for scenarios to suggest
SHA1: Final = re.compile(r"[0-9a-f]{40}")


class Count(NamedTuple):
    """How many times a condition may become true; `description` is the text of that number in the file."""

    when: Condition
    description: str
    allows: Callable[[int], bool]


@dataclass(frozen=True, slots=True)
class PlayBody:
    """Play by rules, and the conditions on its ticks."""

    play: Play
    never: tuple[Condition, ...] = ()
    counts: tuple[Count, ...] = ()


class PressBody(NamedTuple):
    """Presses, repeated until a condition is true if one is given, and the conditions after them."""

    steps: tuple[Step, ...]
    until: Condition | None
    within: int
    then: Condition


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario file; `spelled` is the text of its start, the cache key of the derived state.

    `own` is how many of the last stages stand in the file itself; `after` is the shared start that it continues, '' for none; `states` the folder of its saved states;
    `cartridge` the SHA-1 of its cartridge, '' for any.
    """

    path: Path
    name: str
    pitfall: str
    description: str
    cartridge: str
    seed: int
    after: str
    states: Path
    start: tuple[Stage, ...]
    spelled: tuple[str, ...]
    own: int
    body: PlayBody | tuple[PressBody, ...]
    then: Condition


def read_scenarios(paths: Iterable[Path], states: Path | None = None) -> list[Scenario]:
    """Return the scenarios in these files, and in these folders without their subfolders.

    Saved states are looked up in `states`, or else in the folder `states` beside each file.
    """
    if states is not None and not states.is_dir():
        message = f"--states {states} is not a folder; name the one that holds the .redstate files"
        raise UsageError(message)
    return [read_scenario(file, states) for path in paths for file in _files(path)]


def _files(path: Path) -> list[Path]:
    """Return the scenario files in a folder, or the file `path`; raises UsageError when there is none."""
    found = sorted(path.glob(f"*{ENDING}")) if path.is_dir() else [path]
    if not found:
        nearby = _folder_below(path)
        hint = f"did you mean {nearby}?" if nearby else "name a folder that holds some"
        message = f"no scenario (*{ENDING}) in {path}; {hint}"
    elif not found[0].exists():
        message = f"{path} does not exist; name scenario files (*{ENDING}), or folders of them"
    elif found[0].suffix != ENDING:
        message = f"{path} is not a scenario (*{ENDING}); name scenarios, or folders of them"
    else:
        return found
    raise UsageError(message)


def _folder_below(path: Path) -> Path | None:
    """Return the first folder with scenarios, up to `DEEPEST` levels below `path`, or None."""
    for level in range(1, DEEPEST + 1):
        for file in sorted(path.glob("*/" * level + f"*{ENDING}")):
            with suppress(UsageError):
                return read_scenario(file).path.parent
    return None


def read_scenario(path: Path, states: Path | None = None) -> Scenario:
    """Return the scenario in a file; raises UsageError, naming the file, when it is invalid."""
    try:
        table = read_toml(path)
        return _scenario(path, table, states or path.parent / STATES)
    except (OSError, UsageError) as error:
        raise UsageError(f"{path}: {error}") from error
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        message = f"{path}: {type(error).__name__}: {error}; see agent/tools/scenario/file.py"
        raise UsageError(message) from error


def _scenario(path: Path, table: Mapping[str, Any], states: Path) -> Scenario:
    start = list(_expand_start(table, path.parent / MOMENTS))
    if ("play" in table) == ("steps" in table):
        raise UsageError("a scenario has either [play] or [[steps]]")
    stages = tuple(map(stage_of, start))
    if any(isinstance(each, SavedStart) for each in stages[1:]):
        raise UsageError("a saved state must be the first stage of a start; put `state` first")
    body = _play_body(table["play"]) if "play" in table else tuple(map(_press_body, table["steps"]))
    return Scenario(
        path=path,
        name=path.stem,
        pitfall=_text(table, "pitfall"),
        description=_text(table, "description"),
        cartridge=_sha1(_text(table, "cartridge")),
        seed=_number(table, "seed", SEED),
        after=next((each["after"] for each in table.get("start", ()) if "after" in each), ""),
        states=states,
        start=stages,
        spelled=tuple(map(repr, start)),
        own=sum("after" not in each for each in table.get("start", ())),
        body=body,
        then=condition(table.get("then", {})),
    )


def _sha1(words: str) -> str:
    if words and not SHA1.fullmatch(words):
        message = f"cartridge = {words!r} is not a SHA-1 of 40 lower-case hexadecimal digits"
        raise UsageError(message)
    return words


def _expand_start(
    table: Mapping[str, Any], moments: Path, levels: int = MOST_SHARED
) -> Iterator[Mapping[str, Any]]:
    """Yield the stages of a start, beginning with those of the shared start it continues."""
    for stage in table.get("start", ()):
        if "after" not in stage:
            yield stage
        elif levels == 0:
            message = f"after = {stage['after']!r} continues itself, or more than {MOST_SHARED} shared starts"
            raise UsageError(message)
        else:
            shared = read_toml(moments / f"{_name(stage['after'])}{ENDING}")
            yield from _expand_start(shared, moments, levels - 1)


def _play_body(table: Mapping[str, Any]) -> PlayBody:
    counts = [
        Count(condition(each["when"]), str(each["times"]), number_demand(each["times"]))
        for each in table.get("counts", ())
    ]
    met = number_demand(">= 1")
    counts += [Count(each, ">= 1", met) for each in map(condition, table.get("meets", ()))]
    until = condition(table["until"]) if "until" in table else None
    play = Play(until, _number(table, "frames", FRAMES), _texts(table, "wants"))
    return PlayBody(play, tuple(map(condition, table.get("never", ()))), tuple(counts))


def _press_body(table: Mapping[str, Any]) -> PressBody:
    until = table.get("until")
    return PressBody(
        steps=steps_of(table["press"]),
        until=condition(until) if until else None,
        within=_number(table, "within", 1),
        then=condition(table.get("then", {})),
    )
