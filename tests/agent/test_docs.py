"""The documentation agrees with the code, and keeps its limits."""

import ast
import csv
import re
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


def avoided_words() -> set[str]:
    return set(re.findall(r"\w+", text_of(DOCS / "glossary.md").split("## Words to avoid")[1]))


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


def test_names_and_docstrings_use_no_word_to_avoid() -> None:
    avoided = avoided_words()
    assert len(avoided) > 30
    assert len(SOURCES) > 600
    for path in SOURCES:
        source = text_of(path)
        words = {part.lower() for part in PART.findall(source.replace("\\n", " "))}
        if avoided.isdisjoint(words):
            continue  # parsing takes long
        tree = ast.parse(source)
        names = {name for name in names_in(tree) if name not in EXEMPT}
        for text in sorted({*names, *docstrings_in(tree)}):
            used = avoided & {part.lower() for part in PART.findall(text)}
            assert not used, f"{path.relative_to(ROOT)}: {text[:70]!r}"
