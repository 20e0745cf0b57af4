"""The cartridge in an emulator, read only at the contract's addresses."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import pytest
from pyboy import PyBoy

from emulator import MenuKind, Phase, Ram, State, read_state
from emulator.cartridge import BANK_SIZE
from emulator.profile import RED, symbol, table
from emulator.pyboy_console import find_work_ram
from emulator.ram.menu import read_menu
from emulator.ram.view import HIGH_RAM, WORK_RAM
from tests.contract.sides import ENEMY, OWN, Side

CARTRIDGE: Final = Path(__file__).parents[2] / "roms" / "demo.gb"
ROM: Final = CARTRIDGE.read_bytes()
NOTHING_KEPT: Final = bytes(4 * 0x2000)
COLUMNS: Final = 20
ARROW: Final = 0xEE
SPACE: Final = 0x7F
FONT_LOADED: Final = 1
MAP_HEADER_POINTERS: Final = table("MapHeaderPointers")
MAP_HEADER_BANKS: Final = table("MapHeaderBanks")
HALT_AND_NOP: Final = bytes([0x76, 0x00])
BAG, STORED = "wNumBagItems", "wNumBoxItems"
FULL_BAG: Final = [(item, 1) for item in range(100, 120)]
OFFSETS: Final = {"down": (0, 1), "up": (0, -1), "left": (-1, 0), "right": (1, 0)}
FACINGS: Final = {"down": 0, "up": 4, "left": 8, "right": 12}
LETTERS: Final = {
    **{0x80 + i: chr(ord("A") + i) for i in range(26)},
    **{0xA0 + i: chr(ord("a") + i) for i in range(26)},
    **{0xF6 + i: str(i) for i in range(10)},
    SPACE: " ",
    0xE0: "'",
    0xE3: "-",
    0xE6: "?",
    0xE7: "!",
    0xE8: ".",
    0xF4: ",",
    0x9C: ":",
    0xED: ">",
    0xEC: ")",
    ARROW: "v",
    0xBD: "'s",
    0xBE: "'t",
}


class Place(NamedTuple):
    """A square of a map."""

    map: int
    x: int
    y: int


class Game:
    """A power-on of the cartridge with its battery RAM, a joypad, and RAM by label."""

    def __init__(self, battery: bytes = NOTHING_KEPT) -> None:
        self.pyboy: Any = PyBoy(
            str(CARTRIDGE), window="null", sound_emulated=False, ram_file=io.BytesIO(battery)
        )
        self.pyboy.set_emulation_speed(0)
        work_ram = find_work_ram(self.pyboy.memory)  # quicker than a slice of the memory
        assert work_ram
        self.work_ram = work_ram
        self.frames = 0
        self.own, self.enemy = Side(self, OWN), Side(self, ENEMY)

    def stop(self) -> None:
        self.pyboy.stop(save=False)

    def save(self) -> bytes:
        file = io.BytesIO()
        self.pyboy.save_state(file)
        return file.getvalue()

    def load(self, state: bytes) -> Game:
        self.pyboy.load_state(io.BytesIO(state))
        return self

    def tick(self, frames: int = 1) -> Game:
        self.pyboy.tick(frames, False)
        self.frames += frames
        return self

    def hold(self, button: str) -> Game:
        self.pyboy.button_press(button)
        return self

    def release(self, button: str) -> Game:
        self.pyboy.button_release(button)
        return self

    def press(self, *buttons: str, hold: int = 4, settle: int = 8) -> Game:
        """Press one button after the other."""
        for button in buttons:
            self.hold(button).tick(hold).release(button).tick(settle)
        return self

    def hold_until(self, button: str, condition: Callable[[], bool], within: int) -> Game:
        """Hold a button until `condition` holds."""
        return self.hold(button).wait(condition, within).release(button)

    def frames_until(self, condition: Callable[[], bool], within: int) -> int:
        """Tick until `condition` holds and return the frames it took."""
        for frame in range(within):
            if condition():
                return frame
            self.tick()
        pytest.fail(f"not within {within} frames at {self.place}:\n{self.text}")

    def wait(self, condition: Callable[[], bool], within: int) -> Game:
        """Tick until `condition` holds."""
        self.frames_until(condition, within)
        return self

    def until_free(self, on_map: int | None = None, within: int = 400) -> Game:
        """Tick until the player can walk, on a map if one is named."""
        return self.wait(lambda: self.is_free and on_map in {None, self.place.map}, within)

    def read_until(self, condition: Callable[[], bool], within: int = 6000) -> Game:
        """Press B repeatedly until `condition` holds."""
        for _ in range(within // 30):
            if condition():
                return self
            self.press("b", settle=26)
        pytest.fail(self.text)

    def to_cursor(self, place: tuple[int, int], within: int = 120) -> Game:
        """Tick until the cursor is at a place of the screen."""
        return self.wait(lambda: self.cursor == place, within).tick(2)

    def at(self, address: int) -> int:
        return int(self.pyboy.memory[address])

    def block(self, label: str, size: int | None = None) -> bytes:
        start = symbol(label)
        end = start + (size or RED.ram[label].size or 1)
        return bytes(self.pyboy.memory[start:end])

    def byte(self, label: str, offset: int = 0) -> int:
        return self.at(symbol(label) + offset)

    def word(self, label: str) -> int:
        return int.from_bytes(self.block(label, 2), "little")

    def number(self, label: str) -> int:
        """Return a big-endian number of two bytes."""
        return int.from_bytes(self.block(label, 2), "big")

    def poke_number(self, label: str, value: int) -> None:
        self.poke(label, value.to_bytes(2))

    def poke(self, label: str, value: int | bytes, offset: int = 0) -> Game:
        """Write one or several bytes."""
        data = bytes([value]) if isinstance(value, int) else value
        for at, byte in enumerate(data, symbol(label) + offset):
            self.pyboy.memory[at] = byte
        return self

    def set_items(self, label: str, stacks: Iterable[tuple[int, int]]) -> Game:
        listed = [byte for stack in stacks for byte in stack]
        return self.poke(label, bytes([len(listed) // 2, *listed, 0xFF]))

    def items(self, label: str) -> list[tuple[int, int]]:
        """Return the stacks of an item list, which must end where its count says."""
        *listed, end = self.block(label, 2 + 2 * self.byte(label))[1:]
        assert end == 0xFF
        return list(zip(listed[::2], listed[1::2], strict=True))

    @property
    def bag(self) -> list[tuple[int, int]]:
        """The items in the bag and their quantities."""
        return self.items(BAG)

    @bag.setter
    def bag(self, stacks: Iterable[tuple[int, int]]) -> None:
        self.set_items(BAG, stacks)

    @property
    def money(self) -> int:
        return int(self.block("wPlayerMoney", 3).hex())

    @money.setter
    def money(self, amount: int) -> None:
        self.poke("wPlayerMoney", bytes.fromhex(f"{amount:06}"))

    def flag(self, label: str, number: int) -> bool:
        """Return a bit of a flag array."""
        return bool(self.byte(label, number // 8) & 1 << number % 8)

    def has_happened(self, *events: int) -> bool:
        return all(self.flag("wEventFlags", event) for event in events)

    def set_event(self, *events: int) -> Game:
        """Set events without playing them."""
        for event in events:
            byte = self.byte("wEventFlags", event // 8) | 1 << event % 8
            self.poke("wEventFlags", byte, event // 8)
        return self

    def rom(self, bank: int, address: int, size: int) -> bytes:
        start = address if address < BANK_SIZE else (bank - 1) * BANK_SIZE + address
        return ROM[start : start + size]

    def tile(self, x: int, y: int) -> int:
        return self.byte("wTileMap", COLUMNS * y + x)

    @property
    def text(self) -> str:
        """The screen as letters; other tiles are `_`, edges of boxes `#`."""
        tiles = self.block("wTileMap")
        letters = [LETTERS.get(tile, "_" if tile < 0x60 else "#") for tile in tiles]
        return "\n".join("".join(letters[i : i + COLUMNS]) for i in range(0, 360, COLUMNS))

    @property
    def ram(self) -> Ram:
        """The RAM that the agent's readers get."""
        at, size = HIGH_RAM
        high = bytes(self.pyboy.memory[at : at + size])
        return Ram([(WORK_RAM[0], bytes(self.work_ram)), (at, high)])

    @property
    def state(self) -> State:
        """This moment as the agent's readers decode it."""
        return read_state(self.ram, self.frames)

    def phase(self) -> Phase | None:
        """Return the phase of the battle as the agent's readers decode it; None without a battle."""
        battle = self.state.battle
        return battle.phase if battle else None

    def menu_kind(self) -> MenuKind | None:
        """Return the kind of the menu as the agent's readers decode it."""
        menu = read_menu(self.ram)
        return menu.kind if menu else None

    @property
    def place(self) -> Place:
        return Place(self.byte("wCurMap"), self.byte("wXCoord"), self.byte("wYCoord"))

    @property
    def is_loaded(self) -> bool:
        """Whether the map in RAM is that of wCurMap; while a door's fade lasts it is the one before."""
        number = self.place.map
        (bank,) = self.rom(MAP_HEADER_BANKS.bank, MAP_HEADER_BANKS.address + number, 1)
        header = int.from_bytes(self.rom(0, MAP_HEADER_POINTERS.address + 2 * number, 2), "little")
        return self.rom(bank, header + 1, 4) == self.block("wCurMapHeight", 4)

    @property
    def is_free(self) -> bool:
        """Whether the player stands on the grid and input is accepted."""
        return self.is_loaded and not any(
            (
                self.byte("wCurOpponent") and not self.byte("wIsInBattle"),
                self.byte("wWalkCounter"),
                self.byte("wJoyIgnore"),
                self.byte("wIgnoreInputCounter"),
                self.byte("wFontLoaded") & FONT_LOADED,
                self.byte("wStatusFlags5") & 0xA0,
            )
        )

    @property
    def said(self) -> str:
        """The text of the message box, in one line."""
        rows = self.text.splitlines()
        return " ".join((rows[14][1:19] + " " + rows[16][1:19]).rstrip("v ").split())

    @property
    def is_talking(self) -> bool:
        """Whether a text box is open."""
        return bool(self.byte("wFontLoaded"))

    @property
    def cursor(self) -> tuple[int, int] | None:
        """The position of the filled cursor on the screen."""
        where = self.block("wTileMap").find(0xED)
        return None if where < 0 else (where % COLUMNS, where // COLUMNS)

    @property
    def has_arrow(self) -> bool:
        return self.tile(18, 16) == ARROW

    def read_to_the_end(self, pages: int = 30) -> list[str]:
        """Press B until no text box is open; return the screens that were waiting."""
        seen: list[str] = []
        for _ in range(pages):
            self.tick(160)
            if not self.byte("wFontLoaded") & FONT_LOADED:
                return seen
            seen.append(self.text)
            self.press("b")
        pytest.fail(f"the text does not end:\n{self.text}")

    def read_all(self) -> str:
        """Press A and read to the end; return all text, in one line."""
        self.press("a")
        return " ".join(" ".join(self.read_to_the_end()).replace("#", " ").split())

    def sprite(self, slot: int) -> tuple[int, int]:
        """Return the x and y of the square of a map object."""
        base = 16 * slot
        return (
            self.byte("wSpriteStateData2", base + 5) - 4,
            self.byte("wSpriteStateData2", base + 4) - 4,
        )

    @property
    def toggles(self) -> dict[int, int]:
        """The toggle of each slot of the map that has one."""
        data = self.block("wToggleableObjectList").split(b"\xff")[0]
        return dict(zip(data[::2], data[1::2], strict=True))

    def is_away(self, slot: int) -> bool:
        """Whether a map object is hidden by its toggle."""
        return self.flag("wToggleableObjectFlags", self.toggles[slot])

    @property
    def people(self) -> set[tuple[int, int]]:
        return {self.sprite(slot) for slot in range(1, self.byte("wNumSprites") + 1)}

    def step_tile(self, x: int, y: int) -> int:
        """Return the collision tile of a square: bottom left, from the live blocks."""
        stride = self.byte("wCurMapWidth") + 6
        block = self.byte("wOverworldMap", (y // 2 + 3) * stride + x // 2 + 3)
        address = self.word("wTilesetBlocksPtr") + 16 * block
        return self.rom(self.byte("wTilesetBank"), address, 16)[(2 * y + 1) % 4 * 4 + 2 * x % 4]

    @property
    def passable(self) -> bytes:
        return self.rom(0, self.word("wTilesetCollisionPtr"), 0x60).split(b"\xff")[0]

    def is_open(self, x: int, y: int) -> bool:
        width, height = 2 * self.byte("wCurMapWidth"), 2 * self.byte("wCurMapHeight")
        return 0 <= x < width and 0 <= y < height and self.step_tile(x, y) in self.passable

    @property
    def open_squares(self) -> set[tuple[int, int]]:
        """The squares of this map that can be walked on."""
        width, height = self.byte("wCurMapWidth"), self.byte("wCurMapHeight")
        at, live, passable = (
            self.word("wTilesetBlocksPtr"),
            self.block("wOverworldMap"),
            self.passable,
        )
        tiles = self.rom(self.byte("wTilesetBank"), at, 16 * 0x100)
        # Of a block's 16 tiles, those at the bottom left of its four squares.
        corners = {(0, 0): 4, (1, 0): 6, (0, 1): 12, (1, 1): 14}
        return {
            (2 * x + right, 2 * y + low)
            for y in range(height)
            for x in range(width)
            for (right, low), corner in corners.items()
            if tiles[16 * live[(y + 3) * (width + 6) + x + 3] + corner] in passable
        }

    @property
    def warps(self) -> list[tuple[int, int, int]]:
        """Return x, y and destination map of each warp."""
        data = self.block("wWarpEntries")[: 4 * self.byte("wNumberOfWarps")]
        return [(data[i + 1], data[i], data[i + 3]) for i in range(0, len(data), 4)]

    @property
    def signs(self) -> list[tuple[int, int]]:
        data = self.block("wSignCoords")[: 2 * self.byte("wNumSigns")]
        return [(data[i + 1], data[i]) for i in range(0, len(data), 2)]

    def route(self, x: int, y: int) -> list[str] | None:
        """Return the shortest way without people and, before its end, without warps."""
        start = self.place[1:]
        ground = self.open_squares
        closed = self.people | {(wx, wy) for wx, wy, _ in self.warps if (wx, wy) != (x, y)}
        came: dict[tuple[int, int], tuple[tuple[int, int], str]] = {start: (start, "")}
        queue = deque([start])
        while queue:
            here = queue.popleft()
            if here == (x, y):
                return trace(came, here)
            for direction, (dx, dy) in OFFSETS.items():
                there = (here[0] + dx, here[1] + dy)
                if there in ground and there not in came and there not in closed:
                    came[there] = (here, direction)
                    queue.append(there)
        return None

    def step(self, direction: str) -> bool:
        """Hold a direction until the place changes; return False when something blocks it."""
        before = self.place
        self.hold(direction)
        for _ in range(24):
            self.tick()
            if self.place != before or self.byte("wJoyIgnore"):
                break
        self.release(direction)
        self.tick(4)
        self.wait(lambda: self.is_free, 400)
        return self.place != before

    def go(self, x: int, y: int) -> Game:
        """Walk to a square of the map, around people; the last square may be a warp."""
        here = self.place.map
        for _ in range(400):
            if (self.place.x, self.place.y) == (x, y) or self.place.map != here:
                return self
            for direction in self.route(x, y) or ():
                if not self.step(direction) or self.place.map != here:
                    break  # a person is in the way now, or it was a warp
            else:
                if self.place[1:] != (x, y):
                    self.tick(20)
        pytest.fail(f"cannot walk from {self.place} to {(x, y)}")

    def face(self, direction: str) -> Game:
        """Turn without stepping: the square ahead must be blocked."""
        self.press(direction, hold=2, settle=6)
        assert self.byte("wSpriteStateData1", 9) == FACINGS[direction]
        return self

    def go_beside(self, x: int, y: int) -> Game:
        """Stand next to a square, facing it."""
        for direction, (dx, dy) in OFFSETS.items():
            spot = (x - dx, y - dy)
            if spot not in self.people and self.is_open(*spot) and self.route(*spot) is not None:
                return self.go(*spot).face(direction)
        pytest.fail(f"nothing open beside {(x, y)} on map {self.place.map}")


Start: TypeAlias = Callable[[str], Game]  # returns the game at a named moment of the story


def trace(
    came: dict[tuple[int, int], tuple[tuple[int, int], str]], here: tuple[int, int]
) -> list[str]:
    """Return the directions that lead to `here`."""
    way: list[str] = []
    while came[here][1]:
        here, direction = came[here]
        way.insert(0, direction)
    return way


def halting_share(game: Game, frames: int = 300) -> float:
    """Return the share of frames in which the halt instruction of bank 0 is reached."""
    home = game.rom(0, 0, 0x3FFF)
    reached = [False]

    def note(_: object) -> None:
        reached[0] = True

    places = [i for i in range(0x150, 0x3FFE) if home[i : i + 2] == HALT_AND_NOP]
    for place in places:  # the nop right after it; a hook on the halt itself never wakes
        game.pyboy.hook_register(0, place + 1, note, None)
    count = 0
    for _ in range(frames):
        reached[0] = False
        game.tick()
        count += reached[0]
    for place in places:
        game.pyboy.hook_deregister(0, place + 1)
    return count / frames
