"""The documentation agrees with the code, and keeps its limits."""

import re
from pathlib import Path

import pytest

from tests.agent.support import ROOT

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
    assert len(text_of(ROOT / "README.md").split()) <= 700
    assert sum(len(text_of(page).split()) for page in PAGES[1:]) <= 10_000


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_wrapped_at_100_columns(page: Path) -> None:
    lines = FENCE.sub("", text_of(page)).splitlines()
    assert [line for line in lines if len(line) > 100 and not line.startswith(("|", "!["))] == []


def test_every_name_in_the_glossary_exists_in_the_code() -> None:
    files = (
        path for room in ("agent", "memory", "emulator") for path in (ROOT / room).rglob("*.py")
    )
    known = {word for path in files for word in re.findall(r"\w+", text_of(path))}
    named = set(NAME.findall(text_of(DOCS / "glossary.md")))
    assert len(named) > 80
    assert named - known == set()
