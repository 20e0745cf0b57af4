"""Games that end by a signal at planned moments and are resumed: each must be the game that nothing disturbed, tick by tick.

`python -m tests.proofs.kills ARGS` is the ordinary command line, which ends itself at the moments of the plan.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from functools import partial
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from random import Random
from threading import Timer
from typing import Any, Final, NamedTuple

from agent import HOME
from agent.cli import main as command_line
from agent.loop import Loop
from agent.tools.overnight.supervisor import Supervisor
from emulator import FRAMES_PER_SECOND
from memory import read_run
from memory.codec import encode
from memory.store.lasting import KnowledgeReader, read_knowledge_store
from tests.proofs.patches import around, replace_everywhere
from tests.proofs.workers import Row

PLAN: Final = "KILLS_PLAN"  # a file with the moments left
PROGRAM: Final = (sys.executable, "-m", "tests.proofs.kills")
MOST_LATER_S: Final = 0.02  # after the begin of the tick: within some later one, or within a commit
MEMORY: Final = "memory.sqlite"
KILLS: Final = 10  # of a game
SEEDS: Final = 3_000
DATES_FROM: Final = 1e9  # seconds since 1970
HOURS: Final = "--game-hours"  # of a night
QUICK: Final = ("--backoff", "0.1", "--min-free", "0")


class Moment(NamedTuple):
    """A signal at a moment of a game: seconds after the begin of a tick."""

    tick: int
    later_s: float
    number: int


class Ended(NamedTuple):
    """What a game came to: its ticks, the last digest of its chain, a hash of its knowledge, its milestones and hours."""

    ticks: int
    digest: str
    memory: str
    milestones: tuple[str, ...]
    hours: float  # of game time


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
        closing(read_knowledge_store(home / MEMORY)) as known,
    ):
        *_, last = folder.store.record.steps()
        milestones = tuple(each.payload["id"] for each in folder.store.record.events("milestone"))
        memory = undated(known, folder.store.run_id)
        hours = last.frame / FRAMES_PER_SECOND / 3600
        return Ended(last.tick, last.chain.hex(), memory, milestones, hours)


class Repeat(NamedTuple):
    """The most that a game repeated after an end: ticks, and seconds at the speed of its sessions."""

    ticks: int
    seconds: float


def longest_repeat(home: Path) -> Repeat:
    """Return the most that the game in `home` repeated after an end of a session."""
    with closing(read_run(home / "run")) as folder:
        most = max((each.left - each.tick for each in folder.store.record.branchings()), default=0)
        spans = [
            (later.wall_s - earlier.wall_s, later.tick - earlier.tick)
            for earlier, later in pairwise(folder.store.record.vitals())
            if later.session == earlier.session and later.tick > earlier.tick
        ]
    wall_s, ticks = map(sum, zip(*spans, strict=True))
    return Repeat(most, round(most * wall_s / ticks, 1))


def undated(known: KnowledgeReader, run_id: str) -> str:
    """Return a hash of what is known without dates and the name of the run: the games were played at other times.

    What fades is rounded: between the sessions of a game real seconds pass.
    """

    def shown(value: Any) -> Any:  # noqa: ANN401  # JSON
        if isinstance(value, dict):
            return {name: shown(each) for name, each in value.items()}
        if isinstance(value, list | tuple):
            return [shown(each) for each in value]
        if isinstance(value, float):
            return None if value > DATES_FROM else round(value, 4)
        return value

    entries = sorted(
        (each.scope, each.kind, each.key, encode(shown(each.data))) for each in known.entries()
    )
    text = encode([shown(known.load_knowledge().to_json()), entries]).replace(run_id, "")
    return blake2b(text.encode(), digest_size=8).hexdigest()


def play_killed(home: Path, seed: int, until: str, moments: Sequence[Moment]) -> Ended:
    """Play a game in `home` that gets the signal of each moment, and is resumed after each."""
    _write_plan(home, moments)
    for life, moment in enumerate([*moments, None]):
        wanted = {0} if moment is None else {-moment.number, 130, 0}
        _play(home, life, seed, ["--until", until], wanted)
    return ended(home)


def _play(home: Path, life: int, seed: int, limit: Sequence[str], codes: Collection[int]) -> None:
    begin = ["--run", str(home / "run"), "--seed", str(seed), "--memory", str(home / MEMORY)]
    where = begin if life == 0 else ["--resume", str(home / "run")]
    _run_to(["play", *where, *limit, "--json"], home, codes, f"life {life}")


def _play_night(home: Path, seed: int, limit: Sequence[str], codes: Collection[int]) -> None:
    where = ["--run", str(home / "run"), "--memory", str(home / MEMORY), "--seed", str(seed)]
    _run_to(["overnight", *where, *limit, *QUICK], home, codes, "the night")


def _run_to(words: Sequence[str], home: Path, codes: Collection[int], what: str) -> None:
    done = subprocess.run(
        [*PROGRAM, *words],
        cwd=HOME,
        env={**os.environ, PLAN: str(home / "plan.json")},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in codes:
        message = f"{what} ended with {done.returncode}: {done.stderr[-500:]}"
        raise RuntimeError(message)


def _write_plan(home: Path, moments: Sequence[Moment]) -> None:
    (home / "plan.json").write_text(json.dumps(moments), encoding="ascii")


class Way(NamedTuple):
    """A way to end a game several times: how to play it, given the game undisturbed, and how often it ends."""

    play: Callable[[Path, int, str, Ended, Random], Ended]
    ends: int


def by_signals(number: signal.Signals, ends: int, *, in_a_night: bool = False) -> Way:
    """Return the way in which a game, or the child of a night, gets a signal at random moments."""

    def play(home: Path, seed: int, until: str, whole: Ended, chance: Random) -> Ended:
        moments = random_moments(chance, whole.ticks, [number] * ends)
        if not in_a_night:
            return play_killed(home, seed, until, moments)
        _write_plan(home, moments)
        _play_night(home, seed, ["--until", until], {0})
        return ended(home)

    return Way(play, ends)


def by_limits(flag: str, ends: int, drawn: Callable[[Ended, Random, int], Sequence[object]]) -> Way:
    """Return the way in which a game ends by itself at drawn values of a flag, and goes on after each."""

    def play(home: Path, seed: int, until: str, whole: Ended, chance: Random) -> Ended:
        _write_plan(home, ())
        limits = [[flag, str(each)] for each in drawn(whole, chance, ends)]
        for life, limit in enumerate([*limits, ["--until", until]]):
            if flag == HOURS:
                _play_night(home, seed, [*limit, "--until", until], {0, 3})
            else:
                _play(home, life, seed, limit, {0})
        return ended(home)

    return Way(play, ends)


def some_ticks(whole: Ended, chance: Random, count: int) -> Sequence[int]:
    """Return random ticks of a game, in order."""
    return sorted(chance.sample(range(1, whole.ticks), count))


def some_milestones(whole: Ended, chance: Random, count: int) -> Sequence[str]:
    """Return random milestones of a game before its last, in order."""
    places = sorted(chance.sample(range(len(whole.milestones) - 1), count))
    return [whole.milestones[each] for each in places]


def some_hours(whole: Ended, chance: Random, count: int) -> Sequence[str]:
    """Return random hours of a game, in order."""
    return [f"{each:.4f}" for each in sorted(chance.random() * whole.hours for _ in range(count))]


WAYS: Final = {
    "SIGKILL": by_signals(signal.SIGKILL, KILLS),
    "SIGTERM": by_signals(signal.SIGTERM, KILLS),
    "SIGINT": by_signals(signal.SIGINT, KILLS),
    "--ticks": by_limits("--ticks", KILLS, some_ticks),
    "--until": by_limits("--until", 4, some_milestones),
    "nights": by_limits(HOURS, 4, some_hours),
    "kills in a night": by_signals(signal.SIGKILL, KILLS, in_a_night=True),
}


def killed_game(number: int) -> Row:
    """Play a game undisturbed and once in each way, and compare them."""
    return compared(Random(number), "third_badge", WAYS)


def compared(chance: Random, until: str, ways: Mapping[str, Way]) -> Row:
    """Play one game undisturbed, and once in each way."""
    seed = chance.randrange(SEEDS)
    problems: list[str] = []
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        homes = {name: Path(folder) / name.strip("-") for name in ("undisturbed", *ways)}
        for home in homes.values():
            home.mkdir()
        whole = play_killed(homes["undisturbed"], seed, until, ())
        for name, way in ways.items():
            problems += [
                f"{name}, seed {seed}: {what} {there!r} instead of {here!r}"
                for what, here, there in zip(
                    Ended._fields,
                    whole,
                    way.play(homes[name], seed, until, whole, chance),
                    strict=True,
                )
                if here != there
            ]
        return {
            "name": f"seed {seed}",
            "ticks": whole.ticks,
            "ends": sum(way.ends for way in ways.values()),
            "repeated": max(longest_repeat(home) for home in homes.values()),
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
