"""The stages of a start: what each is, and how a file spells it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from agent.errors import UsageError
from agent.scenario.check import Condition, condition
from agent.scenario.readings import address_of, event_place
from emulator import Button, Step

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


@dataclass(frozen=True, slots=True)
class Change:
    """Change bytes or single bits of RAM: what would take long to bring about by play."""

    data: tuple[tuple[int, bytes], ...]
    bits: tuple[tuple[int, int, bool], ...]  # address, bit, whether it is set


@dataclass(frozen=True, slots=True)
class Walk:
    """Walk to a square of a map."""

    map_id: int
    square: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Press:
    """Press these, one after the other."""

    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Team:
    """Have the first of the team so many times over."""

    size: int


@dataclass(frozen=True, slots=True)
class Power:
    """Switch off and on again."""


@dataclass(frozen=True, slots=True)
class Saved:
    """Begin at a saved moment, with what play had behind it by then and RAM does not show."""

    name: str
    known: tuple[str, ...]


Setting: TypeAlias = Change | Team | Walk | Press
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
            return Walk(map_id, (x, y))
        case {"team": int(size)}:
            return Team(size)
        case {"press": presses}:
            return Press(steps_of(presses))
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


def _change(values: Mapping[str, Any]) -> Change:
    data, bits = [], []
    for name, value in values.items():
        if name.startswith("event:"):
            bits.append((*event_place(name.removeprefix("event:")), bool(value)))
        else:
            data.append((address_of(name), bytes(value if isinstance(value, list) else [value])))
    return Change(tuple(data), tuple(bits))


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
