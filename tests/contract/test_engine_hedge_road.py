"""Hedge Road and what lies behind its doors: houses that say which road is outside."""

from __future__ import annotations

from typing import Final

import pytest

from tests.contract.game import Game, Start
from tests.contract.test_engine_ground import led_to

HEDGE_ROAD, DITCH_ROAD = 16, 17
HEDGE_HOUSE, TUNNEL, DITCH_HOUSE = 71, 119, 74
SORREL_ROAD = 14
DOORS: Final = {HEDGE_ROAD: (9, 6), DITCH_ROAD: (15, 6)}  # where one comes out


def leave(game: Game, direction: str, wanted: int) -> Game:
    """Hold a direction until another map has begun, which must be the wanted one."""
    here = game.place.map
    game.hold_until(direction, lambda: game.place.map != here, 400)
    game.wait(lambda: game.is_free, 400)
    assert game.place.map == wanted
    return game


class TestTunnel:
    """The tunnel between two roads, and the houses at its ends."""

    @pytest.mark.parametrize(
        ("house", "road"), [(HEDGE_HOUSE, HEDGE_ROAD), (DITCH_HOUSE, DITCH_ROAD)]
    )
    @pytest.mark.parametrize("came_from", [HEDGE_ROAD, DITCH_ROAD, SORREL_ROAD])
    def test_a_house_leads_to_its_own_road_wherever_one_came_from(
        self, start: Start, house: int, road: int, came_from: int
    ) -> None:
        game = led_to(start("bedroom"), house, 2)
        game.poke("wLastMap", came_from)
        game.tick(4)
        assert game.byte("wLastMap") == road
        leave(game.go(2, 4), "down", road)
        assert game.place[1:] == DOORS[road]

    def test_the_tunnel_joins_the_houses(self, start: Start) -> None:
        game = led_to(start("bedroom"), TUNNEL, 0)
        game.go(22, 1)
        game.wait(lambda: game.is_free and game.place.map == DITCH_HOUSE, 400)
        game.go(2, 2).go(1, 2)
        game.wait(lambda: game.is_free and game.place.map == TUNNEL, 400)
        assert game.place[1:] == (22, 1)
