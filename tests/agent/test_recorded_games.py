"""Known games are played again, step by step as they were; `python -m tests.recorded_games` plays them all."""

import pytest

from tests.recorded_games import RecordedGame, play_recorded, recorded_games

GAMES = recorded_games()
ADVISED = [each for each in GAMES if each.name.startswith("claude")]
SHORTEST = [min(games, key=lambda game: game.ticks) for games in (GAMES[: -len(ADVISED)], ADVISED)]


@pytest.mark.parametrize("game", SHORTEST, ids=lambda game: game.name)
def test_a_recorded_game_is_played_again_step_by_step(game: RecordedGame) -> None:
    assert play_recorded(game.name) == game
