"""Games whose steps are known: each is played again and must end with the same chain of digests.

`python -m tests.recorded_games [rules:2000 claude:2001 ...]` plays them and says which differ; with `--write` it
writes `recorded_games.txt` beside this file instead.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from agent.advisor.port import Decider
from agent.app import AskSettings, Interrupt, Settings, play_run
from agent.app.summary import NoViewer
from memory import read_run
from tests.fake_service import FakeClaude, scenario_named

RECORDED: Final = Path(__file__).with_suffix(".txt")
STARTED: Final = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
EVERY: Final = 100  # ticks between two questions to the stand-in service


class RecordedGame(NamedTuple):
    """How a game ended: ticks, frames, and the chain of the digests of all steps in hexadecimal."""

    mind: str
    seed: int
    ticks: int
    frames: int
    chain: str

    @property
    def name(self) -> str:
        """Which game it is, as the command line names it."""
        return f"{self.mind}:{self.seed}"


def recorded_games() -> tuple[RecordedGame, ...]:
    """Return the games of the file, in its order."""
    rows = (line.split() for line in RECORDED.read_text(encoding="utf-8").splitlines())
    return tuple(
        RecordedGame(mind, int(seed), int(ticks), int(frames), chain)
        for mind, seed, ticks, frames, chain in rows
    )


def play_recorded(name: str) -> RecordedGame:
    """Play the game of that name in a folder that is gone afterwards.

    By rules it goes to the third badge; with the stand-in service, whose answers hang on every word of a prompt,
    to the first one.
    """
    mind, _, seed = name.partition(":")
    with ExitStack() as stack:
        home = Path(stack.enter_context(TemporaryDirectory()))
        settings = Settings(seed=int(seed), run=home / "run", memory=home / "memory.sqlite")
        if Decider(mind) is Decider.RULES:
            settings = replace(settings, until="third_badge")
        else:
            server = stack.enter_context(FakeClaude(scenario_named("curious"), seed=int(seed)))
            environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "none"}
            stack.enter_context(patch.dict(os.environ, environment))
            asking = AskSettings(every=EVERY, tapes=home / "tapes")
            settings = replace(settings, until="first_badge", mind=Decider.CLAUDE, asking=asking)
        # A prompt holds the day and the name of the run.
        run_id = f"20260102-030405-seed{seed}-0000"
        play_run(settings, NoViewer(), Interrupt(), now=STARTED, run_id=run_id)
        with closing(read_run(home / "run")) as folder:
            *_, last = folder.store.record.steps()
    return RecordedGame(mind, int(seed), last.tick, last.frame, last.chain.hex())


def recorded_job(number: int) -> dict[str, Any]:
    """Play a recorded game again, and compare its end: a job of the proof."""
    game = recorded_games()[number % 1_000_000]
    played = play_recorded(game.name)
    problems = [] if played == game else [f"{played} is not {game}"]
    return {**game._asdict(), "name": game.name, "problems": problems}


def _played(names: Sequence[str]) -> Iterator[RecordedGame]:
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        yield from pool.map(play_recorded, names)


def main(words: Sequence[str]) -> int:
    """Play the games that are named, or all; return the exit code."""
    known = {game.name: game for game in recorded_games()}
    names = [each for each in words if each != "--write"] or list(known)
    played, differing = [], 0
    for game in _played(names):
        played.append(game)
        same = "--write" in words or game == known[game.name]
        differing += not same
        print(*game, "" if same else f"differs from {known[game.name]}", flush=True)  # noqa: T201
    if "--write" in words:
        text = "".join(f"{' '.join(map(str, game))}\n" for game in played)
        RECORDED.write_text(text, encoding="utf-8")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
