"""Games that end by a signal at planned moments and are resumed: each must be the game that nothing disturbed, tick by tick.

`python -m tests.proofs.kills ARGS` is the ordinary command line, which ends itself at the moments of the plan.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from hashlib import blake2b
from pathlib import Path
from random import Random
from threading import Timer
from typing import Any, Final, NamedTuple

from agent import HOME
from agent.cli import main as command_line
from agent.loop import Loop
from agent.tools.overnight.supervisor import Supervisor
from memory import read_run
from memory.codec import encode
from memory.store.knowledge_store import KnowledgeReader, read_knowledge_store
from tests.proofs.patches import around, replace_everywhere
from tests.proofs.workers import Row

PLAN: Final = "KILLS_PLAN"  # a file with the moments left
PROGRAM: Final = (sys.executable, "-m", "tests.proofs.kills")
MOST_LATER_S: Final = 0.02  # after the begin of the tick: within some later one, or within a commit
KILLS: Final = 10  # of a game
SEEDS: Final = 3_000
DATES_FROM: Final = 1e9  # seconds since 1970
QUICK: Final = ("--backoff", "0.1", "--min-free", "0")


class Moment(NamedTuple):
    """A signal at a moment of a game: seconds after the begin of a tick."""

    tick: int
    later_s: float
    number: int


class Ended(NamedTuple):
    """What a game came to: its ticks, the last digest of its chain, and a hash of its knowledge."""

    ticks: int
    digest: str
    memory: str


def random_moments(
    chance: Random, last_tick: int, signals: Sequence[signal.Signals]
) -> list[Moment]:
    """Return a moment for each signal, in order."""
    ticks = sorted(chance.sample(range(1, last_tick), len(signals)))
    return [
        Moment(tick, MOST_LATER_S * chance.random() ** 3, number)
        for tick, number in zip(ticks, signals, strict=True)
    ]


def ended(home: Path) -> Ended:
    """Return what the game in `home` came to."""
    with (
        closing(read_run(home / "run")) as folder,
        closing(read_knowledge_store(home / "memory.sqlite")) as known,
    ):
        *_, last = folder.store.steps()
        return Ended(last.tick, last.chain.hex(), _undated(known, folder.store.run_id))


def _undated(known: KnowledgeReader, run_id: str) -> str:
    """Return a hash of what is known without dates and the name of the run: the games were played at other times."""

    def shown(value: Any) -> Any:  # noqa: ANN401  # JSON
        if isinstance(value, dict):
            return {name: shown(each) for name, each in value.items()}
        if isinstance(value, list | tuple):
            return [shown(each) for each in value]
        return None if isinstance(value, float) and value > DATES_FROM else value

    text = encode(shown(known.load_knowledge().to_json())).replace(run_id, "")
    return blake2b(text.encode(), digest_size=8).hexdigest()


def play_killed(home: Path, seed: int, until: str, moments: Sequence[Moment]) -> Ended:
    """Play a game in `home` that gets the signal of each moment, and is resumed after each."""
    where = ["--memory", str(home / "memory.sqlite"), "--json"]
    begin = ["play", "--run", str(home / "run"), "--seed", str(seed), "--until", until, *where]
    resume = ["play", "--resume", str(home / "run"), *where]
    _write_plan(home, moments)
    for life, moment in enumerate([*moments, None]):
        done = _run(begin if life == 0 else resume, home)
        wanted = {0} if moment is None else {-moment.number, 130, 0}
        if done.returncode not in wanted:
            message = f"life {life} ended with {done.returncode}: {done.stderr[-500:]}"
            raise RuntimeError(message)
    return ended(home)


def play_night(home: Path, seed: int, until: str, moments: Sequence[Moment]) -> Ended:
    """Play a game in `home` overnight, whose child gets the signals."""
    where = ["--run", str(home / "run"), "--memory", str(home / "memory.sqlite")]
    _write_plan(home, moments)
    done = _run(["overnight", *where, "--seed", str(seed), "--until", until, *QUICK], home)
    if done.returncode != 0:
        message = f"the night ended with {done.returncode}: {done.stderr[-500:]}"
        raise RuntimeError(message)
    return ended(home)


def _write_plan(home: Path, moments: Sequence[Moment]) -> None:
    (home / "plan.json").write_text(json.dumps(moments), encoding="ascii")


def _run(arguments: Sequence[str], home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *arguments],
        cwd=HOME,
        env={**os.environ, PLAN: str(home / "plan.json")},
        capture_output=True,
        text=True,
        check=False,
    )


def killed_game(number: int) -> Row:
    """Play a game undisturbed, killed, ended by SIGTERM, and in a night with kills, and compare them."""
    kills, terms = [signal.SIGKILL] * KILLS, [signal.SIGTERM] * KILLS
    plans = {"SIGKILL": kills, "SIGTERM": terms, "overnight": kills}
    return compared(Random(number), "third_badge", plans)


def compared(chance: Random, until: str, plans: Mapping[str, Sequence[signal.Signals]]) -> Row:
    """Play one game undisturbed, and once with the signals of each plan at random moments."""
    seed = chance.randrange(SEEDS)
    problems: list[str] = []
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        homes = {name: Path(folder) / name for name in ("undisturbed", *plans)}
        for home in homes.values():
            home.mkdir()
        undisturbed = play_killed(homes["undisturbed"], seed, until, ())
        for name, signals in plans.items():
            moments = random_moments(chance, undisturbed.ticks, signals)
            play = play_night if name == "overnight" else play_killed
            problems += [
                f"{name}, seed {seed}: {what} {there!r} instead of {here!r}"
                for what, here, there in zip(
                    Ended._fields, undisturbed, play(homes[name], seed, until, moments), strict=True
                )
                if here != there
            ]
    return {
        "name": f"seed {seed}",
        "ticks": undisturbed.ticks,
        "signals": sum(map(len, plans.values())),
        "problems": problems,
    }


def main() -> None:
    """Run the command line."""
    if sys.argv[1:2] == ["overnight"]:
        replace_everywhere(Supervisor, partial(Supervisor, program=PROGRAM))
    else:
        _end_as_planned(Path(os.environ[PLAN]))
    command_line()


def _end_as_planned(plan: Path) -> None:
    moments = json.loads(plan.read_text(encoding="ascii"))
    if not moments:
        return
    (tick, later_s, number), *rest = moments
    armed = [True]

    def end() -> None:
        plan.write_text(json.dumps(rest), encoding="ascii")
        os.kill(os.getpid(), number)

    def perceive(original: Any, loop: Loop, state: Any) -> Any:  # noqa: ANN401
        if armed[0] and loop.tick >= tick:
            armed[0] = False
            Timer(later_s, end).start()
        return original(loop, state)

    around(Loop, "perceive", perceive)


if __name__ == "__main__":
    main()
