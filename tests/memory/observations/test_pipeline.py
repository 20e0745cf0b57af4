"""From a call to the block: extractors, store and block together, with a real file."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from memory import Faults, Observed, RunStore
from memory.observations import (
    TOOL_SECTIONS,
    TOOLS,
    Capture,
    Extractors,
    ObservationQuery,
    Result,
    observations_block,
)
from memory.observations.observation import MOST_OPEN
from tests.memory.observations.damage import scribble_over
from tests.memory.observations.observing import DONE, ended, failed


class Pipeline:
    """A model's calls in one session, kept in a run's file."""

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
        return observations_block(self.store.observations(query), TOOL_SECTIONS)

    def _keep(self, observed: Sequence[Observed]) -> None:
        self.store.add_observations(self.session, observed, tick=self._calls, game_s=0.5)


@pytest.fixture
def pipeline(store: RunStore) -> Pipeline:
    return Pipeline(store, store.next_session())


def test_c02_c09_calls_become_the_block_of_the_design(pipeline: Pipeline) -> None:
    for _ in range(3):
        assert pipeline.call("edit_file", path="src/agent/index.ts") == 1
    pipeline.call("run_command", ended(1, stderr="TypeError: x"), command="bun test")
    pipeline.call("run_command", ended(0), command="bun check:types")
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


def test_c03_denied_calls_leave_nothing(pipeline: Pipeline) -> None:
    assert pipeline.call("run_command", Result(refused=True), command="rm -rf /") == 0
    assert pipeline.call("edit_file", Result(error="denied", refused=True), path="a") == 0
    assert pipeline.block() is None
    assert pipeline.store.observations() == []


def test_c04_a_failed_edit_is_an_error_and_the_next_one_mends_it(pipeline: Pipeline) -> None:
    pipeline.call("edit_file", failed("text not found"), path="a.py")
    text = pipeline.block()
    assert text is not None
    assert "Modified Files" not in text
    assert "- Failed: modified a.py: text not found" in text
    pipeline.call("edit_file", path="a.py")
    text = pipeline.block()
    assert text is not None
    assert "- a.py (modified)" in text
    assert "text not found (no longer so: tick 2: a.py)" in text


def test_c08_a_session_is_told_nothing_of_another(pipeline: Pipeline, store: RunStore) -> None:
    pipeline.call("edit_file", path="first.py")
    store.commit()
    other = Pipeline(store, store.next_session())
    assert other.session != pipeline.session
    assert other.block() is None
    other.call("edit_file", path="second.py")
    text = other.block()
    assert text is not None
    assert "second.py" in text
    assert "first.py" not in text


def test_c15_parallel_calls_of_one_tool_keep_what_each_was_given(pipeline: Pipeline) -> None:
    capture = pipeline.capture
    for name in ("a", "b", "c"):
        capture.called(name, "edit_file", {"path": f"{name}.py"})
    for name, result in (("c", DONE), ("a", failed("gone")), ("b", DONE)):
        assert capture.returned(name, result) == 1
    told = [(each.type, each.about) for each in pipeline.store.observations()][::-1]
    assert told == [("file_modified", "c.py"), ("tool_error", "a.py"), ("file_modified", "b.py")]


def test_c15_what_a_call_was_given_is_as_it_was_then(pipeline: Pipeline) -> None:
    todos = [{"content": "go", "status": "pending"}]
    args = {"todos": todos}
    pipeline.capture.called("a", "todo_write", args)
    todos[0]["status"] = "done"
    args["todos"] = []
    pipeline.capture.returned("a", DONE)
    (observation,) = pipeline.store.observations()
    assert observation.content == "[pending] go"


def test_c15_a_result_that_nobody_waits_for_comes_to_nothing(pipeline: Pipeline) -> None:
    assert pipeline.capture.returned("unheard of", DONE) == 0
    pipeline.capture.called("a", "edit_file", {"path": "a"})
    assert pipeline.capture.returned("a", DONE) == 1
    assert pipeline.capture.returned("a", DONE) == 0  # a result comes once


def test_c15_calls_that_never_end_are_given_up_the_oldest_first(pipeline: Pipeline) -> None:
    for number in range(MOST_OPEN + 1):
        pipeline.capture.called(str(number), "edit_file", {"path": f"{number}.py"})
    assert pipeline.capture.returned("0", DONE) == 0
    assert pipeline.capture.returned("1", DONE) == 1
    assert pipeline.capture.returned(str(MOST_OPEN), DONE) == 1


def test_c16_a_rule_that_breaks_is_counted_and_the_call_goes_on(pipeline: Pipeline) -> None:
    pipeline.capture.called("a", "todo_write", {"todos": "no list"})
    assert pipeline.capture.returned("a", DONE) == 0
    assert pipeline.capture.faults == {"observe todo_write": 1}
    assert pipeline.call("edit_file", path="a") == 1


def test_c16_a_store_that_breaks_is_counted_and_the_call_goes_on() -> None:
    def full(_observed: Sequence[Observed]) -> None:
        raise OSError("no space left")

    told: list[str] = []
    capture = Capture(Extractors(TOOLS), full, Faults(lambda name, _error: told.append(name)))
    for _ in range(3):
        assert capture.saw("edit_file", {"path": "a"}, DONE) == 0
    assert capture.faults == {"observe edit_file": 3}
    assert told == ["observe edit_file"]  # told once, counted each time


def test_c16_calls_go_on_with_a_damaged_file(pipeline: Pipeline, tmp_path: Path) -> None:
    pipeline.call("edit_file", path="a.py")
    pipeline.store.commit()
    scribble_over(tmp_path / "run.sqlite", "observations")
    assert pipeline.call("edit_file", path="b.py") == 1
    pipeline.store.commit()
    assert pipeline.store.faults == {"observations": 1}


def test_c17_the_block_has_the_call_that_just_ended(pipeline: Pipeline) -> None:
    blocks = []
    for number in range(3):
        pipeline.call("run_command", ended(0), command=f"make {number}")
        blocks.append(pipeline.block() or "")
    assert [text.count("- make") for text in blocks] == [1, 2, 3]


def test_c13_reads_are_kept_and_not_told(pipeline: Pipeline) -> None:
    pipeline.call("read_file", path="a.py")
    assert len(pipeline.store.observations()) == 1
    assert pipeline.block() is None
