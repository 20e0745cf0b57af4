"""Rehearsals of Pokemon Red from facts: the model of `agent.lab.rehearse` on the ground, the people and the teams of the facts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, cast

from agent.app.build import GameParts
from agent.lab.rehearse.console import ModelConsole
from agent.lab.rehearse.game import ModelGame
from agent.lab.rehearse.play import RehearsedGame, rehearse_on
from agent.lab.rehearse.scripts import ScriptBook
from agent.lab.rehearse.skills import ModelSkills
from agent.story.story import Story
from emulator import Cartridge, CartridgeKind, Console, Dex, MapSquare, Ram, State, World
from emulator.console import WATCHED_RANGES
from emulator.ram.view import layout_of
from emulator.world import SightLine
from tests.emulator.synthetic.cartridge import build
from tests.emulator.synthetic.facts import FOLDER, event_numbers, load, real_maps
from tests.red_model.ground import RedGround

SHA1: Final = "ea9bcae617fdf159b045185467ae58b2e4a48b9a"
BEDROOM: Final = 38, 3, 6
IO: Final = bytes(
    [0xE3, 0, 0, 0, 0, 0, 0, 0xE4, 0, 0, 0, 0]
)  # rLCDC and rBGP of a picture that is shown
KEY: Final = "ITEM_CARD_KEY"  # what opens the doors that are no event's


@cache
def cartridge() -> Cartridge:
    """Return the image made of facts, which cannot run."""
    return Cartridge(Path("red.gb"), build(), "POKEMON RED", SHA1, CartridgeKind.RED)


@cache
def ground() -> RedGround:
    """Return the ground of Red."""
    return RedGround(World.of(cartridge()))


@cache
def sights() -> Mapping[int, Mapping[int, SightLine]]:
    """Return the sight of trainers and overworld Pokemon by map and sprite slot."""
    events = event_numbers()
    return {
        each["id"]: {
            who["i"]: SightLine(who.get("sight", 0), events[who["event"]])
            for who in each["objects"]
            if who["kind"] in ("trainer", "pokemon") and who.get("event") in events
        }
        for each in real_maps()
    }


@dataclass(frozen=True)
class Block:
    """Squares that a script opens or shuts: by an event, and whether it opens them."""

    squares: tuple[MapSquare, ...]
    opener: str
    opens: bool


@cache
def blocks() -> tuple[Block, ...]:
    """Return what scripts open and shut on the maps."""
    found = []
    for map_id, row in load("regions.json")["maps"].items():
        for door in row.get("dynamic", ()):
            name, _, value = door["open_when"].partition("=")
            squares = tuple((int(map_id), x, y) for x, y in door["cells"])
            found.append(Block(squares, name, value != "0"))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class FactWorld(World):
    """The world of Red in which events say what is open, instead of the blocks in RAM, which facts do not have."""

    def seen(self, state: State) -> World:
        """Return this world with what the events of a state open and shut."""
        return ground().variant(self.plain, _opened(state.flags.events), self.passes)

    def sight_lines(self, state: State) -> Mapping[int, SightLine]:
        """Return the sight of the trainers on the player's map by sprite slot."""
        return sights().get(state.map.map_id, {})


@cache
def _opened(events: bytes) -> Mapping[MapSquare, str]:
    """Return the squares that are of another class after some events."""
    return dict(_kinds(events))


def _kinds(events: bytes) -> Iterator[tuple[MapSquare, str]]:
    for block in blocks():
        first = [ground().kind(square) for square in block.squares]
        for square, kind in zip(block.squares, first, strict=True):
            if block.opener == KEY:
                yield square, "L"
                continue
            number = event_numbers()[block.opener]
            if bool(events[number >> 3] >> (number & 7) & 1) is not block.opens:
                yield square, "#"
            elif kind == "#":
                yield square, "A" if "A" in first else "."


@cache
def plain_world() -> FactWorld:
    """Return the world with nothing opened or shut."""
    world = ground().plain({}, {})
    return FactWorld(**{each.name: getattr(world, each.name) for each in fields(World)})


class SwitchedOff:
    """In place of an emulator: the RAM of a new game, in which the player is in control."""

    cartridge = cartridge()
    frame = 0

    def ram(self) -> Ram:
        """Return the RAM of the bedroom."""
        work, high = (
            (FOLDER / "wram" / f"bedroom_new_game.{kind}").read_bytes() for kind in ("wram", "hram")
        )
        return Ram.of_layout(layout_of(WATCHED_RANGES), work[:0x2000] + IO + high[:0x7F])

    def close(self) -> None:
        """Do nothing."""


def game_of_red(seed: int) -> ModelGame:
    """Return a new game in the bedroom."""
    return _console(seed).begin(plain_world())


def rehearse_red(
    seed: int, until: str, ways: Mapping[str, int] = MappingProxyType({})
) -> RehearsedGame:
    """Play a game of Red in the model, from the bedroom to a milestone; `ways` are choices that are made for it."""
    console = _console(seed)
    console.begin(plain_world()).enter(*BEDROOM)
    parts = GameParts(
        Story.of(CartridgeKind.RED), plain_world(), Dex.of(cartridge()), seed, {}, ModelSkills()
    )
    return rehearse_on(console, parts, until, {"choices": {"made": dict(ways)}} if ways else None)


def _console(seed: int) -> ModelConsole:
    # The doors of the model open blocks of an image, of which facts have none.
    story, book = Story.of(CartridgeKind.RED), ScriptBook.of(CartridgeKind.RED)
    off = cast("Console", SwitchedOff())
    return ModelConsole(off, story, replace(book, doors=()), seed)
