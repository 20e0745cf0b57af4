"""`scripts/test --changed` finds the tests that a change can touch, nearest first."""

from pathlib import Path

import pytest

from tests import changed
from tests.changed import keep_seconds, touched, within


def test_the_tests_that_import_a_changed_module_come_first() -> None:
    found = touched([Path("agent/skills/walk.py")])
    near, far = "tests/agent/skills/test_walk.py", "tests/agent/app/test_resume.py"
    assert found.index(near) < found.index(far)


def test_a_changed_test_and_the_tests_below_a_conftest_are_touched() -> None:
    assert touched([Path("tests/agent/test_docs.py")]) == ["tests/agent/test_docs.py"]
    below = touched([Path("tests/contract/conftest.py")])
    assert below
    assert all(each.startswith("tests/contract/") for each in below)


def test_a_changed_scenario_is_its_own_test_and_a_page_those_that_name_it() -> None:
    own = "tests/scenarios/test_scenarios.py::test_scenario[b_says_no]"
    assert touched([Path("tests/scenarios/b_says_no.toml")]) == [own]
    assert "tests/agent/test_docs.py" in touched([Path("docs/glossary.md")])


def test_so_many_tests_are_chosen_as_run_in_the_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(changed, "SECONDS", tmp_path / "seconds.json")
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    keep_seconds({"a": 3.0, "b": 4.0})
    keep_seconds({"b": 5.0})
    assert within(["a", "b", "c"], 8.5) == ["a", "b"]
    assert within(["b", "a"], 1.0) == ["b"]
