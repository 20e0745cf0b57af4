"""Each row of memory has a test whose name carries its id."""

from tests.memory_rows import read_rows, row_tests

SIZES = {"A": 42, "B": 37, "C": 20, "D": 37, "E": 40}
IDS = [f"{part}{number:02}" for part, size in SIZES.items() for number in range(1, size + 1)]


def test_the_rows_have_the_ids_of_the_design() -> None:
    assert [row.id for row in read_rows()] == IDS
    assert all(set(row.marks.split()) <= {"S", "C", "+"} for row in read_rows())


def test_every_row_has_a_test_and_no_test_names_another_row() -> None:
    tests = row_tests()
    assert [row for row in IDS if row not in tests] == []
    assert sorted(tests.keys() - set(IDS)) == []
