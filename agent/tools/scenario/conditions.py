"""Conditions of scenario files: the names of game values, their readers, and the demands on them.

A plain name is one value (`map`, `money`); `family:which` is one of several (`event:got_starter`, `hp:0`,
`ram:wGrassRate`). A value that does not exist, such as the HP of an empty team slot, is -1.

`x = 5` demands equality. A string may begin with an operator: `"> 3"`, `"!= title"`, `"has soup"`, `"lacks soup"`.
After an operator, a number may be `start`, the value at the start, with one operation: `">= start - 2"`.
"""

import operator
import re
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, NamedTuple, TypeAlias

from agent.errors import UsageError
from emulator import RED, PartyMon, State

Value: TypeAlias = int | str | bool
ValueReader: TypeAlias = Callable[["GameSnapshot"], Value]

ABSENT: Final = -1
NONE: Final = "none"


@dataclass(frozen=True, slots=True)
class GameSnapshot:
    """The game at one tick; `doing` is the decision of the agent, empty when the rules do not play.

    `gains` counts the ticks that made progress for the first time, such as a new event or level;
    `episodes` counts the times play got stuck, known only at its end.
    """

    state: State
    place: str
    milestones: tuple[str, ...] = ()
    doing: str = ""
    goal: str = ""
    gains: int = 0
    episodes: int = 0


def value_reader(name: str) -> ValueReader:
    """Return the reader of the value `name`; raises UsageError for an unknown name."""
    family, colon, which = name.partition(":")
    if not colon and name in _PLAIN:
        return _PLAIN[name]
    if colon and family in _FAMILIES:
        which_of, read = _FAMILIES[family]
        try:
            one = which_of(which)
        except (KeyError, ValueError) as error:
            raise UsageError(f"{name!r} names an unknown {family} ({error})") from error
        return lambda seen: read(seen, one)
    known = ", ".join([*sorted(_PLAIN), *(f"{each}:..." for each in sorted(_FAMILIES))])
    raise UsageError(f"unknown value {name!r}; there are {known}")


def address_of(label: str) -> int:
    """Return the address of `wLabel` or `wLabel+offset`; raises KeyError for an unknown label."""
    base, _, offset = label.partition("+")
    return RED.ram[base].address + int(offset or "0", 0)


def event_place(name: str) -> tuple[int, int]:
    """Return address and bit of an event; raises KeyError for an unknown name."""
    number = RED.events[name]
    return RED.ram["wEventFlags"].address + number // 8, number % 8


def _part(path: str, absent: Value) -> ValueReader:
    """Return a reader of a state field by its dotted path, which gives `absent` when a part of the path is None."""

    def read(seen: GameSnapshot) -> Value:
        value: Any = seen.state
        for name in path.split("."):
            value = getattr(value, name)
            if value is None:
                return absent
        found: Value = value.name.lower() if isinstance(value, Enum) else value
        return found

    return read


def _person_ahead(seen: GameSnapshot) -> int:
    """Return the slot of the person on the square ahead, or ABSENT."""
    ahead, facing = seen.state.position, seen.state.map.facing
    square = (ahead.x + facing.dx, ahead.y + facing.dy)
    people = seen.state.people_present
    return next((each.slot for each in people if each.position == square), ABSENT)


def _of_party(read: Callable[[PartyMon], int]) -> "_Family":
    """Return a family of values, one for each team slot."""

    def of(seen: GameSnapshot, slot: int) -> int:
        party = seen.state.party
        return read(party[slot]) if slot < len(party) else ABSENT

    return int, of


def _status_byte(mon: PartyMon) -> int:
    status = mon.status
    flags = (status.poisoned, status.burned, status.frozen, status.paralyzed)
    return status.sleep + sum(8 << bit for bit, is_set in enumerate(flags) if is_set)


def _below(limit: int) -> Callable[[str], int]:
    return lambda which: range(limit)[int(which)]


def _knows(seen: GameSnapshot, move: int) -> bool:
    return any(slot.move == move for mon in seen.state.party.mons for slot in mon.moves)


def _person(seen: GameSnapshot, slot: int) -> str:
    people = seen.state.people_present
    where = next((each.position for each in people if each.slot == slot), None)
    return f"{where.x},{where.y}" if where is not None else "hidden"


_PLAIN: Final[Mapping[str, ValueReader]] = {
    "started": lambda seen: seen.state.game_started,
    "in_control": lambda seen: seen.state.in_control,
    "in_battle": lambda seen: seen.state.in_battle,
    "battle": _part("battle.kind", NONE),
    "phase": _part("battle.phase", NONE),
    "result": _part("battle_result", NONE),
    "own_position": _part("battle.own.position", ABSENT),
    "own_hp": _part("battle.own.hp", ABSENT),
    "enemy_hp": _part("battle.enemy.hp", ABSENT),
    "place": lambda seen: seen.place,
    "map": lambda seen: seen.state.map.map_id,
    "x": lambda seen: seen.state.map.x,
    "y": lambda seen: seen.state.map.y,
    "facing": lambda seen: seen.state.map.facing.name.lower(),
    "person_ahead": _person_ahead,
    "screen": lambda seen: seen.state.screen_type.value,
    "screen_text": lambda seen: seen.state.screen_text,
    "dialogue": lambda seen: seen.state.dialogue.is_open,
    "waiting": lambda seen: seen.state.dialogue.waiting.value,
    "text": lambda seen: seen.state.dialogue.text,
    "menu": _part("menu.kind", NONE),
    "menu_at": _part("menu.index", ABSENT),
    "party": lambda seen: len(seen.state.party),
    "able": lambda seen: sum(not mon.fainted for mon in seen.state.party.mons),
    "bag": lambda seen: len(seen.state.bag),
    "money": lambda seen: seen.state.player.money,
    "badges": lambda seen: seen.state.player.badge_count,
    "name": lambda seen: seen.state.player.name,
    "home": lambda seen: seen.state.flags.blackout_map,
    "used_center": lambda seen: seen.state.flags.used_center,
    "doing": lambda seen: seen.doing,
    "goal": lambda seen: seen.goal,
    "gains": lambda seen: seen.gains,
    "episodes": lambda seen: seen.episodes,
}

# For each family: how to parse the text after the colon, and how to read the value.
_Family: TypeAlias = tuple[Callable[[str], Any], Callable[[GameSnapshot, Any], Value]]
_FAMILIES: Final[Mapping[str, _Family]] = {
    "milestone": (str, lambda seen, which: which in seen.milestones),
    "event": (RED.events.__getitem__, lambda seen, number: seen.state.flags.is_set(number)),
    "badge": (_below(8), lambda seen, number: number in seen.state.player.badges),
    "item": (_below(0x100), lambda seen, number: seen.state.bag.quantity(number)),
    "knows": (_below(0x100), _knows),
    "ram": (address_of, lambda seen, address: seen.state.ram.byte(address)),
    "person": (int, _person),
    "hp": _of_party(lambda mon: mon.hp),
    "max_hp": _of_party(lambda mon: mon.stats.hp),
    "level": _of_party(lambda mon: mon.level),
    "exp": _of_party(lambda mon: mon.exp),
    "species": _of_party(lambda mon: mon.species),
    "status": _of_party(_status_byte),
    "moves": _of_party(lambda mon: len(mon.moves)),
    "pp": _of_party(lambda mon: sum(slot.pp for slot in mon.moves)),
}


DEMAND_PATTERN: Final = re.compile(r"(==|!=|>=|<=|>|<|has|lacks) (.*)", re.DOTALL)
START: Final = re.compile(r"start(?: +([-+*/]) +(\d+))?")
ORDER: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "has": operator.contains,
    "lacks": lambda whole, part: part not in whole,
}
CHANGE: Final[Mapping[str, Callable[[int, int], int]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
}


class Demand(NamedTuple):
    """A demand on one named value; `description` is its text in the file."""

    name: str
    description: str
    order: Callable[[Any, Any], bool]
    wanted: Callable[[Value], Value]  # from the value at the start
    read: ValueReader

    def holds(self, now: GameSnapshot, start: GameSnapshot) -> bool:
        """Return whether the demand is met now."""
        found, wanted = self.read(now), self.wanted(self.read(start))
        return type(found) is type(wanted) and self.order(found, wanted)

    def failure(self, now: GameSnapshot, start: GameSnapshot) -> str:
        """Return a line with the current value and the demand it fails."""
        began = f" (it began as {self.read(start)!r})" if "start" in self.description else ""
        return f"{self.name} is {self.read(now)!r}, which is not {self.description}{began}"


@dataclass(frozen=True, slots=True)
class Condition:
    """Demands that must all hold at one tick."""

    checks: tuple[Demand, ...]

    def holds(self, now: GameSnapshot, start: GameSnapshot) -> bool:
        """Return whether every demand is met now."""
        return all(check.holds(now, start) for check in self.checks)

    def failures(self, now: GameSnapshot, start: GameSnapshot) -> list[str]:
        """Return one line for each demand that is not met."""
        return [each.failure(now, start) for each in self.checks if not each.holds(now, start)]

    def __str__(self) -> str:
        return ", ".join(f"{check.name} {check.description}" for check in self.checks)


def condition(table: object) -> Condition:
    """Return the condition in a table of a file; raises UsageError when it cannot be parsed."""
    if not isinstance(table, Mapping):
        message = f"{reprlib.repr(table)} is not a condition; write it as {{ name = value }}"
        raise UsageError(message)
    return Condition(tuple(_check(name, wanted) for name, wanted in table.items()))


def number_demand(wanted: int | str) -> Callable[[int], bool]:
    """Return a test of a number against a demand, which is a number or begins with an operator."""
    sign, rest = _split(wanted)
    try:
        limit = int(rest)
    except ValueError as error:
        raise UsageError(f"{wanted!r} is not a demand on a number") from error
    return lambda number: ORDER[sign](number, limit)


def _check(name: str, wanted: Value) -> Demand:
    sign, rest = _split(wanted)
    relative = START.fullmatch(str(rest)) if rest is not wanted else None
    is_number = isinstance(rest, str) and sign not in {"has", "lacks"}
    value = int(rest) if is_number and re.fullmatch(r"-?\d+", str(rest)) else rest
    target = _from_start(relative) if relative else lambda _start: value
    return Demand(name, f"{sign} {rest}", ORDER[sign], target, value_reader(name))


def _split(wanted: Value) -> tuple[str, Value]:
    found = DEMAND_PATTERN.fullmatch(wanted) if isinstance(wanted, str) else None
    return (found[1], found[2]) if found else ("==", wanted)


def _from_start(found: re.Match[str]) -> Callable[[Value], Value]:
    sign, amount = found[1], found[2]
    if sign is None:
        return lambda start: start
    return lambda start: CHANGE[sign](int(start), int(amount))
