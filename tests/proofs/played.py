"""Games played for a proof, by rules or with a stand-in service."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from agent.app import Interrupt, Settings, Summary, play_run
from agent.app.summary import NoViewer
from agent.lab.rehearse.play import play_seed, rehearse
from agent.story.story import Story
from emulator import demo_cartridge_path, load_cartridge
from tests.proofs.workers import Row

OURS: Final = "ANTHROPIC_"  # prefix of the variables that the SDK reads


def beside_job(number: int) -> Row:
    """Rehearse the game of a seed of the demo, and play it, each to the last milestone."""
    cartridge = load_cartridge(demo_cartridge_path())
    last = Story.of(cartridge.kind).up_to(None)[-1]
    games = {
        "rehearsed": rehearse(cartridge, number, last),
        "played": play_seed(cartridge, number, last),
    }
    figures = {
        way: {name: each._asdict() for name, each in game.milestones.items()}
        for way, game in games.items()
    }
    problems = [
        f"{way}: {game.stop} {game.reason}"
        for way, game in games.items()
        if last not in game.milestones
    ]
    return {**figures, "problems": problems}


def played(home: Path, **flags: Any) -> Summary:  # noqa: ANN401  # those of Settings
    """Play with these flags, with run and memory in the folder `home` unless the flags name others."""
    home.mkdir(exist_ok=True)
    where = {"run": home / "run", "memory": home / "memory.sqlite"}
    return play_run(Settings(**{**where, **flags}), NoViewer(), Interrupt())


@contextmanager
def asking(url: str, key: str = "any") -> Iterator[None]:
    """Let this process send all requests to Claude to the service at `url`."""
    with patch.dict(os.environ):
        for name in [each for each in os.environ if each.startswith(OURS)]:
            del os.environ[name]
        os.environ.update({"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": key})
        yield
