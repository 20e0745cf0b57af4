"""The documentation agrees with the code, and keeps its limits."""

import ast
import csv
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agent.support import ROOT, assert_within

DOCS = ROOT / "docs"
PAGES = (ROOT / "README.md", *sorted(DOCS.glob("*.md")))
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
ANY_LINK = re.compile(r"\]\(([^)]+)\)")
NAME = re.compile(r"`(\w+)`")


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", text_of(page)), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}


def test_the_capability_in_extending_is_the_code() -> None:
    shown = text_of(DOCS / "extending.md").split("```python\n")[1].split("```")[0]
    example = ROOT / "agent" / "capabilities" / "forage.py"
    assert shown == example.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_link_of_a_page_exists(page: Path) -> None:
    for link in ANY_LINK.findall(FENCE.sub("", text_of(page))):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_pages_stay_short() -> None:
    assert_within(len(text_of(ROOT / "README.md").split()), 700, "words of README.md")
    counted = [page for page in PAGES[1:] if page.stem not in {"glossary", "results"}]
    words = sum(len(text_of(page).split()) for page in counted)
    assert_within(words, 12_000, "words of docs")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_wrapped_at_100_columns(page: Path) -> None:
    lines = FENCE.sub("", text_of(page)).splitlines()
    assert [line for line in lines if len(line) > 100 and not line.startswith(("|", "!["))] == []


def test_every_finding_about_red_is_closed_and_names_tests_that_exist() -> None:
    known = {path.stem for path in (ROOT / "tests" / "scenarios").glob("*.toml")}
    for path in (ROOT / "tests").rglob("test_*.py"):
        known |= set(re.findall(r"^def (test_\w+)", text_of(path), re.MULTILINE))
    with (DOCS / "red_findings.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            assert set(row["tests and scenarios"].split("; ")) <= known, row
            assert re.fullmatch(r"mended(: .+)?|(refuted|harmless): .+", row["state"]), row


def test_every_name_in_the_glossary_exists_in_the_code() -> None:
    files = (
        path for room in ("agent", "memory", "emulator") for path in (ROOT / room).rglob("*.py")
    )
    known = {word for path in files for word in re.findall(r"\w+", text_of(path))}
    named = set(NAME.findall(text_of(DOCS / "glossary.md")))
    assert len(named) > 80
    assert named - known == set()


# pret's name of the trainer class that has no trainer.
EXEMPT = frozenset({"NOBODY"})
PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
SOURCES = [
    path
    for folder in ("agent", "memory", "emulator", "scripts", "tests")
    for path in (ROOT / folder).rglob("*.py")
]


# Words of this project that a reader does not know, and words that make a person of a part of the program.
WORDS_TO_AVOID = set(text_of(Path(__file__).with_name("words_to_avoid.txt")).split())
# What a page may say of real persons, and of what a model is told.
OF_PERSONS = {"nobody", "told", "whom"}


def avoided_in(text: str) -> set[str]:
    return WORDS_TO_AVOID & {part.lower() for part in PART.findall(text)}


def names_in(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case _:
                pass


def docstrings_in(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""


def comments_in(source: str) -> Iterator[str]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def test_names_docstrings_and_comments_use_no_word_to_avoid() -> None:
    assert len(WORDS_TO_AVOID) > 30
    assert len(SOURCES) > 600
    for path in SOURCES:
        source = text_of(path)
        if path == Path(__file__) or not avoided_in(source.replace("\\n", " ")):
            continue  # parsing takes long
        tree = ast.parse(source)
        names = {name for name in names_in(tree) if name not in EXEMPT}
        for text in sorted({*names, *docstrings_in(tree), *comments_in(source)}):
            assert not avoided_in(text), f"{path.relative_to(ROOT)}: {text[:70]!r}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_uses_no_word_to_avoid(page: Path) -> None:
    prose = re.sub(r"`[^`]*`", "", FENCE.sub("", text_of(page)))
    assert avoided_in(prose) - OF_PERSONS == set()
