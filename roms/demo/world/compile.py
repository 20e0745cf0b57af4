"""Compile the world: `placements()` for the image, `write_headers(directory)` for the engine.

`python -m world.compile DIRECTORY` writes world.h, world.bin and world.csv, for inspection and tests
"""

import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from world import (
    cast,
    cut_tables,
    font,
    font_tables,
    ground_tables,
    hidden_tables,
    landings,
    map_macros,
    map_tables,
    maps,
    neighbours,
    sprites,
    texts,
    tileset_tables,
    tilesets,
    title,
    town_map_tables,
)
from world.banks import Place, Placement, Rooms, checked, place_of, pointer, whole_banks
from world.errors import WorldError
from world.font import END
from world.mapdata import Words, draw
from world.tiles import one_bit

__all__ = ["Placement", "placements", "write_headers"]

SOURCES = Path(__file__).parent
IMAGE_SIZE = 1 << 20
MAP_BANKS = (48, 49, 50)
PICTURE_BANKS = (52,)
CREATURE_BANK = 53
TEXT_BANK = TRAINER_BANK = 51  # trainers are stored after the system's texts
TILESET_BANKS = (54, 55)
START = {"MAP": 38, "X": 3, "Y": 6, "LAST_MAP": 0}
FALLBACK_MAP = 244  # shown for ids without a map
SPRITE_PALETTE, SCREEN_PALETTE = 0xD0, 0xE4
END_KEY = 0xF0


@dataclass(frozen=True, slots=True)
class World:
    """The compiled world: bytes for the cartridge, macros for the engine."""

    placements: list[Placement]
    macros: dict[str, str]


def placements() -> list[Placement]:
    """Return the world's bytes by file offset, sorted and free of overlaps."""
    return list(_world().placements)


def write_headers(directory: Path) -> None:
    """Write `world.h` into `directory`."""
    lines = [f"#define {name} {value}" for name, value in _world().macros.items()]
    guard = "/* Made by roms/demo/world/compile.py. */\n#ifndef WORLD_H\n#define WORLD_H\n\n"
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "world.h").write_text(
        guard + "\n".join(lines) + "\n\n#endif\n", encoding="ascii", newline="\n"
    )


@cache
def _world() -> World:
    letters = font.load(SOURCES / "font.txt")
    made: list[Placement] = []
    macros = {f"START_{name}": str(value) for name, value in START.items()}
    made += font_tables.placements(letters, font.load(SOURCES / "hud.txt"))
    sheets = sprites.load_all(SOURCES / "sprites")
    demo_cast = cast.load()
    creatures = {name: each.index for name, each in demo_cast.species.items()}
    made += _maps(Words(letters, sprites.ids(sheets), creatures), macros)
    words = whole_banks(TEXT_BANK)
    _system_texts(letters, words, made, macros)
    pictures = whole_banks(*PICTURE_BANKS)
    _sprite_sheets(sheets, pictures, made, macros)
    _title(letters, pictures, made, macros)
    _strings(letters, macros)
    _cast(demo_cast, letters, words, made, macros)
    return World(checked(made), macros)


def _maps(words: Words, macros: dict[str, str]) -> list[Placement]:
    sources = maps.load_all(SOURCES / "maps")
    by_id = {each.id: each for each in sources}
    if len(by_id) != len(sources):
        message = f"maps: two have the same id: {[(each.id, each.name) for each in sources]}"
        raise WorldError(message)
    neighbours.check(by_id)
    sets = tilesets.load_all(SOURCES / "tilesets")
    blocks = {name: tilesets.Blockset() for name in sets}
    drawn = {
        each.id: draw(each, sets[each.tileset], blocks[each.tileset], words) for each in sources
    }
    rooms = whole_banks(*MAP_BANKS)
    made = list(map_tables.placements(drawn, FALLBACK_MAP, rooms, words.creatures))
    macros |= map_macros.macros(sources) | map_macros.changes(drawn.values())
    ground = ground_tables.lay(drawn, rooms)
    macros |= ground.macros
    headers = next(each for each in made if each.name == map_tables.TRAINER_LIST)
    macros |= _located("TRAINER_HEADERS", place_of(headers.offset))
    return [
        *made,
        *landings.placements(by_id),
        *town_map_tables.placements(sources, words.font),
        *hidden_tables.placements(sources),
        *ground.placements,
        *cut_tables.placements(sets, blocks),
        *tileset_tables.placements(sets, blocks, whole_banks(*TILESET_BANKS)),
    ]


def _system_texts(
    letters: font.Font, rooms: Rooms, made: list[Placement], macros: dict[str, str]
) -> None:
    source = tomllib.loads((SOURCES / "texts.toml").read_text(encoding="utf-8"))
    table, pointers = rooms.take(2 * len(source), "system texts"), b""
    macros |= _located("SYSTEM_TEXTS", table)
    macros["SYSTEM_TEXTS_COUNT"] = str(len(source))
    for number, (name, markup) in enumerate(source.items()):
        data = texts.script(markup, letters, f"texts.toml, {name!r}")
        place = rooms.take(len(data), name)
        made.append(Placement(place.offset, data, f"system text {name}"))
        pointers += pointer(place.address)
        macros[f"TEXT_{name.upper()}"] = str(number)
    made.append(Placement(table.offset, pointers, "system texts"))


def _sprite_sheets(
    sheets: list[sprites.Sheet], rooms: Rooms, made: list[Placement], macros: dict[str, str]
) -> None:
    table, entries = rooms.take(3 * len(sheets), "sprite sheets"), b""
    macros |= _located("SPRITE_SHEETS", table)
    macros["SPRITE_SHEETS_COUNT"] = str(len(sheets))
    macros["SPRITE_PALETTE"], macros["SCREEN_PALETTE"] = hex(SPRITE_PALETTE), hex(SCREEN_PALETTE)
    for sheet in sheets:
        place = rooms.take(len(sheet.data()), sheet.name)
        if place.bank != table.bank:
            message = f"sprites/{sheet.name}.txt: the bank of sprite sheets is full"
            raise WorldError(message)
        made.append(Placement(place.offset, sheet.data(), f"sprite {sheet.name}"))
        entries += pointer(place.address) + bytes([4 * len(sheet.frames)])
        macros[f"PICTURE_{sheet.name.upper()}"] = str(sheet.id)
    made.append(Placement(table.offset, entries, "sprite sheets"))


def _title(letters: font.Font, rooms: Rooms, made: list[Placement], macros: dict[str, str]) -> None:
    drawn = title.load(SOURCES / "title.txt", SOURCES / "title.toml", letters)
    end_key = one_bit(font.load(SOURCES / "keys.txt").tile(END_KEY))
    parts = {"TITLE_TILES": drawn.tiles, "TITLE_MAP": drawn.cells, "ED_TILE": end_key}
    for name, data in parts.items():
        place = rooms.take(len(data), name)
        made.append(Placement(place.offset, data, name.lower().replace("_", " ")))
        macros |= _located(name, place)
    macros["TITLE_TILES_COUNT"] = str(drawn.tile_count)


def _strings(letters: font.Font, macros: dict[str, str]) -> None:
    source = tomllib.loads((SOURCES / "strings.toml").read_text(encoding="utf-8"))
    for name, text in source.items():
        codes = letters.encode(text)
        macros[f"STR_{name.upper()}"] = ", ".join(f"0x{code:02X}" for code in (*codes, END))
        macros[f"STR_{name.upper()}_LENGTH"] = str(len(codes))


def _cast(
    demo_cast: cast.Cast,
    letters: font.Font,
    trainer_rooms: Rooms,
    made: list[Placement],
    macros: dict[str, str],
) -> None:
    made += cast.placements(demo_cast, letters, whole_banks(CREATURE_BANK), trainer_rooms)
    macros |= cast.macros(demo_cast)
    macros["CREATURE_PICS_BANK"] = str(CREATURE_BANK)
    macros["TRAINER_PICS_BANK"] = str(TRAINER_BANK)


def _located(name: str, place: Place) -> dict[str, str]:
    return {f"{name}_BANK": str(place.bank), f"{name}_ADDR": f"0x{place.address:04X}"}


def _export(directory: Path) -> None:
    write_headers(directory)
    image = bytearray(IMAGE_SIZE)
    rows = ["offset,size,name"]
    for place in placements():
        image[place.offset : place.offset + len(place.data)] = place.data
        rows.append(f'0x{place.offset:06X},{len(place.data)},"{place.name}"')
    (directory / "world.bin").write_bytes(image)
    (directory / "world.csv").write_text("\n".join(rows) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    try:
        _export(Path(sys.argv[1]))
    except (IndexError, WorldError) as error:
        sys.exit(f"python -m world.compile DIRECTORY: {error}")
