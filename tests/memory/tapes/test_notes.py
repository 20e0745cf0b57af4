"""From a tape to `observations.md` and into the next session: once, completely, and deterministically."""

import json
import os
import random
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from signal import SIGKILL
from typing import Any

import pytest

from memory.errors import MissingStore, StoreError, UnknownMemory
from memory.tapes.command import find_tape, memory_folder
from memory.tapes.notes import (
    PAGE,
    STATE,
    ObservationsPage,
    ObserveResult,
    load_page,
    note_run,
    observe,
)
from memory.tapes.observer import Priority, SessionObservation
from memory.tokens import tokens
from tests.agent.support import ROOT
from tests.memory.tapes.tapes_files import (
    answer,
    chain,
    name_of,
    question,
    recorder,
    result,
    said,
    tape_file,
    text,
    words,
)

PAGE_OF_TWO = """\
## 2026-03-08

- [informational] Session goal: walk north (session: b0000000)

## 2026-03-09

- [important] Session goal: fix it (session: a0000000)
- [important] Tool error: no path (session: a0000000)
""".replace("\n\n-", "\n-")
AT_8 = "2026-03-08 23:59:59+00:00"


def error(said_: str) -> tuple[str, object]:
    return ("user", result(said_, "t", error=True))


def two_sessions(path: Path) -> Path:
    rows = chain(("user", text("fix it")), error("no path"), start="a")
    return tape_file(
        path, [*rows, *chain(("user", text("walk north")), start="b", created_at=AT_8)]
    )


def test_the_notes_of_a_run_stand_beside_those_of_tapes_and_are_replaced(path: Path) -> None:
    folder, at = memory_folder(path), datetime(2026, 3, 9, tzinfo=UTC)
    observe(two_sessions(path), folder)
    for words_ in ("lost to the rival", "beat the rival"):
        note_run(folder, "20260309-seed3-88da", [SessionObservation(Priority.POSSIBLE, words_, at)])
    observe(path, folder)
    added = "- [possible] beat the rival (session: ed3-88da)\n"
    assert load_page(folder) == PAGE_OF_TWO + added


def observed(
    path: Path, *, dry_run: bool = False, reset: bool = False, session: str | None = None
) -> ObserveResult:
    folder = memory_folder(path)
    return observe(path, folder, dry_run=dry_run, reset=reset, session=session)


def page(path: Path) -> str:
    return (memory_folder(path) / PAGE).read_text(encoding="utf-8")


def state(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((memory_folder(path) / STATE).read_text(encoding="utf-8"))
    return found


def rebuilt(path: Path) -> str:
    """Return the page of an observation from scratch."""
    observe(path, path.parent / "rebuilt", reset=True)
    return (path.parent / "rebuilt" / PAGE).read_text(encoding="utf-8")


def grow(path: Path, start: str, at: int, said_: str, created_at: str) -> None:
    (row,) = chain(error(said_), start=start, created_at=created_at)
    row |= {"hash": name_of(start, at), "parent_hash": name_of(start, at - 1)}
    tape_file(path, [row])


def test_a22_a24_a28_a33_a35_a_session_is_observed_once_into_the_page(path: Path) -> None:
    assert load_page(memory_folder(path)) == ""
    first = observed(two_sessions(path))
    assert (first.sessions, first.unchanged, first.lines) == (2, 0, 3)
    assert page(path) == load_page(memory_folder(path)) == PAGE_OF_TWO
    assert ObservationsPage(PAGE_OF_TWO).render() == PAGE_OF_TWO
    assert ObservationsPage("").render() == ""
    second = observed(path)
    assert (second.sessions, second.unchanged, second.lines) == (0, 2, 0)
    assert page(path) == PAGE_OF_TWO
    marks = state(path)["sessions"]
    assert set(marks) == {name_of("a", 0), name_of("b", 0)}
    started = sorted(mark["started"] for mark in marks.values())
    assert started == ["2026-03-08T23:59:59Z", "2026-03-09T10:00:00Z"]
    again = observed(path, reset=True)
    assert (again.sessions, again.lines) == (2, 3)
    assert page(path) == PAGE_OF_TWO


def test_a23_a_day_has_one_header_and_later_lines_are_added_to_it(path: Path) -> None:
    observed(two_sessions(path))
    tape_file(path, chain(("user", text("walk east")), start="c", created_at=AT_8))
    observed(path)
    days = ObservationsPage(page(path)).days
    assert {day: len(lines) for day, lines in days.items()} == {"2026-03-08": 2, "2026-03-09": 2}
    assert page(path).count("## ") == 2
    assert page(path).index("walk east") < page(path).index("## 2026-03-09")


def test_a23_a_date_inside_a_line_is_not_a_header(path: Path) -> None:
    memory_folder(two_sessions(path)).mkdir()
    own = "# Notes\n\nsee ## 2026-03-09 below\n\n## 2026-03-10\n- by hand: ## 2026-03-08\n"
    (memory_folder(path) / PAGE).write_text(own, encoding="utf-8")
    observed(path)
    found = ObservationsPage(page(path)).days
    assert list(found) == ["2026-03-08", "2026-03-09", "2026-03-10"]
    assert page(path).startswith("# Notes\n\nsee ## 2026-03-09 below\n\n## 2026-03-08\n")
    assert found["2026-03-10"] == ["- by hand: ## 2026-03-08"]


def test_a25_a_session_grown_at_its_end_or_on_a_branch_is_observed_again(path: Path) -> None:
    observed(two_sessions(path))
    grow(path, "a", 2, "no path", "2026-03-09 11:00:00+00:00")
    grow(path, "a", 3, "no key", "2026-03-10 11:00:00+00:00")
    again = observed(path)
    assert (again.sessions, again.unchanged) == (1, 1)
    assert page(path).endswith(
        "- [important] Session goal: fix it (session: a0000000)\n"
        "- [important] Tool error: no path ×2 (session: a0000000)\n\n"  # noqa: RUF001
        "## 2026-03-10\n"
        "- [important] Tool error: no key (session: a0000000)\n"
    )
    assert state(path)["sessions"][name_of("a", 0)]["head"] == name_of("a", 3)
    assert observed(path).sessions == 0
    (row,) = chain(error("no way"), start="e")
    tape_file(path, [row | {"parent_hash": name_of("a", 0)}])
    assert observed(path).sessions == 1
    assert "no way" in page(path)


KILLED = """
import os, signal, sys
from pathlib import Path
from types import ModuleType

sys.modules["memory"] = ModuleType("memory")  # without its libraries, which are slow to import
sys.modules["memory"].__path__ = [os.environ["PYTHONPATH"] + "/memory"]
from memory.tapes.notes import observe
tape, folder, left = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])

def count():
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1

def watch(event, args):
    if event == "os.rename" or event == "open" and str(args[0]).startswith(str(folder)):
        count()

def look(_frame, event, called):
    if event == "c_call" and called.__name__ in {"write", "fsync"}:
        count()

sys.addaudithook(watch)
sys.setprofile(look)
observe(tape, folder)
"""


def test_a26_a_kill_at_any_line_loses_and_duplicates_nothing(path: Path) -> None:
    folder = memory_folder(two_sessions(path))
    observed(path)
    before = {name: (folder / name).read_bytes() for name in (PAGE, STATE)}
    old = page(path)
    grow(path, "a", 2, "no key", "2026-03-10 11:00:00+00:00")
    new, kills = rebuilt(path), 0
    for left in range(50):
        for name, content in before.items():
            (folder / name).write_bytes(content)
        done = subprocess.run(
            [sys.executable, "-c", KILLED, path, folder, str(left)],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            check=False,
        )
        assert page(path) in {old, new}
        if state(path)["sessions"][name_of("a", 0)]["nodes"] == 3:  # marks stay behind
            assert page(path) == new
        observed(path)
        assert page(path) == new
        assert observed(path).sessions == 0
        if done.returncode == 0:
            break
        assert done.returncode == -SIGKILL
        kills += 1
    assert kills >= 12


def test_a26_a_lost_or_damaged_page_or_state_is_restored(path: Path) -> None:
    observed(two_sessions(path))
    folder = memory_folder(path)
    for spoilt in ("", "{", '{"sessions": {"x": 1}}', "[" * 100_000, '{"sessions": []}'):
        (folder / STATE).write_text(spoilt, encoding="utf-8")
        observed(path)
        assert page(path) == PAGE_OF_TWO
        assert len(state(path)["sessions"]) == 2
    (folder / PAGE).unlink()
    observed(path)
    assert page(path) == PAGE_OF_TWO


def test_a27_a_dry_run_returns_the_page_and_writes_no_file(path: Path) -> None:
    found = observed(two_sessions(path), dry_run=True)
    assert found.page == PAGE_OF_TWO
    assert not memory_folder(path).exists()
    observed(path)
    before = {each.name: each.read_bytes() for each in memory_folder(path).iterdir()}
    assert observed(path, dry_run=True, reset=True).page == PAGE_OF_TWO
    assert {each.name: each.read_bytes() for each in memory_folder(path).iterdir()} == before


def test_a29_a_session_is_selected_by_a_hash_prefix(path: Path) -> None:
    two_sessions(path)
    found = observed(path, session="A0000000")
    assert (found.sessions, found.unchanged) == (1, 1)
    assert "walk north" not in page(path)
    assert set(state(path)["sessions"]) == {name_of("a", 0)}
    assert observed(path).sessions == 1
    assert page(path) == PAGE_OF_TWO
    assert observed(path, session=name_of("a", 0)).lines == 2
    assert page(path) == PAGE_OF_TWO


def test_a29_a_short_ambiguous_or_unknown_prefix_is_refused(path: Path) -> None:
    rows = chain(("user", text("one")), start="a")
    twin = chain(("user", text("two")), start="a", created_at=AT_8)[0]
    tape_file(path, [*rows, twin | {"hash": twin["hash"][:-1] + "1"}])
    for name, message in (
        ("a000000", "too short"),
        ("a0000000", "matches 2 sessions"),
        ("b0000000", "no session"),
    ):
        with pytest.raises(UnknownMemory, match=message):
            observed(path, session=name)
    assert not memory_folder(path).exists()
    observed(path)
    before = page(path)  # sessions with the same prefix keep their lines
    assert "one" in before
    assert "two" in before
    assert observed(path).sessions == 0
    observed(path, session=name_of("a", 0))
    assert page(path) == before


def test_a30_a_tape_is_found_by_flag_environment_or_default_folder(tmp_path: Path) -> None:
    home, xdg, here, there = (tmp_path / name for name in ("home", "xdg", "here", "there"))
    environment = {"HOME": str(home), "XDG_DATA_HOME": str(xdg)}
    with pytest.raises(MissingStore, match="--db or TAPES_SQLITE") as caught:
        find_tape(None, {"HOME": str(home)}, here)
    assert f"{here / '.tapes'}, {home / '.tapes'}" in str(caught.value)
    assert "\n" not in str(caught.value)
    places = [
        *(here / ".tapes" / "tapes.sqlite", here / ".tapes" / "tapes.db"),
        *(there / ".tapes" / "tapes.sqlite", xdg / ".tapes" / "tapes.sqlite"),
        *(home / ".tapes" / "tapes.db", here / "tapes.sqlite"),
    ]
    for place in reversed(places):
        tape_file(place, ())
        assert find_tape(None, environment, here, [there]) == place
    assert find_tape(None, environment | {"TAPES_DB": "b"}, here) == Path("b")
    both = environment | {"TAPES_DB": "b", "TAPES_SQLITE": "a"}
    assert find_tape(None, both, here) == Path("a")
    assert find_tape(Path("c"), both, here) == Path("c")
    for tape in (here / ".tapes" / "t.db", here / "t.db"):
        assert memory_folder(tape) == here / ".tapes" / "memory"


COMMANDS = [
    [sys.executable, "-I", "-S", str(ROOT / "scripts" / "observe_cli.py")],
    [sys.executable, "-m", "agent", "observe"],
]


def call(command: list[str], folder: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    kept = {
        name: each for name, each in os.environ.items() if not name.startswith(("TAPES", "XDG"))
    }
    environment = kept | {"HOME": str(folder / "home"), "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [*command, *flags], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("command", COMMANDS, ids=["bare python", "agent"])
def test_a27_a30_both_commands_do_the_same_from_any_folder(
    tmp_path: Path, command: list[str]
) -> None:
    two_sessions(tmp_path / ".tapes" / "tapes.sqlite")
    done = call(command, tmp_path, "--memory-dir", "notes", "--db", ".tapes/tapes.sqlite")
    assert (done.returncode, done.stderr) == (0, "")
    assert "2 of 2 sessions observed, 3 lines in notes/observations.md" in done.stdout
    assert (tmp_path / "notes" / PAGE).read_text(encoding="utf-8") == PAGE_OF_TWO
    again = call(command, tmp_path, "--memory-dir", "notes", "--db", ".tapes/tapes.sqlite")
    said = ".tapes/tapes.sqlite: 2 sessions, already noted (3 lines); --reset reads them again\n"
    assert again.stdout == said
    wrong = call(command, tmp_path, "--db", "none.sqlite")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    said = "error: none.sqlite does not exist; name a tape, such as .tapes/tapes.sqlite.\n"
    assert wrong.stderr == said
    if command is COMMANDS[0]:
        return
    dry = call(command, tmp_path, "--db", ".tapes/tapes.sqlite", "--dry-run", "--json")
    found = json.loads(dry.stdout)
    assert found.pop("page") == PAGE_OF_TWO
    figures = {"sessions": 2, "lines": 3, "all_lines": 3, "tape": ".tapes/tapes.sqlite"}
    nothing = dict.fromkeys(("unchanged", "incomplete", "loops", "spikes", "changed"), 0)
    assert found == {**figures, **nothing, "written": None}
    dry = call(command, tmp_path, "--dry-run", "--session", "a0000000", "--reset")
    goal = "- [important] Session goal: fix it (session: a0000000)"
    assert dry.stdout.splitlines()[:2] == ["## 2026-03-09", goal]
    assert not (tmp_path / ".tapes" / "memory").exists()


def test_a31_a_page_is_the_same_at_once_or_step_by_step(path: Path) -> None:
    chance = random.Random(3)
    lengths: dict[str, int] = {}
    for _ in range(25):
        start, minute = chance.choice("abcdef"), chance.randrange(3_000)
        at = f"2026-03-{9 + minute // 1440:02} {minute // 60 % 24:02}:{minute % 60:02}:00+00:00"
        if start in lengths:
            grow(path, start, lengths[start], chance.choice(["no path", "no key"]), at)
        else:
            tape_file(path, chain(("user", text(f"go {start}")), start=start, created_at=at))
        lengths[start] = lengths.get(start, 0) + 1
        if chance.random() < 0.6:
            observed(path)
    observed(path)
    grown = page(path)
    assert grown == rebuilt(path)
    for each in memory_folder(path).iterdir():
        each.unlink()
    memory_folder(path).rmdir()
    observed(path)
    assert page(path) == grown


def test_a32_git_ignores_tapes() -> None:
    assert ".tapes/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_a33_a_long_page_retains_important_and_new_lines(tmp_path: Path) -> None:
    kinds, months = ("informational", "possible", "important"), range(1, 13)
    lines = [
        f"## 2026-{month:02}-01\n"
        + "\n".join(f"- [{kind}] {kind} {month} {'x' * 40} (session: a0000000)" for kind in kinds)
        for month in months
    ]
    (tmp_path / PAGE).write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    for most in (60, 150, 300):
        assert tokens(load_page(tmp_path, most_tokens=most)) <= most
    cut = load_page(tmp_path, most_tokens=500)
    assert tokens(cut) <= 500
    kept = [f"{kind} {month}" for month in months for kind in kinds if f"] {kind} {month} " in cut]
    important = [f"important {month}" for month in months]
    assert [each for each in kept if each in important] == important
    others = [each for each in kept if each not in important]
    assert others == [f"possible {month}" for month in range(13 - len(others), 13)]
    assert 0 < len(others) < 12
    assert cut.endswith(f"({36 - len(kept)} of 36 lines are left out)\n")
    assert list(ObservationsPage(cut).days) == sorted(ObservationsPage(cut).days)
    line = "- [important] it fell (session: a0000000)\n"
    (tmp_path / PAGE).write_text("## 2026-03-09\n" + line * 20_000, encoding="utf-8")
    assert 31_900 < tokens(load_page(tmp_path)) <= 32_000


def test_a34_a_run_reads_the_observations_of_the_run_before(path: Path) -> None:
    words_ = "no path to the gym"
    failing = {"type": "tool_result", "tool_use_id": "t", "content": words_, "is_error": True}
    plan = {"type": "tool_use", "id": "t", "name": "try_plan", "input": {"to": "gym"}}
    tapes = recorder(path)
    opening = said("user", words("reach the gym"))
    tapes.record(question(opening), answer(plan))
    rest = said("assistant", plan), said("user", failing)
    tapes.record(question(opening, *rest), answer(words("so be it")))
    observed(path)
    assert f"- [important] Tool error: {words_} (session: " in load_page(memory_folder(path))


def test_a26_an_unwritable_folder_is_reported_in_one_line(path: Path) -> None:
    two_sessions(path)
    memory_folder(path).write_text("a file is in the way", encoding="utf-8")
    with pytest.raises(StoreError, match=r"cannot be (read|written).*name another folder"):
        observed(path)
