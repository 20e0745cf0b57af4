"""One recorded game played again, as a job."""

from tests.proofs.workers import Row
from tests.recorded_games import play_recorded, recorded_games


def recorded_job(number: int) -> Row:
    """Play a recorded game again, and compare its end."""
    game = recorded_games()[number % 1_000_000]
    played = play_recorded(game.name)
    return {
        "name": game.name,
        "ticks": played.ticks,
        "chain": played.chain,
        "problems": [] if played == game else [f"{played} is not {game}"],
    }
