"""Recorded games replay step by step; `python -m tests.recorded_games` plays them all."""

from tests.recorded_games import play_recorded, recorded_games

SHORTEST = min(recorded_games(), key=lambda game: game.ticks)


def test_a_recorded_game_replays_step_by_step() -> None:
    assert SHORTEST.mind == "claude"  # rules, and advice
    assert play_recorded(SHORTEST.name) == SHORTEST
