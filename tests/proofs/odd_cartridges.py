"""Games on cartridges of which something is not as their data say, with and without the memory of what failed there."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from agent.experience.memory_use import MemoryUse
from agent.lab.bench.trials import TrialOrder, play_game, play_on
from agent.lab.stats import Interval, mean_interval
from agent.tools.progress import never
from tests.proofs.broken_cartridges import broken_image, read_edits
from tests.proofs.workers import Row

EDITS: Final = {
    edit.name: edit for edit in read_edits(Path(__file__).with_name("odd_cartridges.toml"))
}
USES: Final = {"hidden_wall": MemoryUse.ROUTES, "idle_nurse": MemoryUse.COSTS}
TEACHING: Final = 3  # games that fill the memory of a held one
LIMIT: Final = 3_000  # ticks of a game: without memory some never get there
SEED: Final = 1_000


def odd_job(number: int, *, teaching: int = TEACHING, limit: int = LIMIT) -> Row:
    """Play some games with one memory, then another seed with a copy of it, and again without the use that the edit is for."""
    name = tuple(USES)[number % len(USES)]
    edit, use, first = EDITS[name], USES[name], SEED + number * (teaching + 1)
    with TemporaryDirectory(prefix="odd-") as home:
        memory = Path(home) / "memory.sqlite"
        order = TrialOrder(broken_image(edit), edit.until, first, limit)
        for seed in range(first, first + teaching):
            play_on(replace(order, seed=seed), memory, never)
        held = replace(order, seed=first + teaching, memory=memory)
        taught = play_game(held, never)
        without = play_game(replace(held, without=(use,)), never)
    return {
        "name": f"{edit.name}, seed {held.seed}",
        "edit": edit.name,
        "moved": (taught.moved or {}).get(use.value, 0),
        "ticks": taught.ticks,
        "ticks without": without.ticks,
        "reached without": without.reached,
        "problems": [] if taught.reached else [f"{edit.until} was not reached"],
    }


def saved(rows: list[Row], name: str) -> Interval:
    """Return the ticks that memory saved on the cartridge of one edit, in the mean with its 95% interval."""
    return mean_interval(
        [row["ticks without"] - row["ticks"] for row in rows if row["edit"] == name]
    )


def figures(rows: list[Row]) -> dict[str, Any]:
    """Return for each edit how many games arrived, in how many the use moved something, and what it saved.

    A game that did not arrive has no ticks to compare, only the limit of the proof.
    """
    return {name: _figures(rows, name) for name in USES}


def _figures(every: list[Row], name: str) -> dict[str, Any]:
    rows, ticks = [row for row in every if row["edit"] == name], saved(every, name)
    without = sum(row["reached without"] for row in rows)
    arrived = {
        "games": len(rows),
        "moved something": sum(row["moved"] > 0 for row in rows),
        "arrived": sum(not row["problems"] for row in rows),
        "arrived without": without,
    }
    if without < len(rows):
        return arrived
    return {**arrived, "ticks saved": f"{ticks.estimate:.0f} ({ticks.low:.0f} to {ticks.high:.0f})"}
