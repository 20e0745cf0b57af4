"""Hostile files: each file that a user hands over or that lies in a run, damaged or replaced, and a command that reads it."""

import hashlib
import os
import resource
import shutil
import signal
import sys
import tomllib
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from agent import HOME as ROOT
from agent.app.build import GameParts
from agent.battle.odds import prepare
from agent.cli import cli, main
from agent.fake_claude.server import FakeClaude
from agent.lab.sources import python_path
from agent.story.story import Story
from emulator import Dex, PyBoyConsole, Step, demo_cartridge_path, load_cartridge
from tests.proofs.file_damage import DAMAGE
from tests.proofs.workers import Row

MOST_CPU_S: Final = 10
MOST_WALL_S: Final = 90  # a hang; the machine may be busy
MOST_MB: Final = 300
USUAL_MB: Final = 110  # of a process that plays; a forked one begins with more
ADDRESS_SPACE: Final = 8 << 30
ERROR: Final = "error: "

LONG: Final = ("overnight ", "play --resume night ", "--tapes tapes")  # parts of those of seconds
LONG_EVERY: Final = 10  # cases of a file
TABLE: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
COMMANDS: Final[Mapping[str, Sequence[str]]] = TABLE["commands"]
LOADED: Final = (
    "agent.advisor.claude", "agent.app", "agent.tools.doctor", "agent.tools.overnight.supervisor",
    "agent.tools.replay.operations", "agent.tools.report.page", "agent.tools.scenario.run",
    "agent.tools.verify.game",
    *(f"agent.cli.memory.{each}" for each in ("explain", "export", "maintenance", "map", "show")),
)  # fmt: skip
NO_SERVICE: Final = "http://127.0.0.1:9"


@cache
def stage() -> Path:
    """Return a folder with one intact file of each kind, made once in each process."""
    folder = Path(_TEMPORARY.name)
    (folder / "temporary").mkdir()
    with FakeClaude(seed=1, port=0) as server:
        words = "overnight --run night --ticks 200 --memory memory.sqlite --mind claude --ask-every 60 --tapes tapes"
        run(words.split(), folder, server.url)
        run(["replay", "night", "--export", "game.redreplay"], folder)
    shutil.copy(folder / "memory.sqlite", folder / "other.sqlite")
    shutil.copy(demo_cartridge_path(), folder / "demo.gb")
    for name in ("terms.toml", "prices.toml"):
        shutil.copy(ROOT / "agent" / "advisor" / "money" / name, folder / name)
    for name, text in TABLE["scenes"].items():
        path = folder / "scenes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "scenes" / "states").mkdir()
    (folder / "ram").mkdir()
    with closing(PyBoyConsole(load_cartridge(folder / "demo.gb"))) as console:
        console.perform(Step(None, 0, 300))
        (folder / "scenes" / "states" / "begun.redstate").write_bytes(console.save())
        (folder / "ram" / "begun.wram").write_bytes(console.read(0xC000, 0x2000))
        (folder / "ram" / "begun.hram").write_bytes(console.read(0xFF80, 0x7F))
    (folder / "outside" / "folder").mkdir(parents=True)
    (folder / "outside" / "precious.txt").write_text("precious\n", encoding="utf-8")
    (folder / "outside" / "folder" / "note.txt").write_text("note\n", encoding="utf-8")
    missing = [each for each in COMMANDS if not (folder / each).exists()]
    assert not missing, f"the stage lacks {missing}"
    return folder


_TEMPORARY: Final = TemporaryDirectory(prefix="stage-", ignore_cleanup_errors=True)


class Ended(NamedTuple):
    """The end of a command: its exit code, a negative number for a signal, its output, and what it took."""

    code: int
    out: str
    err: str
    cpu_s: float
    megabytes: float

    @property
    def errors(self) -> list[str]:
        """The lines of errors."""
        return [each for each in self.err.splitlines() if each.startswith(ERROR)]

    def row(self, number: int, name: str, damage: str, command: str, problems: list[str]) -> Row:
        """Return the row of a job: what was done to which file, the end, and what is wrong with it."""
        return {
            "name": f"{number}: {name}, {damage}: {command}",
            "file": name,
            "damage": damage,
            "code": self.code,
            "line": (self.errors or [""])[0][:300],
            "cpu_s": round(self.cpu_s, 2),
            "megabytes": round(self.megabytes),
            "problems": problems,
        }


@contextmanager
def stage_copy() -> Iterator[Path]:
    """Return a copy of the stage, which is removed at the end."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        yield shutil.copytree(stage(), Path(temporary, "home"), symlinks=True)


def costs_of(rows: Sequence[Row]) -> dict[str, object]:
    """Return the figures of the ends of commands: how often each exit code came, and the most that one took."""
    codes = Counter(row["code"] for row in rows)
    return {
        "exit codes": {str(code): count for code, count in sorted(codes.items())},
        "longest CPU seconds": max(row["cpu_s"] for row in rows),
        "most CPU seconds allowed": MOST_CPU_S,
        "most MB": max(row["megabytes"] for row in rows),
        "most MB allowed": MOST_MB,
    }


def file_job(number: int) -> Row:
    """Damage one file, run one command that reads it, and check its end; all are chosen by `number`."""
    chance = Random(number)
    turn, at = divmod(number, len(COMMANDS))
    name, commands = list(COMMANDS.items())[at]
    kind = list(DAMAGE)[(turn + at) % len(DAMAGE)]
    long = [each for each in commands if any(part in each for part in LONG)]
    short = [each for each in commands if each not in long]
    takes_long = bool(long) and (turn % LONG_EVERY == LONG_EVERY - 1 or not short)
    command = chance.choice(long if takes_long else short)
    with stage_copy() as home:
        DAMAGE[kind](home / name, chance)
        before = _untouchable(home, name)
        ended = run(command.split(), home)
        problems = list(_problems(ended, command))
        after = _untouchable(home, name)
        changed = sorted(path for path, digest in before.items() if after.get(path) != digest)
        problems += [f"{path} was changed" for path in changed]
        crash = next((home / "temporary").glob("*crash*"), None)
        details = crash.read_text(encoding="utf-8") if crash else ended.err[-3_000:]
    return ended.row(number, name, kind, command, [f"{each}\n{details}" for each in problems])


def _problems(ended: Ended, command: str) -> Iterator[str]:
    lines = ended.errors
    if ended.code < 0:
        yield f"it was ended by {signal.Signals(-ended.code).name}"
    if "Traceback" in ended.err or "Traceback" in ended.out:
        yield "a traceback"
    if any(each.startswith(f"{ERROR}unexpected ") for each in lines):
        yield "an unforeseen error"
    if len(lines) > 1:
        yield f"{len(lines)} lines of errors"
    if ended.code not in {0, 1, 2, 3} and ended.code > 0:
        yield f"exit code {ended.code}"
    # A check prints what it found, and a night its verdict.
    if (
        ended.code > 0
        and not lines
        and not ended.out.strip()
        and not command.startswith("overnight")
    ):
        yield f"exit code {ended.code} without a line"
    if ended.code == 0 and lines:
        yield "an error with exit code 0"
    if ended.megabytes > MOST_MB:
        yield f"{ended.megabytes:.0f} MB"


def _untouchable(home: Path, damaged: str) -> dict[str, str]:
    """Return the digest of each file that no command may change: those outside, and what a user handed over."""
    kept = [path for path in (home / "outside").rglob("*") if path.is_file()]
    kept += [
        home / name
        for name in COMMANDS
        if not name.startswith(("night/", "tapes/")) and name != "memory.sqlite"
    ]
    return {
        str(path.relative_to(home)): hashlib.blake2b(path.read_bytes()).hexdigest()
        for path in kept
        if path.is_file() and (not path.is_symlink() or damaged != str(path.relative_to(home)))
    }


def run(args: Sequence[str], home: Path, service: str = NO_SERVICE) -> Ended:
    """Run the command line in a fork with limits, and a model service at that address; return its end."""
    out, err = home / "temporary" / "out", home / "temporary" / "err"
    resident = _resident_mb()
    pid = os.fork()
    if pid == 0:
        _begin(args, home, service)
    _, status, used = os.wait4(pid, 0)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    said, reported = (
        each.read_text(encoding="utf-8", errors="replace") if each.exists() else ""
        for each in (out, err)
    )
    megabytes = max(used.ru_maxrss / 1024 - resident, 0) + USUAL_MB
    code = os.waitstatus_to_exitcode(status)
    return Ended(code, said, reported, used.ru_utime + used.ru_stime, megabytes)


def _begin(args: Sequence[str], home: Path, service: str) -> None:
    """Run the command line in this fork, and end it."""
    code = 99
    try:
        os.setsid()
        for each in (signal.SIGALRM, signal.SIGXCPU, signal.SIGVTALRM):
            signal.signal(each, signal.SIG_DFL)
        signal.alarm(MOST_WALL_S)
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S + 1))
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
        os.chdir(home)
        os.environ.update(
            ANTHROPIC_API_KEY="key-of-a-test-123456",
            ANTHROPIC_BASE_URL=service,
            TMPDIR=str(home / "temporary"),
            PYTHONPATH=python_path(),
            HOME=str(home),
        )
        sys.argv = ["agent", *args]
        sys.stdout, sys.stderr = (
            (home / "temporary" / each).open("w", encoding="utf-8") for each in ("out", "err")
        )
        os.dup2(sys.stdout.fileno(), 1)
        os.dup2(sys.stderr.fileno(), 2)
        main()
    except SystemExit as ended:
        code = int(ended.code or 0)
    except BaseException:  # noqa: BLE001  # the parent looks for it
        traceback.print_exc()
    finally:
        with suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * resource.getpagesize() / (1 << 20)


def warm() -> None:
    """Load what the commands load, and make the stage, once for all forks."""
    for name in cli.places:
        cli.load(name)
    for each in LOADED:
        import_module(each)
    cartridge = load_cartridge(demo_cartridge_path())
    GameParts.of(cartridge, Story.of(cartridge.kind), 0)
    prepare(Dex.of(cartridge))
    stage()
