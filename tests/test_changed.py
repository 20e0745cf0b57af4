"""`scripts/test --changed` finds the tests that a change can touch, nearest first."""

from pathlib import Path

import pytest

from tests import changed
from tests.changed import SLOW, known_seconds, touched, within


def test_the_tests_that_import_a_changed_module_come_first() -> None:
    found = touched([Path("agent/skills/walk.py")])
    near, far = "tests/agent/skills/test_walk.py", "tests/agent/app/test_resume.py"
    (near_at,), (far_at,) = (
        [at for at, tests in enumerate(found) if each in tests] for each in (near, far)
    )
    assert near_at < far_at


def test_a_changed_test_and_the_tests_below_a_conftest_are_touched() -> None:
    assert touched([Path("tests/agent/test_docs.py")]) == [[], ["tests/agent/test_docs.py"]]
    below = sum(touched([Path("tests/contract/conftest.py")]), list[str]())
    assert below
    assert all(each.startswith("tests/contract/") for each in below)


def test_a_changed_scenario_is_its_own_test_and_a_page_those_that_name_it() -> None:
    own = "tests/scenarios/test_scenarios.py::test_scenario[b_says_no]"
    assert touched([Path("tests/scenarios/b_says_no.toml")]) == [[own]]
    assert "tests/agent/test_docs.py" in touched([Path("docs/glossary.md")])[1]


def test_so_many_tests_are_chosen_as_run_in_the_time_of_equally_near_ones_the_quick_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(changed, "known_seconds", lambda: {"a": 3.0, "b": 5.0})
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert within([["a"], ["b"], ["c"]], 8.2) == ["a", "b"]
    assert within([["b", "a"], ["c"]], 4.0) == ["a", "c"]
    assert within([["b"], ["c"]], 1.0) == ["b"]


def test_the_table_of_slow_files_names_files_that_exist() -> None:
    assert all((SLOW.parents[1] / each).is_file() for each in known_seconds())
