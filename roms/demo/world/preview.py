"""Draw the world as pictures in `roms/demo/build/preview`, for inspection: python -m world.preview (in `roms/demo`).

Needs pillow, which the compiler does not.
"""

from collections.abc import Iterable

from PIL import Image

from world import cast, creature_pictures, font, maps, sprites, tilesets, title
from world.art import Picture, picture, sections
from world.compile import SOURCES
from world.people import FACES

SHADES = ((255, 255, 255), (170, 170, 170), (85, 85, 85), (0, 0, 0))
SPRITE_SHADES = (None, SHADES[0], SHADES[1], SHADES[3])
OUTPUT = SOURCES.parent / "build" / "preview"
GAP = 1
FACES_RIGHT = FACES["right"]  # the mirrored left frame
FRAME_FACING = {FACES["up"]: 1, FACES["left"]: 2, FACES_RIGHT: 2}


def paint(image: Image.Image, drawing: Picture, x: int, y: int) -> None:
    """Paint a background drawing."""
    for row, dots in enumerate(drawing):
        for column, colour in enumerate(dots):
            image.putpixel((x + column, y + row), SHADES[colour])


def paint_sprite(image: Image.Image, drawing: Picture, x: int, y: int) -> None:
    """Paint a sprite's drawing; colour 0 is transparent."""
    for row, dots in enumerate(drawing):
        for column, colour in enumerate(dots):
            shade = SPRITE_SHADES[colour]
            if shade is not None and 0 <= y + row < image.height:
                image.putpixel((x + column, y + row), shade)


def sheet(drawings: Iterable[Picture], *, columns: int, size: int) -> Image.Image:
    """Return drawings side by side on grey."""
    listed = list(drawings)
    pitch = size + GAP
    rows = -(-len(listed) // columns)
    image = Image.new("RGB", (columns * pitch + GAP, rows * pitch + GAP), (120, 160, 200))
    for number, drawing in enumerate(listed):
        row, column = divmod(number, columns)
        paint(image, drawing, column * pitch + GAP, row * pitch + GAP)
    return image


def town(
    each: maps.Map, tileset: tilesets.Tileset, people: dict[str, sprites.Sheet]
) -> Image.Image:
    """Return a complete map with its people in their initial places."""
    image = Image.new("RGB", (16 * len(each.rows[0]), 16 * len(each.rows)), SHADES[0])
    for y, row in enumerate(each.rows):
        for x, name in enumerate(row):
            for part, tile in enumerate(tileset.steps[name]):
                place = (16 * x + 8 * (part % 2), 16 * y + 8 * (part // 2))
                paint(image, tileset.tiles[tile], *place)
    for person in each.people:
        frames = people[person.picture].frames
        facing = FRAME_FACING.get(person.movement[1], 0) if len(frames) > 1 else 0
        frame = frames[facing]
        if person.movement[1] == FACES_RIGHT:
            frame = tuple(row[::-1] for row in frame)
        paint_sprite(image, frame, 16 * person.x, 16 * person.y - 4)
    return image


def screen(cells: bytes, drawn: list[Picture], letters: font.Font) -> Image.Image:
    """Return the title screen."""
    image = Image.new("RGB", (160, 144))
    for number, cell in enumerate(cells):
        tile = letters.tile(cell) if cell >= 0x60 else drawn[cell]
        paint(image, tile, 8 * (number % 20), 8 * (number // 20))
    return image


def save(image: Image.Image, name: str, *, scale: int = 1) -> None:
    """Write a picture and print its path."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    size = (image.width * scale, image.height * scale)
    image.resize(size, Image.Resampling.NEAREST).save(OUTPUT / f"{name}.png")
    print(OUTPUT / f"{name}.png")


def main() -> None:
    """Draw everything."""
    letters = font.load(SOURCES / "font.txt")
    save(sheet((letters.tile(c) for c in range(0x60, 0x100)), columns=16, size=8), "font", scale=3)
    people = {each.name: each for each in sprites.load_all(SOURCES / "sprites")}
    frames = Image.new("RGB", (6 * 20, 20 * len(people)), (220, 220, 220))
    for row, person in enumerate(people.values()):
        for column, frame in enumerate(person.frames):
            paint_sprite(frames, frame, 20 * column + 2, 20 * row + 2)
    save(frames, "sprites", scale=4)
    sets = tilesets.load_all(SOURCES / "tilesets")
    for name, tileset in sets.items():
        drawings = (tileset.tiles.get(number, ((2,) * 8,) * 8) for number in range(0x60))
        save(sheet(drawings, columns=16, size=8), f"tileset-{name}", scale=3)
    for each in maps.load_all(SOURCES / "maps"):
        save(town(each, sets[each.tileset], people), f"map-{each.name}", scale=3)
    drawn = [picture(section, size=8) for section in sections(SOURCES / "title.txt")]
    cells = title.load(SOURCES / "title.txt", SOURCES / "title.toml", letters).cells
    save(screen(cells, drawn, letters), "title", scale=3)
    demo_cast = cast.load()
    views = (
        view
        for name in (*demo_cast.species, *demo_cast.trainers)
        for view in creature_pictures.load(cast.SOURCES / "pictures", name)
    )
    save(sheet(views, columns=6, size=creature_pictures.SIZE), "creatures", scale=4)


if __name__ == "__main__":
    main()
