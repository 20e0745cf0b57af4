"""Fixtures of the contract tests: games at moments of the story, and the compiled world."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.contract import battles
from tests.contract.even_battle import enter
from tests.contract.game import NOTHING_KEPT, Game, Start
from tests.contract.random_bytes import Dice, rolled_dice
from tests.contract.story_moments import MOMENTS
from tests.contract.world_rom import Map, Rom, compile_world, made_maps, read_rom


@pytest.fixture
def power_on() -> Iterator[Callable[..., Game]]:
    """Return new games with a given battery RAM; they are switched off at the end of the test."""
    games: list[Game] = []

    def switch_on(battery: bytes = NOTHING_KEPT) -> Game:
        games.append(Game(battery))
        return games[-1]

    yield switch_on
    for game in games:
        game.stop()


@pytest.fixture(scope="session")
def _console() -> Iterator[Game]:
    game = Game()
    yield game
    game.stop()


@pytest.fixture(scope="session")
def _states() -> dict[str, bytes]:
    """States of the requested moments, each reached by playing, once."""
    return {}


@pytest.fixture
def start(_console: Game, _states: dict[str, bytes]) -> Iterator[Start]:
    """Return the game at a named moment."""
    for button in ("up", "down", "left", "right", "a", "b", "start", "select"):
        _console.release(button)
    traveller: list[Game] = []

    def moment(name: str) -> bytes:
        if name not in _states:
            before, travel = MOMENTS[name]
            if not traveller:
                traveller.append(Game())
            if before:
                traveller[0].load(moment(before))
            _states[name] = travel(traveller[0]).save()
        return _states[name]

    yield lambda name: _console.load(moment(name))
    for game in traveller:
        game.stop()


@pytest.fixture
def bedroom(start: Start) -> Game:
    """The bedroom, with text printed without delay."""
    return battles.hurry(start("bedroom"))


@pytest.fixture
def battle(start: Start) -> Game:
    """A battle of two sturdy, nearly equal Pokemon."""
    return enter(start)


@pytest.fixture
def dice(_console: Game) -> Iterator[Dice]:
    """Control of the random numbers from here on."""
    with rolled_dice(_console) as dice:
        yield dice


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the freshly compiled world."""
    return compile_world(tmp_path_factory.mktemp("world"), "1")


@pytest.fixture(scope="session")
def rom(compiled: Path) -> Rom:
    return read_rom(compiled)


@pytest.fixture(scope="session")
def maps(rom: Rom) -> dict[int, Map]:
    return made_maps(rom)
