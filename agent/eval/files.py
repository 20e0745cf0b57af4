"""`eval.csv`, a row a game, and `eval.json`, all that is needed to read and repeat it."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from agent.eval.game import Game
from agent.eval.results import Results

PLAIN: Final = (
    "seed", "stop", "reason", "ticks", "frames", "wall_s", "battles_won", "battles_lost", "battles_fled",
    "blackouts", "badges", "episodes", "restores", "errors",
)  # fmt: skip


def write_csv(results: Results, path: Path) -> None:
    """Write a row for each game; a milestone that was not reached is an empty cell."""
    heads = [f"{name}_{unit}" for name in results.milestones for unit in ("tick", "frame")]
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([*PLAIN, *heads])
        for game in results.games:
            plain = [getattr(game, name) for name in PLAIN]
            rows.writerow([*plain, *_milestones(game, results)])


def write_json(results: Results, path: Path) -> None:
    """Write settings, versions, the cartridge, and the figures over all games."""
    table = {
        "until": results.until,
        "settings": dict(results.settings),
        "versions": dict(results.versions),
        "cartridge": dict(results.cartridge),
        "summary": results.summary(),
    }
    path.write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")


def _milestones(game: Game, results: Results) -> Iterator[object]:
    for name in results.milestones:
        yield from game.milestones.get(name, ("", ""))
