"""`python -m hours.toured ARGS`: the command line as ever, but play goes on a tour once the story is told, and has no end."""

from typing import Any

from kills.watch import around

from agent.__main__ import run
from agent.app import play
from agent.app.play import NEVER
from hours.tour import brawl, tour


def main() -> None:
    """Play on and on."""
    around(play, "Session", _with_a_tour)
    around(play, "_goal", lambda *_: NEVER)
    run()


def _with_a_tour(original: Any, *parts: Any, **more: Any) -> Any:  # noqa: ANN401
    return original(*parts, tour, brawl, **more)


if __name__ == "__main__":
    main()
