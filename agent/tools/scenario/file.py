"""A scenario as its file has it: how its moment is derived, what is done there, what must be true.

pitfall = "oscillation"                    what it is about, if that has a name
says = "A worn team is healed."            what is shown, in a sentence
cartridge = "<SHA-1>"                      what it is for; on another cartridge it is skipped
seed = 3                                   which game of many

[[start]] tables follow one another, each one thing:

    state = "gym"                          `gym.redstate` of the user's folder of states, which only comes first;
                                           `known = ["reached:rival"]` is what play had behind it and RAM does not show
    after = "lane"                         all that `moments/lane.toml` beside the file says, for files to share
    play = { "milestone:rival" = true }    by rules, until this is true; from power-on when it comes first
    set = { wGrassRate = 0 }               bytes of RAM by label, or "event:NAME" = true
    walk = { map = 12, to = [9, 20] }      by the skill that walks, in peace
    team = 2                               the first of the team so many times, for there to be others
    press = ["up 2 10", "wait 30 x4"]      button, frames held, frames released; how often
    power = "off and on"                   what the cartridge keeps without power stays, and all else begins anew

Then one of two bodies, and in [then] what must be true at the end. By rules:

    [play]
    until = { map = 1 }                    the aim, within `frames`; without one it lasts so long, or to the end of the story
    wants = ["item:parcel"]                  facts of the story to see to before its milestones, as story files spell them
    never = [{ menu = "keyboard" }]        what no tick may show
    meets = [{ battle = "wild" }]          what some tick must show
    counts = [{ when = { map = 37 }, times = "<= 1" }]    how often something may begin to be so

or press by press, for what the machine does:

    [[steps]]
    press = ["b 4 26"]                     again and again, `within` so many times,
    until = { menu = "none" }              where there is something to wait for
    then = { x = "== start + 1" }
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from agent.errors import ScenarioError, UsageError
from agent.tools.scenario.conditions import (
    Condition,
    address_of,
    condition,
    event_place,
    number_demand,
)
from agent.tools.scenario.states import (
    cartridge_name,
    change_ram,
    fill_team,
    origin_of,
    press,
    state_path,
    walk_to,
)
from emulator import EMULATOR, Button, PyBoyConsole, Step

FRAMES: Final = 20_000  # a budget where the file names none: five minutes and a half of the game
PRESS: Final = re.compile(r"(?:(wait) (\d+)|([a-z]+) (\d+) (\d+))(?: x(\d+))?")
NAME: Final = re.compile(r"[\w-]+")  # of a saved moment: a file in its folder, and nowhere else


@dataclass(frozen=True, slots=True)
class Play:
    """Play by rules until something is true, within so many frames; with None for just so many.

    `wants` are facts of the story that come before its milestones.
    """

    until: Condition | None
    frames: int
    wants: tuple[str, ...] = ()


class Setting(NamedTuple):
    """Set up on a console what would take long to bring about by play."""

    do: Callable[[PyBoyConsole], None]
    is_walk: bool = False


@dataclass(frozen=True, slots=True)
class Power:
    """Switch off and on again."""


class Saved(NamedTuple):
    """Begin at a saved moment, with what play had behind it by then and RAM does not show."""

    name: str
    known: tuple[str, ...]


Stage: TypeAlias = Play | Setting | Power | Saved


def stage_of(table: Mapping[str, Any]) -> Stage:
    """Return what one table of a start says; raises UsageError where it says nothing of the kind."""
    match table:
        case {"state": str(name)}:
            return _saved(name, table.get("known", ()))
        case {"play": demands}:
            return Play(condition(demands), table.get("frames", FRAMES))
        case {"set": values}:
            return _change(values)
        case {"walk": {"map": map_id, "to": [x, y]}}:
            return Setting(partial(walk_to, map_id=map_id, square=(x, y)), is_walk=True)
        case {"team": int(size)}:
            return Setting(partial(fill_team, size=size))
        case {"press": presses}:
            return Setting(partial(press, steps=steps_of(presses)))
        case {"power": "off and on"}:
            return Power()
        case _:
            pass
    message = (
        f"a start is one of after, state, play, set, team, walk, press and power, not {dict(table)}"
    )
    raise UsageError(message)


def _saved(name: str, known: Iterable[str]) -> Saved:
    if not NAME.fullmatch(name):
        message = f"{name!r} is no name of a saved moment; it is that of a file, without ending"
        raise UsageError(message)
    return Saved(name, tuple(known))


def _change(values: Mapping[str, Any]) -> Setting:
    data, bits = [], []
    for name, value in values.items():
        if name.startswith("event:"):
            bits.append((*event_place(name.removeprefix("event:")), bool(value)))
        else:
            data.append((address_of(name), bytes(value if isinstance(value, list) else [value])))
    return Setting(partial(change_ram, data=data, bits=bits))


def steps_of(presses: Iterable[str]) -> tuple[Step, ...]:
    """Return the steps that some presses are made of."""
    return tuple(step for press in presses for step in _parse(press))


def _parse(press: str) -> list[Step]:
    found = PRESS.fullmatch(press)
    if found is None:
        message = f"{press!r} is no press; write 'up 4 8', 'wait 30' or 'b 4 26 x10'"
        raise UsageError(message)
    waited, frames, button, hold, settle, times = found.groups()
    step = Step(None, 0, int(frames)) if waited else Step(Button(button), int(hold), int(settle))
    return [step] * int(times or 1)


SEED: Final = 3
MOMENTS: Final = "moments"
STATES: Final = "states"
SHA1: Final = re.compile(r"[0-9a-f]{40}")


class Count(NamedTuple):
    """How many times something may begin to be true; `says` is how the file spells the number."""

    when: Condition
    says: str
    allows: Callable[[int], bool]


@dataclass(frozen=True, slots=True)
class Played:
    """What is played by rules, and what must be true of it on the way."""

    play: Play
    never: tuple[Condition, ...] = ()
    counts: tuple[Count, ...] = ()


class Pressed(NamedTuple):
    """Presses, repeated until something is true where that is asked for, and what must be true then."""

    steps: tuple[Step, ...]
    until: Condition | None
    within: int
    then: Condition


@dataclass(frozen=True, slots=True)
class Scenario:
    """One file; `spelled` is its start as written, by which the derived state is cached.

    `after` is the shared moment that it follows, '' for none; `states` the folder of the moments that it
    names; `cartridge` the SHA-1 of the one that it is for, '' for any.
    """

    path: Path
    name: str
    pitfall: str
    says: str
    cartridge: str
    seed: int
    after: str
    states: Path
    start: tuple[Stage, ...]
    spelled: tuple[str, ...]
    body: Played | tuple[Pressed, ...]
    then: Condition


def read_scenarios(paths: Iterable[Path], states: Path | None = None) -> list[Scenario]:
    """Return the scenarios in these files, and in these folders without what lies deeper.

    Saved moments are looked for in `states`, else in the folder of that name beside each file.
    """
    if states is not None and not states.is_dir():
        message = f"--states {states} is no folder; name the one that holds the .redstate files"
        raise UsageError(message)
    files = [
        file
        for path in paths
        for file in (sorted(path.glob("*.toml")) if path.is_dir() else [path])
    ]
    return [read_scenario(file, states) for file in files]


def read_scenario(path: Path, states: Path | None = None) -> Scenario:
    """Return the scenario in a file; raises UsageError, naming the file, where it makes no sense."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        return _scenario(path, table, states or path.parent / STATES)
    except (OSError, tomllib.TOMLDecodeError, UsageError) as error:
        message = f"{path}: {error}"
        raise UsageError(message) from error
    except (KeyError, TypeError, ValueError) as error:
        message = f"{path}: {type(error).__name__}: {error}; see agent/tools/scenario/file.py"
        raise UsageError(message) from error


def _scenario(path: Path, table: Mapping[str, Any], states: Path) -> Scenario:
    start = list(_spelled_out(table, path.parent / MOMENTS))
    if ("play" in table) == ("steps" in table):
        raise UsageError("a scenario has either [play] or [[steps]]")
    stages = tuple(map(stage_of, start))
    if any(isinstance(each, Saved) for each in stages[1:]):
        raise UsageError("a saved moment is where a start begins; let `state` come first")
    body = _played(table["play"]) if "play" in table else tuple(map(_pressed, table["steps"]))
    return Scenario(
        path=path,
        name=path.stem,
        pitfall=table.get("pitfall", ""),
        says=table["says"],
        cartridge=_sha1(table.get("cartridge", "")),
        seed=table.get("seed", SEED),
        after=next((each["after"] for each in table.get("start", ()) if "after" in each), ""),
        states=states,
        start=stages,
        spelled=tuple(map(repr, start)),
        body=body,
        then=condition(table.get("then", {})),
    )


def _sha1(words: str) -> str:
    if words and not SHA1.fullmatch(words):
        message = f"cartridge = {words!r} is no SHA-1 of 40 small hexadecimal digits"
        raise UsageError(message)
    return words


def _spelled_out(table: Mapping[str, Any], moments: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the stages of a start, with those of the moment that it follows first."""
    for stage in table.get("start", ()):
        if "after" in stage:
            text = (moments / f"{stage['after']}.toml").read_text(encoding="utf-8")
            yield from _spelled_out(tomllib.loads(text), moments)
        else:
            yield stage


def _played(table: Mapping[str, Any]) -> Played:
    counts = [
        Count(condition(each["when"]), str(each["times"]), number_demand(each["times"]))
        for each in table.get("counts", ())
    ]
    met = number_demand(">= 1")
    counts += [Count(each, ">= 1", met) for each in map(condition, table.get("meets", ()))]
    until = condition(table["until"]) if "until" in table else None
    play = Play(until, table.get("frames", FRAMES), tuple(table.get("wants", ())))
    return Played(play, tuple(map(condition, table.get("never", ()))), tuple(counts))


def _pressed(table: Mapping[str, Any]) -> Pressed:
    until = table.get("until")
    return Pressed(
        steps=steps_of(table["press"]),
        until=condition(until) if until else None,
        within=table.get("within", 1),
        then=condition(table.get("then", {})),
    )


@dataclass(frozen=True, slots=True)
class Listed:
    """One scenario; `trouble` is why its saved moment cannot be used with this emulator, '' where it can."""

    name: str
    pitfall: str
    says: str
    start: str
    trouble: str = ""


def listed(scenario: Scenario) -> Listed:
    """Return what people want to know of a scenario."""
    first = scenario.start[0] if scenario.start else None
    start, trouble = (f"after moment {scenario.after}" if scenario.after else "power-on"), ""
    if isinstance(first, Saved):
        start = f"state {first.name}"
        try:
            made_by, sha1, frame = origin_of(state_path(scenario.states, first.name))
        except ScenarioError as error:
            trouble = str(error)
        else:
            start += f": {cartridge_name(sha1)}, frame {frame:,}, {made_by}"
            trouble = "" if made_by == EMULATOR else f"this is {EMULATOR}; record it again"
    return Listed(scenario.name, scenario.pitfall, scenario.says, start, trouble)
