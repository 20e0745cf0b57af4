"""The names that scenario files use for what a moment shows, and how each is read.

A plain name is one value (`map`, `money`); `family:which` is one of many (`event:got_starter`,
`hp:0`, `ram:wGrassRate`). What a moment does not have, such as the HP of an empty place in the team, is -1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from agent.errors import UsageError
from emulator import RED, PartyMon, State

Value: TypeAlias = int | str | bool
Reading: TypeAlias = Callable[["Seen"], Value]

ABSENT: Final = -1
BADGES: Final = 8
ITEMS: Final = 0x100
MOVES: Final = 0x100


@dataclass(frozen=True, slots=True)
class Seen:
    """A moment; `doing` is what the agent had decided, empty where nobody plays by rules.

    `gains` counts the ticks of play that brought what was never there before, as an event or a level;
    `episodes` the times that play got nowhere, which is known when it has ended.
    """

    state: State
    place: str
    milestones: tuple[str, ...] = ()
    doing: str = ""
    goal: str = ""
    gains: int = 0
    episodes: int = 0


def reading(name: str) -> Reading:
    """Return how `name` is read from a moment; raises UsageError when nothing is called so."""
    family, colon, which = name.partition(":")
    if not colon and name in _PLAIN:
        return _PLAIN[name]
    if colon and family in _FAMILIES:
        try:
            return _FAMILIES[family](which)
        except (KeyError, ValueError) as error:
            message = f"{name!r} names no {family} that exists ({error})"
            raise UsageError(message) from error
    known = ", ".join([*sorted(_PLAIN), *(f"{each}:..." for each in sorted(_FAMILIES))])
    message = f"nothing of a moment is called {name!r}; there are {known}"
    raise UsageError(message)


def address_of(label: str) -> int:
    """Return the address of `wLabel` or `wLabel+offset`; a KeyError when there is no such label."""
    base, _, offset = label.partition("+")
    return RED.ram[base].address + int(offset or "0", 0)


def event_place(name: str) -> tuple[int, int]:
    """Return address and bit of an event; a KeyError when there is none of that name."""
    number = RED.events[name]
    return RED.ram["wEventFlags"].address + number // 8, number % 8


def _battle(seen: Seen) -> str:
    battle = seen.state.battle
    return battle.kind.name.lower() if battle is not None else "none"


def _phase(seen: Seen) -> str:
    battle = seen.state.battle
    return battle.phase.name.lower() if battle is not None else "none"


def _own_position(seen: Seen) -> int:
    battle = seen.state.battle
    return battle.own.position if battle is not None and battle.own is not None else ABSENT


def _own_hp(seen: Seen) -> int:
    battle = seen.state.battle
    return battle.own.hp if battle is not None and battle.own is not None else ABSENT


def _enemy_hp(seen: Seen) -> int:
    battle = seen.state.battle
    return battle.enemy.hp if battle is not None and battle.enemy is not None else ABSENT


def _menu(seen: Seen) -> str:
    menu = seen.state.menu
    return menu.kind.name.lower() if menu is not None else "none"


def _menu_at(seen: Seen) -> int:
    menu = seen.state.menu
    return menu.index if menu is not None else ABSENT


def _met(seen: Seen) -> int:
    """Return the slot of whoever stands on the square ahead."""
    ahead, facing = seen.state.position, seen.state.map.facing
    square = (ahead.x + facing.dx, ahead.y + facing.dy)
    people = seen.state.people_present
    return next((each.slot for each in people if each.position == square), ABSENT)


def _result(seen: Seen) -> str:
    result = seen.state.battle_result
    return result.name.lower() if result is not None else "none"


def _of_party(read: Callable[[PartyMon], int]) -> Callable[[str], Reading]:
    def family(which: str) -> Reading:
        slot = int(which)

        def of(seen: Seen) -> int:
            party = seen.state.party
            return read(party[slot]) if slot < len(party) else ABSENT

        return of

    return family


def _ailment(mon: PartyMon) -> int:
    status = mon.status
    flags = (status.poisoned, status.burned, status.frozen, status.paralyzed)
    return status.sleep + sum(8 << bit for bit, is_set in enumerate(flags) if is_set)


def _milestone(which: str) -> Reading:
    return lambda seen: which in seen.milestones


def _event(which: str) -> Reading:
    number = RED.events[which]
    return lambda seen: seen.state.flags.is_set(number)


def _badge(which: str) -> Reading:
    number = range(BADGES)[int(which)]
    return lambda seen: number in seen.state.player.badges


def _item(which: str) -> Reading:
    number = range(ITEMS)[int(which)]
    return lambda seen: seen.state.bag.quantity(number)


def _knows(which: str) -> Reading:
    number = range(MOVES)[int(which)]
    return lambda seen: any(
        slot.move == number for mon in seen.state.party.mons for slot in mon.moves
    )


def _ram(which: str) -> Reading:
    address = address_of(which)
    return lambda seen: seen.state.ram.byte(address)


def _person(which: str) -> Reading:
    slot = int(which)

    def of(seen: Seen) -> str:
        people = seen.state.people_present
        where = next((each.position for each in people if each.slot == slot), None)
        return f"{where.x},{where.y}" if where is not None else "hidden"

    return of


_PLAIN: Final[Mapping[str, Reading]] = {
    "started": lambda seen: seen.state.game_started,
    "in_control": lambda seen: seen.state.in_control,
    "in_battle": lambda seen: seen.state.in_battle,
    "battle": _battle,
    "phase": _phase,
    "result": _result,
    "own_position": _own_position,
    "own_hp": _own_hp,
    "enemy_hp": _enemy_hp,
    "place": lambda seen: seen.place,
    "map": lambda seen: seen.state.map.map_id,
    "x": lambda seen: seen.state.map.x,
    "y": lambda seen: seen.state.map.y,
    "facing": lambda seen: seen.state.map.facing.name.lower(),
    "person_ahead": _met,
    "screen": lambda seen: seen.state.screen_type.value,
    "screen_text": lambda seen: seen.state.screen_text,
    "dialogue": lambda seen: seen.state.dialogue.is_open,
    "waiting": lambda seen: seen.state.dialogue.waiting.value,
    "text": lambda seen: seen.state.dialogue.text,
    "menu": _menu,
    "menu_at": _menu_at,
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

_FAMILIES: Final[Mapping[str, Callable[[str], Reading]]] = {
    "milestone": _milestone,
    "event": _event,
    "badge": _badge,
    "item": _item,
    "knows": _knows,
    "ram": _ram,
    "person": _person,
    "hp": _of_party(lambda mon: mon.hp),
    "max_hp": _of_party(lambda mon: mon.stats.hp),
    "level": _of_party(lambda mon: mon.level),
    "exp": _of_party(lambda mon: mon.exp),
    "species": _of_party(lambda mon: mon.species),
    "status": _of_party(_ailment),
    "moves": _of_party(lambda mon: len(mon.moves)),
    "pp": _of_party(lambda mon: sum(slot.pp for slot in mon.moves)),
}
