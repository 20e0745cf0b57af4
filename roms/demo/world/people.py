"""People and objects on a map: their TOML form as immutable records, and trainer headers in bytes."""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from world.banks import pointer
from world.errors import WorldError

STAY, WALK = 0xFF, 0xFE
MOVES = {"any": 0x00, "vertical": 0x01, "horizontal": 0x02}
FACES = {"down": 0xD0, "up": 0xD1, "left": 0xD2, "right": 0xD3}
TRAINER, ITEM = 0x40, 0x80
BOULDER = 0x10  # as movement byte 2
TOGGLES = {"hidden": 0x11, "shown": 0x15}
EVENT_FLAGS = 0xD747
TRAINER_TEXTS = ("before", "after", "win", "lose")  # the order of a header
TRAINERS_END = b"\xff"

Table: TypeAlias = Mapping[str, Any]


class Person(NamedTuple):
    """A person or thing on the map; `extra` holds a trainer's or an item's bytes."""

    name: str  # for macros; may be empty
    x: int
    y: int
    picture: str
    movement: tuple[int, int]
    text: str
    flags: int
    extra: bytes
    toggle: int | None  # the initial state, None for those that cannot be hidden
    trainer: str  # the key of the texts in [trainers]; empty for the others
    sight: int
    event: int


def person(table: Table) -> Person:
    """Return the person of a [[people]] table."""
    moving = "moves" in table
    is_boulder = table.get("boulder", False)
    if moving:
        movement = (WALK, MOVES[table["moves"]])
    else:
        movement = (STAY, BOULDER if is_boulder else FACES[table["faces"]])
    (x, y), text, flags, extra = table["at"], table["text"], 0, b""
    is_trainer = "trainer" in table
    shown = table.get("toggle", "shown" if table.get("item") or is_boulder else None)
    if "toggle" in table and "name" not in table:
        message = f"the person at {[x, y]} has a toggle and so needs a name"
        raise WorldError(message)
    if is_trainer:
        flags, extra = TRAINER, bytes(table["trainer"])
    elif "item" in table:
        flags, extra = ITEM, bytes([table["item"]])
    return Person(
        name=table.get("name", ""),
        x=x,
        y=y,
        picture=table["picture"],
        movement=movement,
        text=trainer_text(text, "before") if is_trainer else text,
        flags=flags,
        extra=extra,
        toggle=None if shown is None else TOGGLES[shown],
        trainer=text if is_trainer else "",
        sight=table["sight"] if is_trainer else 0,
        event=table["event"] if is_trainer else 0,
    )


def trainer_text(trainer: str, part: str) -> str:
    """Return the name of a trainer's text among the texts of the map."""
    return f"{trainer}_{part}"


def trainer_texts(table: Table) -> dict[str, str]:
    """Return the texts of every trainer of a [trainers] table, by their names in the map."""
    for trainer, texts in table.items():
        if set(texts) != set(TRAINER_TEXTS):
            message = f"trainer {trainer!r} needs the texts {', '.join(TRAINER_TEXTS)}, no more"
            raise WorldError(message)
    return {
        trainer_text(trainer, part): texts[part]
        for trainer, texts in table.items()
        for part in TRAINER_TEXTS
    }


def trainer_header(trainer: Person, addresses: Mapping[str, int]) -> bytes:
    """Return a trainer's header of 12 bytes; `addresses` are those of the map's texts."""
    byte, bit = divmod(trainer.event, 8)
    texts = (addresses[trainer_text(trainer.trainer, part)] for part in TRAINER_TEXTS)
    head = bytes([bit, trainer.sight << 4]) + pointer(EVENT_FLAGS + byte)
    return head + b"".join(pointer(address) for address in texts)
