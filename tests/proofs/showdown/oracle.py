"""Runs Showdown's engine: random battles turn by turn, whole battles of given teams, and such whose choices are ours.

The packages that package-lock.json names are installed into .cache/showdown when they are missing or have changed.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final, NamedTuple, TypeAlias

from agent import HOME

HERE: Final = Path(__file__).parent
INSTALLED: Final = HOME / ".cache" / "showdown"
AT_ONCE: Final = 64  # battles that wait for choices together
LISTS: Final = ("package.json", "package-lock.json")

Answer: TypeAlias = dict[str, Any]
MemberJson: TypeAlias = dict[str, Any]  # as `asSet` and `prepare` of battle.js read it
TeamJson: TypeAlias = list[MemberJson]


def missing() -> str:
    """Return what is missing to run Showdown's engine, or an empty string."""
    absent = [each for each in ("node", "npm") if shutil.which(each) is None]
    return f"Showdown's engine needs {' and '.join(absent)}" if absent else ""


class Turns(NamedTuple):
    """A request of random battles: `turns` turns at least, and `uses` of each move.

    The first `repeats` positions in which a move is chosen are played again `replays` times with other chance.
    """

    seed: int
    turns: int
    uses: int
    repeats: int
    replays: int


class Duel(NamedTuple):
    """A request of whole battles of two teams, under a policy for each side."""

    teams: tuple[TeamJson, TeamJson]
    policies: tuple[str, str]
    games: int
    seed: int


class Game(NamedTuple):
    """The end of a battle: the side that won or -1, the part of the HP that each side has left, and the turns."""

    winner: int
    left: tuple[float, float]
    turns: int


def random_turns(request: Turns) -> Iterator[Answer]:
    """Yield the answers of main.js: the names of the columns, teams of battles, steps, and uses by move."""
    yield from _ask("turns", request._asdict())


def play_duels(duels: Sequence[Duel]) -> list[list[Game]]:
    """Return the games of each duel."""
    answers = _ask("duels", {"duels": [each._asdict() for each in duels]})
    return [
        [Game(game["winner"], tuple(game["left"]), game["turns"]) for game in answer["games"]]
        for answer in answers
    ]


def random_playouts(seed: int, positions: int) -> Iterator[Answer]:
    """Yield for positions of random battles the end of a playout by either way, and the choice of either search."""
    yield from _ask("playouts", {"seed": seed, "positions": positions})


class Match(NamedTuple):
    """A request of one battle; a player is "asked", the name of a policy, or the playouts of each choice in a search."""

    teams: tuple[TeamJson, TeamJson]
    players: tuple[str | int, str | int]
    seed: int


Choose: TypeAlias = Callable[[list[str], list[Answer]], list[int]]


def play_matches(matches: Sequence[Match], choose: Choose) -> list[Game]:
    """Return the end of each battle; `choose` is given the names of the columns, and all that waits for a choice."""
    _install()
    with _node("asked.js", stdin=subprocess.PIPE) as node:
        assert node.stdin is not None
        assert node.stdout is not None

        def tell(what: object) -> None:
            assert node.stdin is not None
            node.stdin.write(json.dumps(what).encode() + b"\n")
            node.stdin.flush()

        tell({"battles": [each._asdict() for each in matches], "at_once": AT_ONCE})
        columns: list[str] = json.loads(node.stdout.readline())["columns"]
        ends = {}
        for answer in map(json.loads, node.stdout):
            if "asked" in answer:
                tell(choose(columns, answer["asked"]))
            else:
                ends[answer["ended"]] = Game(answer["winner"], (0.0, 0.0), answer["turns"])
    assert node.returncode == 0, f"asked.js: node ended with {node.returncode}"
    return [ends[number] for number in range(len(matches))]


def _node(*words: str, stdin: IO[str] | int) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "NODE_PATH": str(INSTALLED / "node_modules")}
    program = ("node", str(HERE / words[0]), *words[1:])
    return subprocess.Popen(program, stdin=stdin, stdout=subprocess.PIPE, env=environment)


def _ask(command: str, request: Answer) -> Iterator[Answer]:
    _install()
    with TemporaryFile("w+", encoding="utf-8") as asked:
        asked.write(json.dumps(request))
        asked.seek(0)
        with _node("main.js", command, stdin=asked) as node:
            assert node.stdout is not None
            yield from map(json.loads, node.stdout)
    assert node.returncode == 0, f"{command}: node ended with {node.returncode}"


def _install() -> None:
    installed = [INSTALLED / name for name in LISTS]
    wanted = [(HERE / name).read_bytes() for name in LISTS]
    complete = INSTALLED / "node_modules" / ".package-lock.json"
    if complete.exists() and [at.read_bytes() for at in installed] == wanted:
        return
    INSTALLED.mkdir(parents=True, exist_ok=True)
    for at, content in zip(installed, wanted, strict=True):
        at.write_bytes(content)
    subprocess.run(("npm", "ci", "--no-audit", "--no-fund"), cwd=INSTALLED, check=True)
