"""Observations of tool calls: the extraction rules, their purity, and the pipeline to the block."""

import ast
import sys
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import Faults, MalformedRecord, Observed, RunStore
from memory.observations.block import observations_block
from memory.observations.observation import MOST_OPEN, Capture, Extractors, ObservationQuery, Result
from memory.observations.tools import TOOL_SECTIONS, TOOLS
from tests.memory.observations.tool_calls import (
    DONE,
    TOOL_CALLS,
    command_result,
    error_result,
    observed_by,
)

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
    WATCHED.clear()
    IS_WATCHING[0] = True
    open(__file__, encoding="utf-8").close()  # noqa: PTH123 -- what an extractor must not do
    assert "open" in WATCHED
    before = deepcopy((args, result))
    WATCHED.clear()
    try:
        once, again = TOOL_CALLS(tool, args, result), TOOL_CALLS(tool, args, result)
    finally:
        IS_WATCHING[0] = False
    assert WATCHED == []  # no file, no socket, no clock
    assert once == again
    assert (args, result) == before
    assert all(1 <= each.importance <= 10 for each in once)
    assert not (once and result.refused)


@pytest.mark.parametrize(
    ("tool", "args", "result", "expected"),
    [
        ("edit_file", {"path": "a.py"}, DONE, ("file_modified", "a.py", 7)),
        ("write_file", {"path": "a.py", "content": "x"}, DONE, ("file_created", "a.py", 7)),
        ("read_file", {"path": "a.py"}, DONE, ("file_read", "a.py", 3)),
        ("run_command", {"command": "m"}, command_result(0), ("command_run", "m -> exit 0", 4)),
        (
            "run_command",
            {"command": "bun test"},
            command_result(1, stderr="TypeError: x"),
            ("command_error", "Failed: bun test -> exit 1: TypeError: x", 8),
        ),
        (
            "run_command",
            {"command": "bun"},
            error_result("no such program"),
            ("command_error", "Failed: bun -> exit 1: no such program", 8),
        ),
        (
            "run_command",
            {"command": "t"},
            command_result(2, stdout="1 failed"),
            ("command_error", "Failed: t -> exit 2: 1 failed", 8),
        ),
        (
            "run_command",
            {"command": "t"},
            command_result(3),
            ("command_error", "Failed: t -> exit 3", 8),
        ),
        (
            "todo_write",
            {"todos": [{"content": "test", "status": "done"}, {"content": "ship"}]},
            DONE,
            ("todo_updated", "[done] test; [pending] ship", 5),
        ),
        ("todo_write", {"todos": []}, DONE, ("todo_updated", "nothing to do", 5)),
        ("task", {"description": "look", "prompt": "Please"}, DONE, ("task_delegated", "look", 5)),
        ("task", {"prompt": "Please look"}, DONE, ("task_delegated", "Please look", 5)),
    ],
)
def test_c02_a_call_is_observed_by_type_with_what_it_was_about(
    tool: str, args: dict[str, Any], result: Result, expected: tuple[str, str, int]
) -> None:
    assert observed_by(tool, result, **args) == [expected]


@pytest.mark.parametrize("tool", ["glob", "grep"])
def test_c02_a_search_is_observed_with_its_result_count(tool: str) -> None:
    (found,) = TOOL_CALLS(tool, {"pattern": "onToolResult"}, Result("a:1\nb:2\n\nc:3\n"))
    assert found.type == "search_performed"
    assert found.content == f'{tool} "onToolResult" -> 3 matches'
    assert found.importance == 3
    assert observed_by(tool, Result(["a"]), pattern="x") == [
        ("search_performed", f'{tool} "x" -> 1 match', 3)
    ]
    assert observed_by(tool, Result({"matches": 4}), pattern="x")[0][1].endswith("4 matches")
    assert observed_by(tool, Result({"matches": ["a", "b"]}), pattern="x")[0][1].endswith(
        "2 matches"
    )
    assert observed_by(tool, Result(""), pattern="x")[0][1].endswith("0 matches")


def test_c02_every_tool_of_the_table_has_an_extractor_and_a_source() -> None:
    assert set(TOOLS) == {
        *("edit_file", "write_file", "read_file", "run_command"),
        *("glob", "grep", "todo_write", "task"),
    }
    for tool in TOOLS:
        (observed,) = TOOL_CALLS(tool, {"path": "p", "command": "c"}, DONE)
        assert observed.source == "programmatic"


def test_c03_an_unknown_tool_gives_no_observation() -> None:
    assert observed_by("fly", path="x") == []
    assert observed_by("fly", error_result("no wings")) == []


@pytest.mark.parametrize("tool", TOOLS)
def test_c03_a_denied_or_blocked_call_gives_no_observation(tool: str) -> None:
    assert observed_by(tool, Result(error="denied by the user", refused=True), path="x") == []
    assert observed_by(tool, Result(refused=True), command="rm -rf /") == []


@pytest.mark.parametrize("tool", ["run_command", "edit_file", "grep"])
def test_c03_a_long_error_is_cut_at_200_characters_and_complete_in_metadata(tool: str) -> None:
    args = {"command": "make", "path": "a.py", "pattern": "x"}
    error = "".join(f"line {n}\n" for n in range(100))
    (observed,) = TOOL_CALLS(tool, args, error_result(error))
    found = observed.content.partition(": line")[2]
    assert len("line" + found) == 200
    assert observed.content.endswith("…")
    assert "\n" not in observed.content
    assert observed.metadata["error"] == error


def test_c03_an_error_of_200_characters_is_not_cut() -> None:
    (observed,) = TOOL_CALLS("run_command", {"command": "m"}, error_result("x" * 200))
    assert observed.content.endswith("x" * 200)


@pytest.mark.parametrize("tool", [each for each in TOOLS if each != "run_command"])
def test_c04_a_failed_call_is_observed_as_failed_only(tool: str) -> None:
    (observed,) = TOOL_CALLS(tool, {"path": "a.py", "pattern": "a"}, error_result("text not found"))
    assert (observed.type, observed.importance) == ("tool_error", 8)
    assert observed.content.startswith("Failed: ")
    if tool.endswith("_file"):
        assert observed.content.endswith(" a.py: text not found")
        assert observed.about == "a.py"


def test_c02_a_new_kind_of_call_is_one_more_table() -> None:
    more = Extractors(TOOLS, {"fly": lambda args, _: [Observed("flown", args["to"], 6)]})
    assert more("fly", {"to": "the town"}, DONE) == (Observed("flown", "the town", 6),)
    assert more("edit_file", {"path": "a"}, DONE) == TOOL_CALLS("edit_file", {"path": "a"}, DONE)


def test_c02_two_extractors_for_one_tool_are_rejected() -> None:
    with pytest.raises(MalformedRecord, match=r"'task' has an extractor already; remove it"):
        Extractors(TOOLS, {"task": lambda _args, _result: []})


class Pipeline:
    """The tool calls of a model in one session, observed into the file of a run."""

    def __init__(self, store: RunStore, session: str) -> None:
        self.store = store
        self.session = session
        self.capture = Capture(Extractors(TOOLS), self._keep, Faults())
        self._calls = 0

    def call(self, tool: str, result: Result = DONE, **args: object) -> int:
        self._calls += 1
        name = f"call-{self._calls}"
        self.capture.called(name, tool, args)
        return self.capture.returned(name, result)

    def block(self) -> str | None:
        query = ObservationQuery(session=self.session)
        return observations_block(self.store.observations.find(query), TOOL_SECTIONS)

    def _keep(self, observed: Sequence[Observed]) -> None:
        self.store.observations.add(self.session, observed, tick=self._calls, game_s=0.5)


@pytest.fixture
def pipeline(store: RunStore) -> Pipeline:
    return Pipeline(store, store.next_session())


def test_c02_c09_calls_become_the_designed_block(pipeline: Pipeline) -> None:
    for _ in range(3):
        assert pipeline.call("edit_file", path="src/agent/index.ts") == 1
    pipeline.call("run_command", command_result(1, stderr="TypeError: x"), command="bun test")
    pipeline.call("run_command", command_result(0), command="bun check:types")
    pipeline.call("grep", Result("a\nb\nc"), pattern="onToolResult")
    assert pipeline.block() == "\n".join(
        (
            "<observations>",
            "## Modified Files",
            "- src/agent/index.ts (modified \N{MULTIPLICATION SIGN} 3)",
            "",
            "## Errors",
            "- Failed: bun test -> exit 1: TypeError: x",
            "",
            "## Commands",
            "- bun check:types -> exit 0",
            "",
            "## Searches",
            '- grep "onToolResult" -> 3 matches',
            "</observations>",
        )
    )


def test_c04_a_failed_edit_is_an_error_until_the_next_success(pipeline: Pipeline) -> None:
    pipeline.call("edit_file", error_result("text not found"), path="a.py")
    text = pipeline.block()
    assert text is not None
    assert "Modified Files" not in text
    assert "- Failed: modified a.py: text not found" in text
    pipeline.call("edit_file", path="a.py")
    text = pipeline.block()
    assert text is not None
    assert "- a.py (modified)" in text
    assert "text not found (no longer so: tick 2: a.py)" in text


def test_c15_parallel_calls_of_one_tool_keep_their_arguments(pipeline: Pipeline) -> None:
    capture = pipeline.capture
    for name in ("a", "b", "c"):
        capture.called(name, "edit_file", {"path": f"{name}.py"})
    for name, result in (("c", DONE), ("a", error_result("gone")), ("b", DONE)):
        assert capture.returned(name, result) == 1
    found = [(each.type, each.about) for each in pipeline.store.observations.find()][::-1]
    assert found == [("file_modified", "c.py"), ("tool_error", "a.py"), ("file_modified", "b.py")]


def test_c15_arguments_are_copied_when_the_call_begins(pipeline: Pipeline) -> None:
    todos = [{"content": "go", "status": "pending"}]
    args = {"todos": todos}
    pipeline.capture.called("a", "todo_write", args)
    todos[0]["status"] = "done"
    args["todos"] = []
    pipeline.capture.returned("a", DONE)
    (observation,) = pipeline.store.observations.find()
    assert observation.content == "[pending] go"


def test_c15_unexpected_results_are_ignored_and_unfinished_calls_dropped_oldest_first(
    pipeline: Pipeline,
) -> None:
    assert pipeline.capture.returned("unheard of", DONE) == 0
    for number in range(MOST_OPEN + 1):
        pipeline.capture.called(str(number), "edit_file", {"path": f"{number}.py"})
    assert pipeline.capture.returned("0", DONE) == 0
    assert pipeline.capture.returned("1", DONE) == 1
    assert pipeline.capture.returned("1", DONE) == 0  # a second result is ignored
    assert pipeline.capture.returned(str(MOST_OPEN), DONE) == 1


def test_c16_a_failing_extractor_is_counted_and_the_call_continues(pipeline: Pipeline) -> None:
    pipeline.capture.called("a", "todo_write", {"todos": "no list"})
    assert pipeline.capture.returned("a", DONE) == 0
    assert pipeline.capture.faults == {"observe todo_write": 1}
    assert pipeline.call("edit_file", path="a") == 1


def test_c16_a_failing_store_is_counted_and_the_call_continues() -> None:
    def full(_observed: Sequence[Observed]) -> None:
        raise OSError("no space left")

    found: list[str] = []
    capture = Capture(Extractors(TOOLS), full, Faults(lambda name, _error: found.append(name)))
    for _ in range(3):
        assert capture.saw("edit_file", {"path": "a"}, DONE) == 0
    assert capture.faults == {"observe edit_file": 3}
    assert found == ["observe edit_file"]  # reported once, counted each time


def test_c17_the_block_includes_the_latest_call(pipeline: Pipeline) -> None:
    blocks = []
    for number in range(3):
        pipeline.call("run_command", command_result(0), command=f"make {number}")
        blocks.append(pipeline.block() or "")
    assert [text.count("- make") for text in blocks] == [1, 2, 3]


LEAST = {"test_extractors.py": 20, "test_observations_store.py": 10, "test_block.py": 10}


def test_c19_each_part_has_tests_in_all_44_with_130_assertions_and_edge_cases() -> None:
    files = {file.name: file for file in Path(__file__).parent.glob("test_*.py")}
    tests = {
        name: [
            node
            for node in ast.parse(file.read_text(encoding="utf-8")).body
            if getattr(node, "name", "").startswith("test_c")
        ]
        for name, file in files.items()
    }
    all_tests = [test for part in tests.values() for test in part]
    assert all(len(tests[name]) >= least for name, least in LEAST.items())
    assert len(all_tests) >= 44
    assert sum(isinstance(node, ast.Assert) for test in all_tests for node in ast.walk(test)) >= 130
    edges = ("cannot_end_the_block", "endless_row", "tiny_budget", "hard_cap")
    block = files["test_block.py"].read_text(encoding="utf-8")
    assert all(edge in block for edge in edges)
