"""One map as ROM bytes: header, blocks, objects, text table and texts, all in one bank."""

from collections.abc import Mapping
from typing import NamedTuple

from world.banks import Place, Placement, pointer
from world.creature_names import spelled
from world.errors import WorldError
from world.font import Font
from world.maps import Map
from world.neighbours import arrival, record
from world.people import TRAINERS_END, trainer_header
from world.texts import script
from world.tilesets import Blockset, Tileset

CONNECTION_BITS = {"north": 8, "south": 4, "west": 2, "east": 1}
RETURN = b"\xc9"  # a map script that does nothing
TRAINERS = "trainer headers"
SPRITE_SHIFT = 4  # stored coordinates of people are greater by this


class Drawn(NamedTuple):
    """The parts of a map whose bytes do not depend on their place."""

    source: Map
    tileset_id: int
    blocks: bytes
    objects: bytes
    texts: tuple[bytes, ...]
    changes: tuple[int, ...]  # block ids, in the order of the source

    @property
    def size(self) -> int:
        """Bytes of all parts together."""
        return sum(size for _, size in self.parts())

    def parts(self) -> list[tuple[str, int]]:
        """Return the name and size of each part, in order."""
        return [
            ("header", 12 + 11 * len(self.source.connections)),
            ("blocks", len(self.blocks)),
            ("objects", len(self.objects)),
            ("script", len(RETURN)),
            (TRAINERS, 12 * len(self.source.trainers) + 1 if self.source.trainers else 0),
            ("text table", 2 * len(self.texts)),
            *(
                (f"text {name}", len(t))
                for name, t in zip(self.source.texts, self.texts, strict=True)
            ),
        ]

    def places(self, start: Place) -> dict[str, Place]:
        """Return the place of each part when the first lies at `start`."""
        places, address = {}, start.address
        for name, size in self.parts():
            places[name] = Place(start.bank, address)
            address += size
        return places


class Words(NamedTuple):
    """The meanings of the words in a map's source."""

    font: Font
    pictures: Mapping[str, int]
    creatures: Mapping[str, int]


def draw(source: Map, tileset: Tileset, blockset: Blockset, words: Words) -> Drawn:
    """Return the parts of `source`."""
    where = f"maps/{source.name}.toml"
    outside = tileset.step(source.border, where)
    border = blockset.block(outside, outside, outside, outside)
    steps = [[tileset.step(name, where) for name in row] for row in source.rows]
    blocks = bytes(
        blockset.block(upper[x], upper[x + 1], lower[x], lower[x + 1])
        for upper, lower in zip(steps[::2], steps[1::2], strict=True)
        for x in range(0, len(upper), 2)
    )
    texts = tuple(
        text if isinstance(text, bytes) else _text(text, words, f"{where}, text {name!r}")
        for name, text in source.texts.items()
    )
    changes = tuple(
        blockset.block(*(tileset.step(name, where) for row in change.rows for name in row))
        for change in source.changes
    )
    number = tileset.ids[0] if source.tileset_id is None else source.tileset_id
    if number not in tileset.ids:
        message = f"{where}: tileset {tileset.name!r} does not include id {number}"
        raise WorldError(message)
    objects = _objects(source, border, words.pictures)
    return Drawn(source, number, blocks, objects, texts, changes)


def _text(markup: str, words: Words, where: str) -> bytes:
    return script(spelled(markup, words.creatures, where), words.font, where)


def _objects(source: Map, border: int, pictures: Mapping[str, int]) -> bytes:
    data = bytearray([border, len(source.warps)])
    for warp in source.warps:
        data += bytes([warp.y, warp.x, warp.entrance, warp.target])
    data.append(len(source.signs))
    for sign in source.signs:
        data += bytes([sign.y, sign.x, source.text_id(sign.text)])
    data.append(len(source.people))
    for person in source.people:
        place = (person.y + SPRITE_SHIFT, person.x + SPRITE_SHIFT)
        text = source.text_id(person.text) | person.flags
        data += bytes([pictures[person.picture], *place, *person.movement, text]) + person.extra
    for warp in source.warps:
        data += arrival(source.width, warp.x, warp.y)
    return bytes(data)


def placed(drawn: Drawn, starts: Mapping[int, Place], maps: Mapping[int, Drawn]) -> list[Placement]:
    """Return the placements of one map, given where each map starts."""
    source, places = drawn.source, drawn.places(starts[drawn.source.id])
    data = {
        "header": _header(drawn, places, starts, maps),
        "blocks": drawn.blocks,
        "objects": drawn.objects,
        "script": RETURN,
        TRAINERS: _trainers(source, places),
        "text table": b"".join(pointer(places[f"text {name}"].address) for name in source.texts),
    }
    for name, text in zip(source.texts, drawn.texts, strict=True):
        data[f"text {name}"] = text
    return [
        Placement(places[part].offset, content, f"map {source.name}: {part}")
        for part, content in data.items()
        if content
    ]


def _trainers(source: Map, places: Mapping[str, Place]) -> bytes:
    addresses = {name: places[f"text {name}"].address for name in source.texts}
    headers = b"".join(trainer_header(each, addresses) for each in source.trainers)
    return headers + TRAINERS_END if headers else b""


def _header(
    drawn: Drawn,
    places: Mapping[str, Place],
    starts: Mapping[int, Place],
    maps: Mapping[int, Drawn],
) -> bytes:
    source = drawn.source
    flags = sum(CONNECTION_BITS[connection.direction] for connection in source.connections)
    data = bytes([drawn.tileset_id, source.height, source.width])
    for part in ("blocks", "text table", "script"):
        data += pointer(places[part].address)
    data += bytes([flags])
    for connection in source.connections:
        there = maps[connection.target]
        blocks = there.places(starts[there.source.id])["blocks"]
        data += record(source, connection, there.source, blocks)
    return data + pointer(places["objects"].address)
