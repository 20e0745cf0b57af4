"""A file or flag from outside ends a command in one line: nests, numbers, devices, pipes, and unforeseen errors."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from agent import cli
from emulator import demo_cartridge_path, pyboy_console
from emulator.cartridge import HEADER_CHECKSUM, IMAGE_CHECKSUM, header_checksum, image_checksum
from tests.agent.support import ROOT, Agent, Played, refused

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.fixture
def run(played: Played, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played.folder, tmp_path / "run"))


@pytest.mark.parametrize("command", ["report", "replay", "play --resume", "plan --run"])
@pytest.mark.parametrize("text", [f"deep = {DEEP}\n", f"a{'.a' * 100_000} = 1\n", "/dev/zero"])
def test_a_run_toml_beyond_the_limits_is_named(
    command: str, text: str, run: Path, agent: Agent
) -> None:
    settings = run / "run.toml"
    if text.startswith("/"):
        settings.unlink()
        settings.symlink_to(text)
    else:
        settings.write_text(text + settings.read_text(encoding="utf-8"), encoding="utf-8")
    refused(agent(*command.split(), run), 1, "run.toml cannot be read")


@pytest.mark.parametrize("command", ["report", "plan --run", "play --resume"])
def test_the_line_about_a_huge_value_is_short(command: str, run: Path, agent: Agent) -> None:
    settings = run / "run.toml"
    text = settings.read_text(encoding="utf-8")
    huge = f"until = 0x{'f' * 200}\n"
    settings.write_text(text.replace("until =", f"{huge}before =", 1), encoding="utf-8")
    refused(agent(*command.split(), run), 1, "as until; restore")
    settings.write_text(text.replace("until =", "until = [" + '"x",' * 50_000 + "]\nbefore =", 1), encoding="utf-8")  # fmt: skip
    refused(agent(*command.split(), run), 1, "as until; restore")


@pytest.mark.parametrize("place", [DEEP, "/dev/zero", "FIFO"])
def test_a_report_leaves_out_files_that_cannot_be_read(place: str, run: Path, agent: Agent) -> None:
    for path in (run / "summary.json", run / "night.jsonl"):
        path.unlink(missing_ok=True)
        if place == "FIFO":
            os.mkfifo(path)
        elif place.startswith("/"):
            path.symlink_to(place)
        else:
            path.write_text(f'{{"what": {place}}}\n', encoding="utf-8")
    ended = agent("report", run)
    assert ended.code == 0, ended.err[-2_000:]
    assert ended.err == ""
    assert agent("runs", run.parent).code == 0


@pytest.mark.parametrize("command", ["report", "play --resume", "memory check"])
def test_a_deep_payload_of_an_event_is_damage(command: str, run: Path, agent: Agent) -> None:
    with closing(sqlite3.connect(run / "run.sqlite")) as database:
        database.execute("PRAGMA ignore_check_constraints = ON")
        change = "UPDATE events SET payload = ? WHERE kind = 'milestone'"
        database.execute(change, (f'{{"deep": {DEEP}}}',))
        database.commit()
    ended = agent(*command.split(), run)
    if command == "memory check":
        assert ended.code == 1
        assert "Traceback" not in ended.err
    else:
        refused(ended, 1, "is damaged")


MEMORY = ["memory show", "memory check", "memory check --repair", "memory map", "play --ticks 5 --memory"]  # fmt: skip


@pytest.mark.parametrize("command", MEMORY)
def test_a_deep_text_of_a_memory_is_damage(
    command: str, played: Played, tmp_path: Path, agent: Agent
) -> None:
    memory = tmp_path / "m.sqlite"
    shutil.copy(played.memory, memory)
    with closing(sqlite3.connect(memory)) as database:
        database.execute("PRAGMA ignore_check_constraints = ON")
        change = "UPDATE ltm_entries SET data = ? WHERE kind = 'milestone_time'"
        assert database.execute(change, (f'{{"deep": {DEEP}}}',)).rowcount
        database.commit()
    more = ["--run", tmp_path / "new"] if command.startswith("play") else []
    ended = agent(*command.split(), memory, *more)
    assert "Traceback" not in ended.err + ended.out
    assert "unexpected" not in ended.err
    if command != "memory check --repair":
        assert ended.code == 1


@pytest.mark.parametrize("command", ["play --mind claude", "overnight --mind claude"])
@pytest.mark.parametrize("amount", ["inf", "nan", "1e400", "-inf"])
def test_an_amount_without_end_is_a_usage_error(
    command: str, amount: str, tmp_path: Path, agent: Agent
) -> None:
    ended = agent(*command.split(), "--max-usd", amount, "--ticks", 5, "--run", tmp_path / "run")
    refused(ended, 2, "--max-usd")
    assert not (tmp_path / "run").exists()


Place = Callable[[Path], Path]


def fifo(home: Path) -> Path:
    os.mkfifo(home / "pipe.toml")
    return home / "pipe.toml"


def deep(home: Path) -> Path:
    path = home / "deep.toml"
    path.write_text(f"deep = {DEEP}\n", encoding="utf-8")
    return path


def device(name: str) -> Place:
    def link(home: Path) -> Path:
        path = home / "device.toml"
        path.symlink_to(name)
        return path

    return link


PLACES = [fifo, deep, device("/dev/zero"), device("/dev/full"), device("/dev/null")]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("flag", ["--terms", "--prices"])
def test_a_file_of_terms_or_prices_that_cannot_be_read_is_named(
    flag: str, place: Place, tmp_path: Path, agent: Agent
) -> None:
    path = place(tmp_path)
    ended = agent("play", "--mind", "claude", "--ticks", 5, "--run", tmp_path / "run", flag, path)
    refused(ended, 2, str(path))


@pytest.mark.parametrize(
    "line", ["dollars = 1e999999999", "dollars = inf", "calls = 1e3", "dollars = -1"]
)
def test_terms_without_an_amount_are_refused(line: str, tmp_path: Path, agent: Agent) -> None:
    terms = tmp_path / "terms.toml"
    terms.write_text(f'models = {{ usual = "a", small = "b" }}\n[ceilings.run]\n{line}\n', encoding="utf-8")  # fmt: skip
    ended = agent(
        "play", "--mind", "claude", "--ticks", 5, "--run", tmp_path / "run", "--terms", terms
    )
    refused(ended, 2)


@pytest.mark.parametrize("command", ["scenario list", "scenario run"])
@pytest.mark.parametrize("place", PLACES)
def test_a_scenario_that_cannot_be_read_is_named(
    command: str, place: Place, tmp_path: Path, agent: Agent
) -> None:
    path = place(tmp_path)
    refused(agent(*command.split(), path), 2, str(path))


SCENES = {
    "not UTF-8": (b'name = "\xec"\n', "utf-8"),
    "text for a table": (b'description = "x"\n[[start]]\nplay = "$goal"\n[play]\n', "is not a condition"),
    "a start of itself": (b'description = "x"\n[[start]]\nafter = "again"\n[play]\n', "continues itself"),
    "a start elsewhere": (b'description = "x"\n[[start]]\nafter = "../x"\n[play]\n', "is not a name"),
    "an endless press": (b'description = "x"\n[[start]]\npress = ["wait 99999999999"]\n[play]\n', "too long"),
    "endless presses": (b'description = "x"\n[[start]]\npress = ["b 4 4 x99999999999"]\n[play]\n', "too long"),
}  # fmt: skip


@pytest.mark.parametrize("kind", SCENES)
def test_a_wrong_scenario_is_named_with_its_fault(kind: str, tmp_path: Path, agent: Agent) -> None:
    text, words = SCENES[kind]
    path = tmp_path / "f.toml"
    path.write_bytes(text)
    (tmp_path / "moments").mkdir()
    (tmp_path / "moments" / "again.toml").write_text(
        '[[start]]\nafter = "again"\n', encoding="utf-8"
    )
    refused(agent("scenario", "list", path), 2, words)


@pytest.mark.parametrize("place", ["/dev/zero", "/dev/null", "FIFO"])
@pytest.mark.parametrize("command", ["report", "replay", "memory show", "play --rom", "doctor --rom"])  # fmt: skip
def test_a_device_or_pipe_is_no_file(
    command: str, place: str, tmp_path: Path, agent: Agent
) -> None:
    path: Path | str = place
    if place == "FIFO":
        path = tmp_path / "pipe"
        os.mkfifo(path)
    ended = agent(*command.split(), path)
    assert ended.code in {1, 2}
    assert "Traceback" not in ended.err
    assert "unexpected" not in ended.err


@pytest.mark.parametrize("command", ["doctor", "verify", "play --ticks 90"])
def test_a_cartridge_that_stops_at_an_invalid_instruction_ends_the_command(
    command: str, tmp_path: Path, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pyboy_console, "STUCK_AFTER_S", 0.1)
    monkeypatch.setattr(pyboy_console, "SLOWEST", 1_000)
    image = bytearray(demo_cartridge_path().read_bytes())
    image[0x103], image[0x109], image[0x10D] = 0x46, 0xBF, 0x03
    image[HEADER_CHECKSUM] = header_checksum(bytes(image))
    image[IMAGE_CHECKSUM] = image_checksum(bytes(image))
    rom = tmp_path / "damaged.gb"
    rom.write_bytes(image)
    words = command.split()
    more = ["--run", tmp_path / "run"] if words[0] == "play" else []
    more = ["--write", tmp_path] if words[0] == "verify" else more
    ended = agent(*words, "--rom", rom, *more)
    assert ended.code == 1
    said = "play broke" if command == "verify" else "invalid instruction"
    assert said in " ".join((ended.err + ended.out).split())
    assert "Traceback" not in ended.err


UNFORESEEN = """
import sys
from agent import cli
from agent.story.story import Story
def fail(*_): raise {error}
Story.of = fail
sys.argv = ["agent", "milestones"]
cli.main()
"""


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("KeyError('here: sk-ant-api03-abcdefgh')", "unexpected KeyError in "),
        ("RecursionError('too deep')", "unexpected RecursionError in "),
        ("OverflowError('a' * 9_000 + chr(10) + 'b')", "unexpected OverflowError in "),
        ("MemoryError()", "out of memory"),
    ],
)
def test_an_unforeseen_error_ends_in_one_line_and_a_file(
    error: str, words: str, tmp_path: Path
) -> None:
    code = UNFORESEEN.format(error=error)
    environment = {**os.environ, "TMPDIR": str(tmp_path), "ANTHROPIC_API_KEY": "key-1234567890"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: {words}")
    assert len(line) < 600
    assert "abcdefgh" not in line
    found = list(tmp_path.glob("*crash*.txt"))
    assert len(found) == (error != "MemoryError()")
    for each in found:
        assert str(each) in line
        assert "Traceback" in each.read_text(encoding="utf-8")
        assert "abcdefgh" not in each.read_text(encoding="utf-8")


def test_a_details_file_that_cannot_be_written_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkstemp", full)
    line = cli._unexpected(KeyError("x"))
    assert line.endswith("please report it")
    assert "details" not in line
    assert capfd.readouterr().err == ""


CLOCK = """
import time
def late(): raise OverflowError("timestamp too large to convert to C _PyTime_t")
time.time = late
from agent.__main__ import run
run()
"""


@pytest.mark.usefixtures("new_interpreters")
def test_a_clock_beyond_what_can_be_shown_ends_in_one_line() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CLOCK], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "error: the clock of this machine is after the year 2261; set it to today's date"
    ]
