"""The rules of the observer: goals, errors, files and tokens, and no lookalikes."""

import os
import socket
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.tapes.entries import TapeEntry, TokenUsage
from memory.tapes.observer import Priority, RunFigures, loops, observe_session, priority_of, spikes
from memory.tapes.reader import TapeReader
from tests.agent.support import ROOT
from tests.memory.tapes.tapes_files import chain, name_of, node, result, spent, tape_file, text, use

Rows = list[dict[str, Any]]
PLEASE = ("user", text("please play"))
TRACE = 'Traceback (most recent call last):\n  File "a.py", line 3\n    x()\nKeyError: 7\n'


def noted(path: Path, rows: Rows) -> list[str]:
    """Return the observations of the first session, without their priority and session."""
    return [line.split("] ", 1)[1].rsplit(" (session", 1)[0] for line in lines(path, rows)]


def lines(path: Path, rows: Rows) -> list[str]:
    with TapeReader(tape_file(path, rows)) as reader:
        session = reader.read_session(reader.list_sessions()[0])
        return [each.line(session.short) for each in observe_session(session)]


def test_a14_the_goal_is_the_first_genuine_user_message(path: Path) -> None:
    rows = chain(
        ("system", text("you play")),
        ("user", text("<system-reminder>\nfix the error\n</system-reminder>")),
        ("user", result("a tree", "t")),
        ("user", text("<system-reminder>now</system-reminder> <run id='r' attempt='1'/>\nbeat\nthe   leader")),
        ("user", text("then go on")),
    )  # fmt: skip
    assert noted(path, rows) == ["Session goal: beat the leader"]


def question(purpose: str, tick: int, place: str) -> str:
    """Return a question as play asks it."""
    head = f"Why you are asked: {purpose}: the door\nTick: {tick}\n"
    return f"{head}<situation>\nPlace: {place}\n</situation>"


def test_questions_of_play_are_counted_and_their_text_is_no_note(path: Path) -> None:
    rows = chain(
        ("user", text("<run id='r' attempt='1'/>")),
        ("user", text(question("routine", 37, "the bedroom (3, 6)"))),
        ("assistant", text("go")),
        ("user", text(question("stuck", 80, "the lane (1, 2)"))),
        ("assistant", text("go")),
        ("user", text(question("routine", 1_200, "the lab (3, 4)"))),
    )
    asked = (
        "Questions of play: 2 routine, 1 stuck, from tick 37 in the bedroom to tick 1200 in the lab"
    )
    assert noted(path, rows) == [asked]
    rows[2].update(spent(45_000, 10_000))  # a summary of play has the tokens
    (one,) = noted(path.with_name("one.sqlite"), rows[:3])
    assert one == "Questions of play: 1 routine, at tick 37 in the bedroom"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("<system-reminder>so it is cut off", "hm"),
        ("<observations>\nKeyError: 7\n</observations>", "hm"),
        # A session that condenses a conversation:
        ("<previous-observations>\nlost\n</previous-observations>\n<conversation>", "KeyError: 7"),
        ("<conversation>\nfix the error\n</conversation>", "KeyError: 7"),
        ("<observations>\n- a bug\n</observations>\n\nWrite them anew in fewer than 9 tokens.", "KeyError: 7"),
    ],
)  # fmt: skip
def test_a14_injected_or_condensed_text_is_neither_goal_nor_observation(
    path: Path, asked: str, said: str
) -> None:
    assert noted(path, chain(("user", text(asked)), ("assistant", text(said)))) == []


def test_a15_a_result_flagged_as_an_error_is_a_tool_error(path: Path) -> None:
    rows = chain(
        ("user", text("beat them all " * 60)),
        ("assistant", [*use("look", None, "t1"), *use("look", None, "t2")]),
        ("user", [*result("there is no error here", "t1"), *result("no such place", "t2", error=True)]),
        ("assistant", use("look")),
        ("user", [*result(), *result()]),
    )  # fmt: skip
    goal, *others = lines(path, rows)
    assert len(goal.partition("Session goal: ")[2].partition(" (session")[0]) == 300
    assert others == [
        "- [important] Tool error: no such place (session: a0000000)",
        "- [informational] Tool results recorded without their text: 2 (session: a0000000)",
    ]


def test_a15_an_error_without_text_is_described_by_its_call(path: Path) -> None:
    rows = chain(
        PLEASE,
        ("assistant", [*use("look", None, "t1"), *use("try_plan", {"to": "gym"}, "t2")]),
        ("user", result(" \n", "t2", error=True)),
        ("assistant", [*use("recall"), *use("store", {"a": 1})]),  # ids dropped: matched by place
        ("user", [*result("fine"), *result("", error=True)]),
        ("user", result("", "gone", error=True)),
    )
    assert noted(path, rows)[1:4] == [
        'Tool error: try_plan {"to": "gym"} failed without a message',
        'Tool error: store {"a": 1} failed without a message',
        "Tool error: a call failed without a message",
    ]


def test_a15_equal_calls_without_ids_are_matched_by_place(path: Path) -> None:
    same = [
        *use("Write", {"file_path": "a.py"}),
        *use("Write", {"file_path": "a.py"}),
        *use("look"),
    ]
    results = [*result("", error=True), *result("ok"), *result("", error=True)]
    rows = chain(PLEASE, ("assistant", same), ("user", results))
    assert noted(path, rows)[1:] == [
        'Tool error: Write {"file_path": "a.py"} failed without a message',
        "Tool error: look failed without a message",
        "File created: a.py",
    ]


@pytest.mark.parametrize(
    ("said", "seen"),
    [
        (TRACE, ["KeyError: 7"]),
        ("it printed\nmodule.sub.BadMoveException: no PP\nthen", ["module.sub.BadMoveException: no PP"]),
        (TRACE.replace("KeyError: 7", "KeyboardInterrupt"), ["KeyboardInterrupt"]),
        (f"{TRACE}\nDuring handling:\n\n{TRACE.replace('KeyError: 7', 'ValueError: x')}", ["KeyError: 7", "ValueError: x"]),
        ("Traceback (most recent call last):\n  File", ["a traceback that is cut off"]),
        ("there was an error: I fixed it", []),
        ("Error: no. An Exception: none. the ValueError: is inside", []),
        ("  ValueError: not at the start of a line", []),
        ("a Traceback (most recent call last): quoted", []),
    ],
)  # fmt: skip
@pytest.mark.parametrize("where", ["prose", "result"])
def test_a16_printed_exceptions_are_observed_and_casual_words_are_not(
    path: Path, said: str, seen: list[str], where: str
) -> None:
    turn = ("assistant", text(said)) if where == "prose" else ("user", result(said, "t"))
    assert noted(path, chain(PLEASE, turn))[1:] == [f"Exception: {each}" for each in seen]


def test_a16_a_traceback_in_a_tool_error_is_observed_once_by_its_last_line(path: Path) -> None:
    rows = chain(PLEASE, ("user", result(TRACE, "t", error=True)))
    assert noted(path, rows)[1:] == ["Tool error: KeyError: 7"]


def test_a17_created_and_edited_files_are_observed_unless_their_tool_failed(path: Path) -> None:
    rows = chain(
        PLEASE,
        ("assistant", use("Write", {"file_path": "a.py"}, "t1")),
        ("assistant", use("Edit", {"file_path": "b.py"}, "t2")),
        ("assistant", use("str_replace_based_edit_tool", {"command": "create", "path": "c.py"}, "t3")),
        ("assistant", use("str_replace_based_edit_tool", {"command": "view", "path": "d.py"}, "t4")),
        ("assistant", use("memory", {"command": "str_replace", "path": "/memories/e.md"}, "t5")),
        ("assistant", use("Read", {"file_path": "f.py"}, "t6")),
        ("assistant", use("Write", {"content": "no path"}, "t7")),
        ("assistant", [*use("Write", {"file_path": "g.py"}, "t8"), *use("Edit", {"file_path": "h.py"}, "t9")]),
        ("user", [*result("disk full", "t8", error=True), *result("ok", "t9")]),
        ("assistant", [*use("Write", {"file_path": "i.py"}), *use("Write", {"file_path": "j.py"})]),
        ("user", [*result("ok"), *result("denied", error=True)]),
    )  # fmt: skip
    found = ("created: a.py", "edited: b.py", "created: c.py", "edited: /memories/e.md")
    assert [each for each in lines(path, rows) if "File" in each] == [
        f"- [possible] File {each} (session: a0000000)"
        for each in (*found, "edited: h.py", "created: i.py")
    ]


def test_a18_token_usage_is_summed_when_there_is_input(path: Path) -> None:
    rows = chain(PLEASE, ("assistant", text("a")), ("user", text("b")), ("assistant", text("c")))
    rows[1].update(spent(45_000, 10_000, 38_000))
    rows[3].update(spent(5, 2_000))
    usage = "Token usage: 45005 input, 12000 output, 38000 cache read"
    assert lines(path, rows)[1:] == [f"- [informational] {usage} (session: a0000000)"]
    rows[1].update(prompt_tokens=None)
    rows[1].update(completion_tokens=7)
    assert len(lines(path.with_name("other.sqlite"), rows[:3])) == 1


@pytest.mark.parametrize(
    ("words", "priority"),
    [
        ("fix the crash in battle strategy", Priority.IMPORTANT),
        ("it FAILED twice", Priority.IMPORTANT),
        ("handle ValueError there", Priority.IMPORTANT),
        ("look at battle_error and go", Priority.IMPORTANT),
        *((f"a {word} thing", Priority.IMPORTANT) for word in (
            "bug", "error", "crash", "security", "fix", "fail", "broken", "revert", "hotfix", "vulnerability")),
        *((f"a {word} thing", Priority.POSSIBLE) for word in (
            "test", "refactor", "update", "rename", "cleanup", "reorganize", "migrate", "deprecate")),
        ("update the tests, then fix the bug", Priority.IMPORTANT),
        ("renaming files", Priority.POSSIBLE),
        ("the latest prefix of the fixture", Priority.INFORMATIONAL),
        ("walk to Viridian City", Priority.INFORMATIONAL),
        ("debug terrors in the contest", Priority.INFORMATIONAL),
    ],
)  # fmt: skip
def test_a19_words_decide_the_priority(words: str, priority: Priority) -> None:
    assert priority_of(words) is priority


def test_a20_observing_uses_no_network_and_is_deterministic(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the observer must not reach for a network")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    rows = chain(
        PLEASE, ("assistant", use("Write", {"file_path": "a.py"})), ("user", result(TRACE))
    )
    first = lines(path, rows)
    assert first == lines(path, [])
    command = [
        sys.executable,
        "-I",
        "-S",
        str(ROOT / "scripts" / "observe_cli.py"),
        "--dry-run",
        "--db",
        str(path),
    ]
    outputs = {
        subprocess.run(command, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("0", "7")
    }  # fmt: skip
    (output,) = outputs
    assert output.decode().splitlines()[1:-1] == first


def test_a21_repeated_observations_are_one_line_with_a_count(path: Path) -> None:
    failing = [("user", result("no path", f"t{number}", error=True)) for number in range(150)]
    rows = chain(PLEASE, *failing, ("user", result("no way", "t", error=True)))
    assert noted(path, rows)[1:] == ["Tool error: no path ×150", "Tool error: no way"]  # noqa: RUF001


def test_a21_a_reply_and_its_echo_count_once(path: Path) -> None:
    rows = chain(PLEASE, ("assistant", text(TRACE)), ("user", text("and?")))
    leaf = node(name_of("b", 1), name_of("a", 0), "assistant", text(TRACE), model="m-20260101")
    other = node(name_of("c", 1), name_of("a", 0), "assistant", text("ValueError: another way"))
    assert noted(path, [*rows, leaf, other])[1:] == [
        "Exception: KeyError: 7",
        "Exception: ValueError: another way",
    ]


def test_a19_notes_and_stored_texts_are_observed_if_their_words_have_a_priority(path: Path) -> None:
    rows = chain(
        PLEASE,
        ("assistant", text('{"goals": ["gym"], "note": "the bridge route is broken"}')),
        ("assistant", text('{"note": "nice weather"}')),
        ("assistant", text('{"note": 7} {')),
        ("assistant", [*use("store", {"content": "Brock failed us"}, "t1"), *use("store", {"content": "a bug"}, "t2")]),
        ("user", [*result("stored", "t1"), *result("refused", "t2", error=True)]),
        ("assistant", use("recall", {"content": "an error"}, "t3")),
    )  # fmt: skip
    assert [each for each in noted(path, rows) if each.startswith("A model")] == [
        "A model noted: the bridge route is broken",
        "A model claimed: Brock failed us",
    ]


def turns(seconds: list[float], tokens: list[int] | None = None) -> list[TapeEntry]:
    start = datetime(2026, 3, 9, 10, tzinfo=UTC)
    costs = tokens or [0] * len(seconds)
    return [
        TapeEntry(hash=str(number), role="assistant", timestamp=start + timedelta(seconds=at), usage=TokenUsage(cost))
        for number, (at, cost) in enumerate(zip(seconds, costs, strict=True))
    ]  # fmt: skip


def test_a36_ten_turns_in_half_a_minute_are_a_loop() -> None:
    assert loops(turns([each * 4.0 for each in range(40)])) == []
    (alert,) = loops(
        turns([each * 2.0 for each in range(14)] + [100.0 + 60 * each for each in range(5)])
    )
    assert (alert.kind, alert.hash, alert.amount) == ("loop", "13", 14)
    assert loops(turns([float(each) for each in range(9)])) == []


def test_a36_twice_the_mean_of_two_minutes_is_a_spike() -> None:
    (alert,) = spikes(turns([0, 30, 60, 90], [100, 100, 201, 100]))
    assert (alert.kind, alert.hash, alert.amount) == ("spike", "2", 201)
    assert spikes(turns([0, 121], [100, 900])) == []


def test_a36_the_fitness_of_a_run_is_one_number() -> None:
    assert RunFigures(2, 1, 3, 4, 5, 60, 7).fitness() == 2_000 + 5_000 + 1_500 + 400 - 25 - 6 - 14
