"""A moment of a game as numbers alone, and back in RAM: no names, texts, pictures or bytes of a cartridge.

Knows which records of RAM make up a game. Knows nothing of files.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Final

from emulator.model.ground import MapInRam
from emulator.model.ram import REPEL, encode_name
from emulator.profile import symbol
from emulator.ram import control, flags, party, player
from emulator.ram import map as at
from emulator.ram.party import PartyMon
from emulator.ram.player import Stack
from emulator.ram.state import State

# Rows of bits: the start and the number of bytes.
BITS: Final = {
    "events": (flags.EVENTS, flags.EVENT_BYTES),
    "hidden": (flags.HIDDEN, flags.HIDDEN_SIZE),
    "owned": (flags.OWNED, flags.OWNED_SIZE),
    "visited": (at.VISITED_TOWNS, 2),
    "badges": (player.BADGES, 1),
}
BYTES: Final = {
    "facing": at.FACING,
    "travel": at.TRAVEL,
    "last_map": control.LAST_MAP,
    "darkness": control.DARKNESS,
    "home": flags.BLACKOUT_MAP,
    "status_1": flags.STATUS_FLAGS_1,
    "status_4": flags.STATUS_FLAGS_4,
    "rival_starter": player.RIVAL_STARTER,
    "repel": REPEL,
    "safari_balls": player.SAFARI_BALLS,
    "first_switch": flags.FIRST_SWITCH,
    "second_switch": flags.SECOND_SWITCH,
    "options": symbol("wOptions"),
}
CONTROL: Final = {
    control.PLAYER_PICTURE: 1,  # a game is being played
    control.LCDC: control.SCREEN_ON,
    control.BGP: control.PALETTE,
}
PLACEHOLDER: Final = "RED"  # instead of the names that the player gave
OWN: Final = 1  # the id of the player, instead of the one in the game
OTHER: Final = 2  # of a Pokemon that was traded
ROWS: Final = {
    "status": party.Status,
    "stat_exp": party.Stats,
    "dvs": party.Dvs,
    "stats": party.Stats,
}


def moment_of(state: State) -> dict[str, Any]:
    """Return a moment in which the player is in control as numbers."""
    ram, here, box = state.ram, state.map, state.box
    return {
        "map": here.map_id,
        "x": here.x,
        "y": here.y,
        **{name: ram.byte(address) for name, address in BYTES.items()},
        **{name: _bits(ram.span(*row)) for name, row in BITS.items()},
        "scripts": [[place, step] for place, step in enumerate(state.flags.scripts) if step],
        "money": state.player.money,
        "safari_steps": state.safari.steps,
        "bag": [[*stack] for stack in state.bag.items],
        "team": [_member(mon, state.player.player_id) for mon in state.party.mons],
        "box": {"number": box.number, "mons": [[*mon] for mon in box.mons]},
        "people": [[each.slot, each.x, each.y] for each in state.people],
    }


def _bits(row: bytes) -> list[int]:
    return [
        8 * place + bit for place, byte in enumerate(row) for bit in range(8) if byte >> bit & 1
    ]


def _member(mon: PartyMon, own_id: int) -> dict[str, Any]:
    numbers = asdict(mon)
    del numbers["nickname"]
    return {**numbers, "ot_id": OWN if mon.ot_id == own_id else OTHER}


def put_moment(here: MapInRam, moment: Mapping[str, Any], name_of: Callable[[int], str]) -> None:
    """Write a moment into RAM; its Pokemon have the names that `name_of` gives their species.

    Raises LookupError, TypeError, ValueError or OverflowError when it is not one that `moment_of` returned.
    """
    ram = here.ram
    for address, value in CONTROL.items():
        ram.put_byte(address, value)
    here.lay(moment["map"], moment["x"], moment["y"], frozenset())
    for name, address in BYTES.items():
        ram.put_byte(address, moment[name])
    for name, (start, size) in BITS.items():
        row = bytearray(size)
        for bit in moment[name]:
            row[bit >> 3] |= 1 << (bit & 7)
        ram.put(start, bytes(row))
    for place, step in moment["scripts"]:
        ram.put_script(place, step)
    ram.put_money(moment["money"])
    ram.put(player.SAFARI_STEPS, moment["safari_steps"].to_bytes(2, "big"))
    ram.put_bag(Stack(*each) for each in moment["bag"])
    for address in (player.PLAYER_NAME, player.RIVAL_NAME):
        ram.put(address, encode_name(PLACEHOLDER))
    ram.put(player.PLAYER_ID, OWN.to_bytes(2, "big"))
    ram.put_party([_mon(each, name_of(each["species"])) for each in moment["team"]])
    box = moment["box"]
    ram.put_box(box["number"], box["mons"])
    for slot, x, y in moment["people"]:
        place = at.DATA_2 + at.SLOT_SIZE * slot
        ram.put_byte(place + at.MAP_X, x + at.BORDER)
        ram.put_byte(place + at.MAP_Y, y + at.BORDER)


def _mon(member: Mapping[str, Any], name: str) -> PartyMon:
    rows = {row: kind(*member[row]) for row, kind in ROWS.items()}
    moves = tuple(party.MoveSlot(*each) for each in member["moves"])
    types = tuple(member["types"])
    return PartyMon(**{**member, **rows, "moves": moves, "types": types, "nickname": name})
