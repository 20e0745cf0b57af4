"""That the tests of observations are as many as they should be."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
LEAST = {
    "memory/test_observations_extractors.py": 13,
    "memory/test_observations_store.py": 10,
    "memory/test_observations_block.py": 10,
    "memory/test_observations_pipeline.py": 7,
}
MORE = ("agent/test_observing.py", "agent/test_prompt.py")


def counted(path: str) -> tuple[int, int]:
    """Return how many tests of rows a file has, and how many assertions are in them."""
    tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    tests = [
        each
        for each in tree.body
        if isinstance(each, ast.FunctionDef) and each.name.startswith("test_c")
    ]
    nodes = [node for test in tests for node in ast.walk(test)]
    return len(tests), sum(isinstance(node, ast.Assert) for node in nodes)


@pytest.mark.parametrize("path", LEAST)
def test_c19_each_part_has_its_tests(path: str) -> None:
    assert counted(path)[0] >= LEAST[path]


def test_c19_there_are_44_tests_and_130_assertions_at_least() -> None:
    tests, assertions = map(sum, zip(*map(counted, (*LEAST, *MORE)), strict=True))
    assert tests >= 44
    assert assertions >= 130


def test_c19_edges_have_their_tests() -> None:
    block = (TESTS / "memory/test_observations_block.py").read_text(encoding="utf-8")
    edges = ("cannot_end_the_block", "without_an_end", "without_room_for_a_word", "hard_cap")
    assert all(f"{edge}" in block for edge in edges)
