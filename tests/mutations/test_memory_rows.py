"""Rows, the tests that bear their names, the page that lists them, and the bugs they are against."""

from collections import Counter

import pytest

from tests.mutations.mutation import Mutation, read_mutations
from tests.mutations.page import PAGE, listed
from tests.mutations.rows import read_rows, row_tests
from tests.mutations.trial import asked

ROWS = read_rows()
TESTS = row_tests()
MUTATIONS = read_mutations()


def test_rows_are_numbered_without_a_gap() -> None:
    sizes = Counter(row.id[0] for row in ROWS)
    assert sizes == {"A": 42, "B": 37, "C": 20, "D": 37, "E": 40}
    assert [row.id for row in ROWS] == [
        f"{part}{number:02}" for part in sizes for number in range(1, sizes[part] + 1)
    ]
    assert all(row.marks and set(row.marks.split()) <= {"S", "C", "+"} for row in ROWS)


def test_every_row_has_a_test_that_bears_its_name() -> None:
    shown = {name for test in TESTS for name in test.rows}
    assert [row.id for row in ROWS if row.id not in shown] == []


def test_no_test_bears_the_name_of_a_row_that_is_none() -> None:
    parts = {row.id[0] for row in ROWS}
    named = {name for test in TESTS for name in test.rows if name[0] in parts}
    assert named <= {row.id for row in ROWS}


def test_the_page_lists_the_tests_that_there_are() -> None:
    page = {row: sorted(tests) for row, tests in listed(PAGE.read_text(encoding="utf-8")).items()}
    assert page == {row.id: [test for test in TESTS if row.id in test.rows] for row in ROWS}


def test_every_closed_hole_has_a_bug_that_opens_it_again() -> None:
    opened = {mutation.row for mutation in MUTATIONS}
    assert opened <= {row.id for row in ROWS}
    assert [row.id for row in ROWS if row.is_a_closed_hole and row.id not in opened] == []


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda each: f"{each.row}: {each.stands_for}")
def test_every_bug_can_be_put_back_and_is_asked_of_a_test(mutation: Mutation) -> None:
    compile(mutation.changed(), mutation.file, "exec")
    assert mutation.old != mutation.new
    assert mutation.file.startswith(("agent/", "memory/"))
    tests = {test.name for test in asked(mutation, TESTS)}
    assert tests
    assert tests >= set(mutation.tests)
