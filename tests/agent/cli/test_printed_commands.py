"""Every command that is printed works when pasted: it is run in a shell without the environment of a developer."""

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from html import unescape
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numba.core.caching import _CacheLocator

from agent.cli import cli
from agent.cli.group import COMMANDS, examples
from agent.shell import command, quoted
from memory import open_run
from tests.agent.support import ROOT, Ended
from tests.fake_service import FakeClaude

PAGES: Final = (
    *(ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))),
    *(ROOT / "tests" / "scenarios" / "README.md", ROOT / "roms" / "demo" / "README.md"),
)
CODE: Final = re.compile(r"^    (\S.*)$|`([^`\n]+(?:\n[^`\n]+)?)`", re.MULTILINE)
WITH_AGENT: Final = re.compile(r"(?:\w+=\S+ |nohup )*scripts/(?:red-agent|play)\b")
OTHER: Final = re.compile(
    r"(?:python3?|\.venv/bin/\S+|scripts/\w+(?=$| )|mkdir|systemctl|export) ?"
)
TOOLS: Final = [
    *("sh", "env", "dirname", "readlink", "cmp", "tr", "printf", "cat", "nohup", "cp", "rmdir")
]
STUCK: Final[Mapping[str, Any]] = {
    "number": 1, "reason": "no_novelty", "place": "the lane", "map_id": 12, "x": 5, "y": 5, "goal": "go on",
    "since": 60, "noticed": 70, "lasted": 80, "tried": ["talk"], "recovery_steps": ["replan"], "solved_by": "replan",
    "over": True, "run": "one", "checkpoint_tick": 0, "last_step": None,
}  # fmt: skip
numba_folder: Any = _CacheLocator.get_suitable_cache_subpath  # has no types
TICKS: Final = 100  # of the game that commands are tried on
BEGINS_S: Final = 8.0  # after which a long command is at work

# What stands for something in a page, and what a reader would put there.
VALUES: Final = (
    ("restore [ID]...", "restore"), (" [ARGS]", " ARGS"), (" ARGS", ""), ("[PATH]", "memory.sqlite"), (" [ID]", " ITEM"), ("RUN RUN...", "runs/one runs/two"),
    ("RUN...", "RUN"), ("RUN", "runs/one"), ("WORDS...", "the"), ("ID...", "ID"), ("ID", "ITEM"), ("PATH", "memory.sqlite"),
    ("merge A B --into C", "merge memory.sqlite other.sqlite --into both.sqlite"), ("--bisect A B", "--bisect runs/one runs/two"),
    ("--bisect A", "--bisect runs/one"), ("--episode N", "--episode 1"), ("--from T --to U", "--from 1 --to 3"), ("--to T", "--to 3"),
    ("--to FILE", "--to all.csv"), ("--png FILE", "--png a.png"), ("--gif FILE", "--gif a.gif"), ("FILE.redreplay", "a.redreplay"),
    ("A..B", "0..1"), ("520c8de8", "ITEM"), ("--at 1200", "--at 60"), ("--at 900", "--at 60"), ("--to 500", "--to 3"),
    ("--episode 2", "--episode 1"), ("--kind battle", "--kind talk"), ("KEY=...", "KEY=any"), ("one.sqlite two.sqlite", "memory.sqlite other.sqlite"),
)  # fmt: skip
# Commands that would go on for long get a limit.
LIMITS: Final = (
    (re.compile(r"red-agent'? play --resume (?:runs/|.*/runs/|last)(?!.*--ticks)"), f" --ticks {TICKS + 3}"),
    (re.compile(r"(?:scripts/play|red-agent'? (?:play|overnight))\b(?!.*--ticks)"), " --ticks 20"),
    (re.compile(r"red-agent'? overnight\b(?!.*--min-free)"), " --min-free 0"),
    (re.compile(r"red-agent'? memory forget\b"), " --yes"),  # there is no terminal to ask
)  # fmt: skip
# Of these only the flags are checked, because they measure for minutes, play many games, or serve until Ctrl-C.
PARSED: Final = re.compile(
    r"\b(?:bench|eval|verify|scenario run|overnight|nohup|doctor --model|play --mind claude|fake-claude|observe)\b"
)
# These are for developers; what they name must exist.
DEVELOPERS: Final = {
    "scripts/test": "runs these tests", "scripts/lock": "asks a package index", "scripts/shots": "draws pictures",
    ".venv/bin/pytest": "hours of proofs", ".venv/bin/python": "builders, which need sdcc or facts of the real game",
    "python3": "is tested in tests/memory/tapes", "export": "sets variables", "systemctl": "needs systemd",
    "mkdir": "copies the unit",
}  # fmt: skip
EXITS: Final = {
    "overnight": {0, 3},
    "memory check": {0, 1},
}  # a limit ends a night; a memory may have faults


def codes_of(page: Path) -> list[str]:
    """Return each piece of code of a page that could be a command, in one line and without its comment."""
    text = page.read_text(encoding="utf-8")
    return [
        " ".join((a or b).split("  #")[0].split()).removesuffix(" &") for a, b in CODE.findall(text)
    ]


def commands_of_pages() -> list[str]:
    """Return the commands of the agent on all pages, and the examples in all help."""
    on_pages = [each for page in PAGES for each in codes_of(page) if WITH_AGENT.match(each)]
    in_help = [f"scripts/red-agent {each}" for path in COMMANDS for each in examples(path)]
    return sorted(
        {each for each in (*on_pages, *in_help) if not each.endswith("...")} - {"scripts/red-agent"}
    )


class Place(NamedTuple):
    """A checkout of its own, with a game, and a shell without the environment of a developer."""

    checkout: Path
    home: Path

    @property
    def launcher(self) -> Path:
        return self.checkout / "scripts" / "red-agent"

    def argv(self, line: str) -> list[str]:
        return ["env", "-i", f"PATH={self.home}/bin", f"HOME={self.home}", "/bin/sh", "-c", line]

    def shell(self, line: str, folder: Path) -> Ended:
        """Run a line in a folder, in a fork, and return its result."""
        return self.alone(self.in_fork(line), folder)

    def in_fork(self, line: str) -> str:
        """Return a line in which the agent runs in a fork of a process that has loaded it."""
        return f"export FORKS={quoted(self.home / 'forks')}; {line}"

    def alone(self, line: str, folder: Path) -> Ended:
        """Run a line in a folder and return its result."""
        done = subprocess.run(
            self.argv(line), cwd=folder, capture_output=True, check=False, timeout=100
        )
        texts = (each.decode(errors="surrogateescape") for each in (done.stdout, done.stderr))
        return Ended(done.returncode, *texts)

    def works(self, line: str, folder: Path) -> Ended:
        """Run a printed command, with a limit if it needs one, and require that it works."""
        for pattern, limit in LIMITS:
            line += limit if pattern.search(line) else ""
        ended = self.shell(line, folder)
        allowed = next((codes for words, codes in EXITS.items() if f" {words}" in line), {0})
        assert ended.code in allowed, (line, ended)
        assert not re.search(r"^error:|Traceback|not found", ended.err, re.MULTILINE), (line, ended)
        return ended

    def begins(self, line: str, folder: Path) -> str:
        """Run a command that may take hours for some seconds, end it by Ctrl-C, and return what was wrong, or ''."""
        with subprocess.Popen(
            self.argv(line),
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process:
            try:
                said, _ = process.communicate(timeout=BEGINS_S)
                allowed = next(
                    (codes for words, codes in EXITS.items() if f" {words}" in line), {0}
                )
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGINT)
                said, _ = process.communicate(timeout=100)
                allowed = {process.returncode}  # it was at work
        shown = said.decode(errors="surrogateescape")
        is_wrong = re.search(r"^error:(?! interrupted)|Traceback|not found", shown, re.MULTILINE)
        ended = process.returncode
        return f"{line}: {ended}: {shown[-300:]}" if is_wrong or ended not in allowed else ""

    def printed(self, text: str, folder: Path) -> list[str]:
        """Return the commands in a printed text: in backticks, or at the end of a line."""
        launcher = re.escape(quoted(self.launcher))
        first = rf"(?:[A-Z_]+=\S+ )*(?:{launcher}|(?:\./|scripts/)red-agent)(?= |$)"
        found = [
            a or b
            for a, b in re.findall(rf"`({first}[^`]*)`|({first}[^`\n]*)$", text, re.MULTILINE)
        ]
        assert found, (text, folder)
        return found


def made_checkout(checkout: Path) -> None:
    """Copy the checkout with its compiled files, and an installed `.venv` that starts this Python."""
    for folder in ("agent", "memory", "emulator", "scripts", "roms"):
        shutil.copytree(ROOT / folder, checkout / folder, ignore=shutil.ignore_patterns("build"))
    shutil.copytree(ROOT / "tests" / "scenarios", checkout / "tests" / "scenarios")
    shutil.copy(checkout / "roms" / "demo.gb", checkout / "roms" / "red.gb")
    # Numba keeps what it compiled under a digest of the path; compiling it again takes half a minute.
    folders = "agent/battle", "agent/planning", "agent/skills", "emulator/rules", "emulator/engine"
    for folder in folders:
        old, new = (numba_folder(str(each / folder / "it.py")) for each in (ROOT, checkout))
        for each in (checkout / "emulator" / "__pycache__").glob(f"*/{old}"):
            each.rename(each.with_name(new))
    python = checkout / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    client = f"exec {sys.executable} -IS {ROOT / 'tests' / 'fork_client.py'}"
    python.write_text(
        '#!/bin/sh\n[ "$1" = -P ] && [ -n "${FORKS-}" ] && shift && '
        f'{client} "$FORKS" "$@"\nexec {sys.executable} "$@"\n'
    )
    python.chmod(0o755)
    for lock in (checkout, checkout / ".venv"):
        shutil.copy(ROOT / "requirements.lock", lock)


@contextmanager
def forks_served(place: Place) -> Iterator[None]:
    """Play a game in the checkout, and serve forks of that process."""
    first = f"play --run runs/one --ticks {TICKS}".split()
    program = f"from tests import forks; forks.serve({str(place.home / 'forks')!r}, {first})"
    with subprocess.Popen(
        [sys.executable, "-P", "-c", program],
        cwd=place.checkout,
        env={**os.environ, "PYTHONPATH": f"{place.checkout}:{ROOT}"},
        stdout=subprocess.PIPE,
    ) as server:
        assert server.stdout
        assert server.stdout.readline() == b"ready\n"
        try:
            yield
        finally:
            server.kill()


@pytest.fixture(scope="module")
def played_place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    home = tmp_path_factory.mktemp("it's a höme")
    (home / "bin").mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found
        (home / "bin" / tool).symlink_to(found)
    place = Place(home / "the checkout", home)
    made_checkout(place.checkout)
    with forks_served(place):
        prepare_runs(place)
        yield place


def prepare_runs(place: Place) -> None:
    """Make what commands are tried on, from the game in the checkout."""
    runs = place.checkout / "runs"
    with closing(open_run(runs / "one")) as folder:
        folder.store.record.add_event(80, "stuck", STUCK)
        folder.store.commit()
    for name in ("two", "tonight"):
        shutil.copytree(runs / "one", runs / name)
    shutil.copytree(runs, place.home / "kept")
    for name in ("kept.sqlite", "the checkout/other.sqlite"):
        shutil.copy(place.checkout / "memory.sqlite", place.home / name)


def restored(place: Place) -> Place:
    """Return the checkout as it was after one game."""
    runs = place.checkout / "runs"
    shutil.rmtree(runs)
    shutil.copytree(place.home / "kept", runs)
    shutil.copy(place.home / "kept.sqlite", place.checkout / "memory.sqlite")
    shutil.rmtree(place.home / "mine", ignore_errors=True)
    return place


@pytest.fixture
def place(played_place: Place) -> Place:
    """A checkout as it was after one game."""
    return restored(played_place)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    (tmp_path / "else where's").mkdir()
    return tmp_path / "else where's"


def words_of(line: str) -> tuple[str, frozenset[str]]:
    """Return the command of a line, such as "memory show", and its flags."""
    words = line.split("red-agent ")[1].split() if "red-agent " in line else ["play", *line.split()]
    group = words[0] in {"memory", "scenario", "bench"}
    return " ".join(words[: 1 + group]), frozenset(re.findall(r" (--[\w-]+)", line))


def in_shell(lines: Sequence[str]) -> list[str]:
    """Return the lines to run: of those of one command the ones with most flags, and how everything begins."""
    shapes = {words_of(each): each for each in reversed(lines) if not PARSED.search(each)}
    return ["scripts/play"] + [
        line
        for (name, flags), line in shapes.items()
        if not any(name == other and flags < more for other, more in shapes)
    ]


LINES: Final = commands_of_pages()


def filled(line: str, item: str) -> str:
    """Return a command of a page with values for what stands for something."""
    for word, value in VALUES:
        line = line.replace(word, value)
    return line.replace("ITEM", item)


def item_of(place: Place, file: str) -> str:
    """Return the short name of an item in a memory file."""
    found = place.shell(f"scripts/red-agent memory show {file} --json", place.checkout)
    return str(next(iter(found.json["items"].values()))[0]["short"])


@pytest.mark.parametrize("line", in_shell(LINES))
def test_a_command_of_a_page_or_of_help_works_in_the_checkout(line: str, place: Place) -> None:
    file = "last" if "--in last" in line else "memory.sqlite"
    item = item_of(place, file) if re.search("ID|520c8de8", line) else ""
    place.works(filled(line, item), place.checkout)


@pytest.mark.proof
@pytest.mark.timeout(3_000)
def test_every_command_of_pages_and_help_begins_its_work(played_place: Place) -> None:
    place, wrong = played_place, list[str]()
    (place.home / "elsewhere").mkdir()
    for folder in ("docs", "tests"):  # what is measured again, and how
        shutil.copytree(ROOT / folder, place.checkout / folder, dirs_exist_ok=True)
    shutil.copy(ROOT / "pyproject.toml", place.checkout)
    with FakeClaude() as server:
        model = f"ANTHROPIC_BASE_URL={server.url} ANTHROPIC_API_KEY=any "
        tape = "scripts/red-agent play --mind claude --ticks 70 --ask-every 30"
        wrong.append(place.begins(model + tape, place.checkout))
        for line in LINES:
            restored(place)
            mine = place.home / "mine"
            shutil.copytree(place.checkout / "tests" / "scenarios", mine)
            if "record" not in line:  # it makes that file
                one = mine / "nothing_is_trained_in_empty_grass.toml"
                shutil.copy(one, mine / "before_the_gym.toml")
            item = item_of(place, "last" if "--in last" in line else "memory.sqlite")
            asks = "claude" in line.replace("fake-claude", "") or "--model" in line
            words = filled(line, item) + (" --yes" if "memory forget" in line else "")
            if "memory restore" in line:  # what is there cannot be brought back
                place.works(f"scripts/red-agent memory forget {item} --yes", place.checkout)
            wrong.append(
                place.begins(
                    model * asks + words.removeprefix("ANTHROPIC_API_KEY=any "), place.checkout
                )
            )
    found = [each for each in wrong if each]
    assert not found, "\n".join(found)


def test_the_flags_of_a_command_on_a_page_exist() -> None:
    for line in LINES:
        words = filled(line, "x").split("red-agent ")[-1].split()
        if "red-agent " not in line:
            words[0] = "play"
        found = cli.load(words.pop(0))
        while hasattr(found, "commands") and words:
            found = found.commands[words.pop(0)]
        options = {name for param in found.params for name in (*param.opts, *param.secondary_opts)}
        assert {each for each in words if each.startswith("--")} <= options, line


def test_code_on_pages_that_is_not_for_the_agent_names_what_exists() -> None:
    for page in PAGES:
        for code in codes_of(page):
            assert not re.search(
                r"python -m agent\b(?!\.)|(?<!scripts/)red-agent (?!=)[a-z]", code
            ), (page, code)
            if OTHER.match(code) and not WITH_AGENT.match(code):
                program = code.split()[0]
                assert program in DEVELOPERS or program == "scripts/red-agent", (page, code)
                for word in re.findall(
                    r"(?:scripts|roms|tests)/[\w/.-]+", code.replace("NAME", "night")
                ):
                    assert (ROOT / word).exists(), (page, code)


def test_the_code_prints_commands_by_one_function_alone() -> None:
    typed = re.compile(r"python -m agent(?: |`;)|[ `'](?:\.venv/bin/)?red-agent (?:[a-z]+|\{\{)")
    for folder in ("agent", "memory", "emulator"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".py", ".html"} and path.name != "__main__.py":
                assert not typed.search(path.read_text(encoding="utf-8")), path


def test_the_last_lines_of_play_after_ctrl_c_can_be_pasted(place: Place, elsewhere: Path) -> None:
    play = f"{quoted(place.launcher)} play --memory none --run 'it'\\''s a rün'"
    with subprocess.Popen(
        place.argv(place.in_fork(play)),
        cwd=elsewhere, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0,
    ) as playing:  # fmt: skip
        assert playing.stdout
        assert playing.stderr
        next(line for line in playing.stderr if "START" in line)
        os.killpg(playing.pid, signal.SIGINT)  # as a terminal does
        out = playing.stdout.read()
    assert "result: interrupted" in out
    again, check = place.printed(out, elsewhere)
    place.works(again, elsewhere)
    assert "divergence: none" in place.works(check, elsewhere).out


def test_the_last_lines_of_a_night_can_be_pasted(place: Place, elsewhere: Path) -> None:
    night = f"{quoted(place.launcher)} overnight --run 'to night' --memory m.sqlite --ticks 10 --min-free 0"
    ended = place.works(night, elsewhere)
    again, watch = place.printed(ended.out, elsewhere)
    assert again == night
    place.works(again, elsewhere)
    place.works(watch, elsewhere)
    assert (elsewhere / "night.mp4").exists()


def test_the_commands_of_a_report_can_be_pasted_in_any_folder(
    place: Place, elsewhere: Path
) -> None:
    place.works("scripts/red-agent report runs/one", place.checkout)
    html = (place.checkout / "runs" / "one" / "report.html").read_text(encoding="utf-8")
    blocks = re.findall(r"<pre><code>(.*?)</code></pre>", html, re.DOTALL)
    lines = [line for block in blocks for line in unescape(block).splitlines()]
    assert len(lines) == 5
    for line in lines:
        assert place.printed(line, elsewhere) == [line]
        ended = place.works(line, elsewhere)
        if "from-stuck" in line:
            (run_it,) = place.printed(ended.out, elsewhere)
            place.works(run_it, elsewhere)


def edited_memory(memory: Path, to: Path, sql: str) -> Path:
    """Return a copy of a memory file, changed by SQL."""
    shutil.copy(memory, to)
    with closing(sqlite3.connect(to)) as database, database:
        assert database.execute(sql).rowcount > 0
    return to


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("play --nothing", 2),
        ("memory no-such-command", 2),
        ("memory show no-such-item", 2),
        ("runs .", 0),
        ("memory check {damaged}", 1),
    ],
)
def test_commands_in_other_lines_can_be_pasted(
    line: str, code: int, place: Place, elsewhere: Path
) -> None:
    change = "UPDATE ltm_entries SET count = 0"
    damaged = edited_memory(place.checkout / "memory.sqlite", elsewhere / "damaged.sqlite", change)
    ended = place.shell(
        f"{quoted(place.launcher)} {line.format(damaged=quoted(damaged))}", elsewhere
    )
    assert ended.code == code, ended
    for each in place.printed(ended.out + ended.err, elsewhere):
        place.works(each, elsewhere)


def test_without_packages_the_command_that_installs_them_is_named(
    place: Place, elsewhere: Path
) -> None:
    bare = f"PYTHONPATH={quoted(place.checkout)} {sys.executable} -S -m agent runs --json"
    ended = place.shell(bare, elsewhere)
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    (line,) = place.printed(ended.err, elsewhere)
    place.works(line, elsewhere)


def test_the_line_to_play_with_made_up_answers_can_be_pasted(place: Place, elsewhere: Path) -> None:
    serve = f"{quoted(place.launcher)} fake-claude --port 0"
    with subprocess.Popen(
        place.argv(place.in_fork(serve)),
        cwd=elsewhere, stdout=subprocess.PIPE, text=True, process_group=0,
    ) as serving:  # fmt: skip
        assert serving.stdout
        shown = next(line for line in serving.stdout if "play" in line and "=" in line)
        try:
            (line,) = place.printed(shown, elsewhere)
            assert "model: fake-claude" in place.works(line, elsewhere).err
            for words in ("--dry-run", "--db .tapes/tapes.sqlite --reset"):  # this game's tape
                place.works(f"scripts/red-agent observe {words}", place.checkout)
        finally:
            os.killpg(serving.pid, signal.SIGINT)


def test_a_start_that_is_impossible_is_one_line(place: Place, elsewhere: Path) -> None:
    start = f"{quoted(place.launcher)} --version"
    ended = place.alone(f"ulimit -n 15; {start}", elsewhere)
    assert (ended.code, ended.out) == (1, "")
    assert (
        ended.err
        == "error: only 15 files may be open at once, and 16 are needed; raise `ulimit -n`\n"
    )
    (elsewhere / "gone").mkdir()
    ended = place.alone(f"cd gone; rmdir ../gone; {start}", elsewhere)
    assert (ended.code, ended.out) == (1, "")
    ours = [each for each in ended.err.splitlines() if "getcwd" not in each]  # the shell's own line
    assert ours == ["error: the current folder was removed; change to another one"]


def test_a_copy_without_its_checkout_says_where_to_run(tmp_path: Path) -> None:
    site, folder = tmp_path / "site", tmp_path / "folder"
    folder.mkdir()
    for package in ("agent", "memory", "emulator"):  # a wheel holds modules, and no data
        kept = shutil.ignore_patterns("[!_a-z]*", "*.[!p]*", "*.p[!y]*")
        shutil.copytree(ROOT / package, site / package, ignore=kept, copy_function=shutil.copyfile)
    start = "from agent.__main__ import run; run()"
    line = "error: red-agent runs from its checkout: clone it and run scripts/play\n"
    for words in ("--version", "memory show"):
        done = subprocess.run(
            [sys.executable, "-P", "-c", start, *words.split()],
            cwd=folder, env={"PYTHONPATH": str(site)}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (2, "", line)
    assert not list(folder.iterdir())
    assert {each.name for each in site.iterdir()} == {"agent", "memory", "emulator"}


NAMES: Final = st.binary(min_size=1, max_size=30).filter(lambda name: 0 not in name)


@settings(max_examples=40)
@given(st.lists(NAMES, min_size=1, max_size=40))
@example([b"run\n", b"\n\n", b"\033\n"])
@example([b"-x", b"it's", b"a b", b"\xff", "é\u202e".encode(), b"a\nb", b'$(x)`y`"\\', b"%s\033"])
def test_any_word_is_quoted_so_that_a_shell_gets_it_back(names: list[bytes]) -> None:
    line = " ".join(quoted(os.fsdecode(each)) for each in names)
    assert line.replace("\n", "").isprintable()
    assert line.count("\n") == sum(len(each) - len(each.rstrip(b"\n")) for each in names)
    shown = subprocess.run(
        ["/bin/sh", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True
    )
    assert shown.stdout == b"".join(each + b"\0" for each in names)


def test_a_command_is_relative_to_the_current_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    assert command("replay", ROOT / "-r") == "scripts/red-agent replay ./-r"
    assert command("replay", Path("a b"), anywhere=True) == (
        f"{quoted(ROOT / 'scripts' / 'red-agent', anywhere=True)} replay '{ROOT}/a b'"
    )
    monkeypatch.chdir(ROOT / "scripts")
    assert command("runs") == "./red-agent runs"
    monkeypatch.chdir(tmp_path)
    assert command("runs") == f"{quoted(ROOT / 'scripts' / 'red-agent')} runs"
