"""Games on images of the demo whose waits take longer, always or at random: how far they come, and whether they replay."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from agent.tools.replay.operations import replay_run
from emulator import demo_cartridge_path
from tests.proofs.cartridge_build import builder_of
from tests.proofs.played import played
from tests.proofs.workers import Proof, Row, middle

GAME, RANDOM = "the game's waits", "random extra waits"
KINDS: Final = {GAME: "0", RANDOM: "random"}
GOAL: Final = "third_badge"
MISSED: Final = 0.02  # part of the games that may end before the goal


def waiting_image(waits: str, folder: Path) -> Path:
    """Write the demo with longer waits, as `--waits` of its builder says, and return the file."""
    builder = builder_of(folder)
    image = builder.lengthened(demo_cartridge_path().read_bytes(), builder.extra_waits(waits))
    path = folder / "waits.gb"
    path.write_bytes(image)
    return path


def waits_job(kind: str, until: str, number: int) -> Row:
    """Play one game to a milestone on the image of a kind."""
    seed = number % 1_000_000
    with TemporaryDirectory(prefix="waits") as name:
        home = Path(name)
        rom = waiting_image(KINDS[kind], home)
        summary = played(home, rom=rom, until=until, seed=seed)
        diverged = replay_run(home / "run", rom).divergence
    reached = [each.id for each in summary.milestones]
    return {
        "name": f"seed {seed}, {kind}",
        "waits": kind,
        "reached": until in reached,
        "last": reached[-1] if reached else "",
        "badges": summary.badges,
        "ticks": summary.ticks,
        "frames": summary.frames,
        "episodes": summary.episodes,
        "restores": summary.restores,
        "problems": [
            *([f"{summary.errors} errors"] if summary.errors else []),
            *([f"its replay differs: {diverged}"] if diverged else []),
        ],
    }


def play_all(proof: Proof, until: str = GOAL) -> list[Row]:
    """Play `size` games of each kind."""
    rows: list[Row] = []
    for kind in KINDS:
        rows += proof.rows(partial(waits_job, kind, until), part=f"{KINDS[kind]}-{until}")
    return rows


def figures(rows: list[Row]) -> dict[str, dict[str, float]]:
    """Return the figures of each kind: games, those at the goal, medians, and episodes of being stuck."""
    found = {}
    for kind in KINDS:
        games = [row for row in rows if row["waits"] == kind]
        found[kind] = {
            "games": len(games),
            "at the goal": sum(row["reached"] for row in games),
            "ticks": middle([row["ticks"] for row in games]),
            "frames": middle([row["frames"] for row in games]),
            "episodes": sum(row["episodes"] for row in games),
            "restores": sum(row["restores"] for row in games),
        }
    return found
