"""What the calls of tools come to: the rules, and that they are nothing but rules."""

import sys
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import MalformedRecord, Observed
from memory.observations import TOOLS, Extractors, Result
from tests.memory.observations.observing import DONE, TOOL_CALLS, ended, failed, saw

WATCHED: list[str] = []
IS_WATCHING = [False]
INSIDE = ("open", "os.", "socket.", "sqlite3.", "subprocess.", "shutil.", "tempfile.", "time.")


def _audit(event: str, _args: object) -> None:
    if IS_WATCHING[0] and event.startswith(INSIDE):
        WATCHED.append(event)


sys.addaudithook(_audit)

JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
TODO = st.fixed_dictionaries({"content": st.text(max_size=30), "status": st.text(max_size=10)})
ARGS = st.fixed_dictionaries(
    {},
    optional={
        "path": JSON,
        "command": JSON,
        "pattern": JSON,
        "description": JSON,
        "todos": st.lists(TODO, max_size=3),
    },
)
RESULTS = st.builds(
    Result,
    output=JSON
    | st.fixed_dictionaries(
        {"exit_code": st.integers(-1, 2), "stdout": st.text(), "stderr": st.text()}
    ),
    error=st.text(max_size=300),
    refused=st.booleans(),
)


@given(st.sampled_from([*TOOLS, "unknown"]), ARGS, RESULTS)
def test_c01_extractors_are_pure(tool: str, args: dict[str, Any], result: Result) -> None:
    before = deepcopy((args, result))
    WATCHED.clear()
    IS_WATCHING[0] = True
    try:
        once, again = TOOL_CALLS(tool, args, result), TOOL_CALLS(tool, args, result)
    finally:
        IS_WATCHING[0] = False
    assert WATCHED == []  # no file, no socket, no clock
    assert once == again
    assert (args, result) == before
    assert all(1 <= each.importance <= 10 for each in once)
    assert not (once and result.refused)


def test_c01_the_watch_over_the_extractors_sees_a_file_that_is_opened() -> None:
    WATCHED.clear()
    IS_WATCHING[0] = True
    try:
        open(__file__, encoding="utf-8").close()  # noqa: PTH123 -- what an extractor must not do
    finally:
        IS_WATCHING[0] = False
    assert "open" in WATCHED


def test_c02_an_edit_is_a_file_modified() -> None:
    assert saw("edit_file", path="src/a.py") == [("file_modified", "src/a.py", 7)]


def test_c02_a_write_is_a_file_created() -> None:
    assert saw("write_file", path="src/b.py", content="x") == [("file_created", "src/b.py", 7)]


def test_c02_a_read_is_a_file_read() -> None:
    assert saw("read_file", path="src/a.py") == [("file_read", "src/a.py", 3)]


def test_c02_a_command_that_went_well_is_told_with_its_code() -> None:
    assert saw("run_command", ended(0), command="bun check:types") == [
        ("command_run", "bun check:types -> exit 0", 4)
    ]
    assert saw("run_command", DONE, command="ls")[0][0] == "command_run"


def test_c02_a_command_that_failed_is_told_with_code_and_error() -> None:
    assert saw("run_command", ended(1, stderr="TypeError: x"), command="bun test") == [
        ("command_error", "Failed: bun test -> exit 1: TypeError: x", 8)
    ]
    assert saw("run_command", failed("no such program"), command="bun") == [
        ("command_error", "Failed: bun -> exit 1: no such program", 8)
    ]
    assert saw("run_command", ended(2, stdout="1 failed"), command="t")[0][1].endswith("1 failed")
    assert saw("run_command", ended(3), command="t")[0][1] == "Failed: t -> exit 3"


@pytest.mark.parametrize("tool", ["glob", "grep"])
def test_c02_a_search_is_told_with_the_number_of_its_results(tool: str) -> None:
    (found,) = TOOL_CALLS(tool, {"pattern": "onToolResult"}, Result("a:1\nb:2\n\nc:3\n"))
    assert found.type == "search_performed"
    assert found.content == f'{tool} "onToolResult" -> 3 matches'
    assert found.importance == 3
    assert saw(tool, Result(["a"]), pattern="x") == [
        ("search_performed", f'{tool} "x" -> 1 match', 3)
    ]
    assert saw(tool, Result({"matches": 4}), pattern="x")[0][1].endswith("4 matches")
    assert saw(tool, Result({"matches": ["a", "b"]}), pattern="x")[0][1].endswith("2 matches")
    assert saw(tool, Result(""), pattern="x")[0][1].endswith("0 matches")


def test_c02_a_list_of_things_to_do_is_told_whole() -> None:
    todos = [{"content": "test", "status": "done"}, {"content": "ship"}]
    assert saw("todo_write", todos=todos) == [("todo_updated", "[done] test; [pending] ship", 5)]
    assert saw("todo_write", todos=[]) == [("todo_updated", "nothing to do", 5)]


def test_c02_a_task_is_told_by_its_description() -> None:
    assert saw("task", description="look around", prompt="Please") == [
        ("task_delegated", "look around", 5)
    ]
    assert saw("task", prompt="Please look")[0][1] == "Please look"


def test_c02_every_tool_of_the_table_has_an_extractor_and_a_source() -> None:
    assert set(TOOLS) == {
        *("edit_file", "write_file", "read_file", "run_command"),
        *("glob", "grep", "todo_write", "task"),
    }
    for tool in TOOLS:
        (observed,) = TOOL_CALLS(tool, {"path": "p", "command": "c"}, DONE)
        assert observed.source == "programmatic"


def test_c03_a_tool_that_nobody_knows_comes_to_nothing() -> None:
    assert saw("fly", path="x") == []
    assert saw("fly", failed("no wings")) == []


@pytest.mark.parametrize("tool", TOOLS)
def test_c03_what_was_denied_or_blocked_comes_to_nothing(tool: str) -> None:
    assert saw(tool, Result(error="denied by the user", refused=True), path="x") == []
    assert saw(tool, Result(refused=True), command="rm -rf /") == []


@pytest.mark.parametrize("tool", ["run_command", "edit_file", "grep"])
def test_c03_a_long_error_is_cut_to_200_characters_and_kept_whole_beside(tool: str) -> None:
    error = "".join(f"line {n}\n" for n in range(100))
    args = {"command": "make", "path": "a.py", "pattern": "x"}
    (observed,) = TOOL_CALLS(tool, args, failed(error))
    told = observed.content.partition(": line")[2]
    assert len("line" + told) == 200
    assert observed.content.endswith("…")
    assert "\n" not in observed.content
    assert observed.metadata["error"] == error


def test_c03_an_error_of_200_characters_is_told_whole() -> None:
    (observed,) = TOOL_CALLS("run_command", {"command": "m"}, failed("x" * 200))
    assert observed.content.endswith("x" * 200)


@pytest.mark.parametrize("tool", ["edit_file", "write_file"])
def test_c04_a_file_that_could_not_be_written_is_not_told_as_modified(tool: str) -> None:
    (observed,) = TOOL_CALLS(tool, {"path": "a.py"}, failed("text not found"))
    assert observed.type == "tool_error"
    assert observed.importance == 8
    assert observed.content.endswith(" a.py: text not found")
    assert observed.about == "a.py"


@pytest.mark.parametrize("tool", ["read_file", "glob", "todo_write", "task"])
def test_c04_what_failed_is_told_as_failed_whatever_it_was(tool: str) -> None:
    (observed,) = TOOL_CALLS(tool, {"path": "a", "pattern": "a"}, failed("gone"))
    assert (observed.type, observed.importance) == ("tool_error", 8)
    assert observed.content.startswith("Failed: ")


def test_c02_a_kind_of_call_more_is_one_more_table() -> None:
    more = Extractors(TOOLS, {"fly": lambda args, _: [Observed("flown", args["to"], 6)]})
    assert more("fly", {"to": "the town"}, DONE) == (Observed("flown", "the town", 6),)
    assert more("edit_file", {"path": "a"}, DONE) == TOOL_CALLS("edit_file", {"path": "a"}, DONE)


def test_c02_two_extractors_for_one_tool_are_refused() -> None:
    with pytest.raises(MalformedRecord, match=r"'task' has an extractor already; leave it out"):
        Extractors(TOOLS, {"task": lambda _args, _result: []})
