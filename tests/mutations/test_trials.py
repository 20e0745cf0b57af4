"""Putting bugs back: what counts as noticed, and that the checkout itself stays as it is."""

from pathlib import Path

import pytest

from tests.mutations.mutation import Mutation
from tests.mutations.page import document, listed
from tests.mutations.rows import Row, RowTest, row_tests
from tests.mutations.trial import Findings, Verdict, try_out
from tests.mutations.workshop import Ending, Workshop

PRODUCT = "LIMIT = 3\n\n\ndef capped(n):\n    return min(n, LIMIT)\n"
TESTS = """
from hypothesis import given, strategies
from memory.product import capped

@given(strategies.integers())
def test_b01_never_over_the_limit(n):
    assert capped(n) <= 3

def test_b01_e02_small_ones_stay():
    assert capped(2) == 2

def test_b02_fails_as_it_is():
    assert capped(9) == 9

def test_of_no_row():
    assert False
"""
SETTINGS = "[tool.pytest.ini_options]\n"  # its own, wherever the folder lies
FILES = {
    "memory/product.py": PRODUCT,
    "tests/test_product.py": TESTS,
    "pyproject.toml": SETTINGS,
}
OVER = RowTest("tests/test_product.py", "test_b01_never_over_the_limit")
SMALL = RowTest("tests/test_product.py", "test_b01_e02_small_ones_stay")
WRONG = RowTest("tests/test_product.py", "test_b02_fails_as_it_is")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkout")
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def shop(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("shop") / "0", checkout)


@pytest.fixture(scope="module")
def endings(shop: Workshop) -> dict[RowTest, Ending]:
    return shop.run(row_tests(shop.tree))


def bug(old: str, new: str, row: str = "B01", *tests: str) -> Mutation:
    return Mutation(row, "a bug", "memory/product.py", old, new, tests)


def test_tests_are_found_by_the_rows_in_their_names(endings: dict[RowTest, Ending]) -> None:
    assert endings == {SMALL: Ending.PASSED, OVER: Ending.PASSED, WRONG: Ending.FAILED}
    assert SMALL.rows == ("B01", "E02")


@pytest.mark.parametrize(
    ("mutation", "verdict", "noticed_by"),
    [
        (bug("LIMIT)", "4)"), Verdict.CAUGHT, (OVER,)),
        (bug("LIMIT)", "4)", "B01", SMALL.name), Verdict.SURVIVED, ()),
        (bug("min(", "mim("), Verdict.BROKE, ()),
        (bug("min(", "max(", "B02"), Verdict.UNCLEAR, ()),
        (bug("min(", "max(", "B03"), Verdict.UNTESTED, ()),
        (bug("LIMIT", "limit"), Verdict.MISFIT, ()),
        (bug("limit", "LIMIT"), Verdict.MISFIT, ()),
    ],
)
def test_a_bug_counts_as_noticed_when_a_sound_test_of_its_row_judges_otherwise(
    shop: Workshop,
    checkout: Path,
    endings: dict[RowTest, Ending],
    mutation: Mutation,
    verdict: Verdict,
    noticed_by: tuple[RowTest, ...],
) -> None:
    trial = try_out(mutation, shop, endings)
    assert (trial.verdict, trial.noticed_by) == (verdict, noticed_by)
    for tree in (checkout, shop.tree):
        assert (tree / "memory/product.py").read_text(encoding="utf-8") == PRODUCT


def test_the_page_lists_what_was_found(shop: Workshop, endings: dict[RowTest, Ending]) -> None:
    rows = [Row("B01", "S +", "holds"), Row("B02", "S", "fails"), Row("B03", "C", "is not shown")]
    trials = [try_out(bug("limit", "LIMIT"), shop, endings)]
    page = document(Findings(rows, endings, trials))
    assert listed(page) == {"B01": [SMALL, OVER], "B02": [WRONG], "B03": []}
    assert "3 rows: 1 hold, 1 fail, 1 have no test" in page
    assert "| B03 | is not shown | C |  | no test |  |" in page
    assert "| B01 | a bug | `memory/product.py` | cannot be applied |  |" in page
