"""Percepts of the demo that minds in tests receive."""

from collections.abc import Iterator

import pytest

from agent.perception.percept import Percept
from tests.agent.support import Played, game_at


@pytest.fixture(scope="session")
def percept(played: Played) -> Iterator[Percept]:
    """Yield a percept in which the player is in control and has a team."""
    with game_at(played.folder, lambda state: state.in_control and len(state.party) > 0) as game:
        yield Percept(1, game.state, "", 1.0, (), None, None)
