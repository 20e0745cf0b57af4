"""The report of a real run in Debian's chromium: wide and narrow, light and dark, without a word to anybody."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, ViewportSize, sync_playwright

from agent.tools.report.page import page
from tests.agent.support import Agent, Played
from tests.agent.tools.report.report_support import (
    BATTLE,
    CARTRIDGE,
    NIGHT,
    STUCK,
    add_calls,
    add_events,
    copied,
    told_of,
    write_night,
)

CHROMIUM: Final = Path("/usr/bin/chromium")
FLAGS: Final = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
WIDTHS: Final = {"desktop": (1280, 900), "phone": (360, 780)}
THEMES: Final = ("light", "dark")
READABLE: Final = 4.5  # the contrast that WCAG AA asks of text
# For each element that holds words of its own: how its colour stands out from whatever is behind it.
CONTRASTS: Final = """() => {
  const parse = (c) => (c.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] === 1) return c;
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll("body *:not(svg *, .zero, i)")]
    .filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) && e.checkVisibility())
    .map((e) => {
      const [a, b] = [light(parse(getComputedStyle(e).color)), light(behind(e))];
      return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.tagName + "." + e.className + ": " + e.textContent.slice(0, 40)];
    });
}"""
CLIPPED: Final = """() => [...document.querySelectorAll("h1, h2, h3, .figures dd, .figures dt, .across span, .ups span")]
  .filter((e) => e.checkVisibility())
  .map((e) => [e.getBoundingClientRect(), e.textContent])
  .filter(([box]) => box.left < 0 || box.right > innerWidth + 0.5)
  .map(([, words]) => words)"""
COLLIDING: Final = """() => [...document.querySelectorAll(".across, .ups")].flatMap((axis) => {
  const boxes = [...axis.querySelectorAll("span")].filter((e) => e.checkVisibility()).map((e) => e.getBoundingClientRect());
  return boxes.filter((a, n) => boxes.slice(n + 1).some((b) =>
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).map(() => axis.textContent);
})"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's chromium; at a desk without one these tests are left out, in CI they fail."""
    if not CHROMIUM.exists() and not os.environ.get("CI"):
        pytest.skip(f"{CHROMIUM} is not installed")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))


@pytest.fixture(scope="module")
def eventful(played: Played, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a run in which everything happened that a page tells of."""
    run = copied(played.folder, tmp_path_factory.mktemp("eventful") / "run")
    write_night(run, NIGHT)
    add_events(run, [(300, "stuck", STUCK), *[(299, "battle", BATTLE)] * 3])
    add_calls(run, "left_home", "starter")
    path = run / "night.html"
    path.write_text(page(told_of(run), CARTRIDGE), encoding="utf-8")
    return path


def opened(browser: Browser, path: Path, width: str, theme: Any) -> tuple[Page, list[str]]:  # noqa: ANN401 -- a word
    """Return a page in a context of its own, and all it said or asked for beside itself."""
    wide, high = WIDTHS[width]
    context = browser.new_context(
        viewport=ViewportSize(width=wide, height=high), color_scheme=theme, offline=True
    )
    page, said = context.new_page(), list[str]()

    def hear(message: ConsoleMessage) -> None:
        said.append(f"console {message.type}: {message.text}")

    page.on("console", hear)
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on("request", lambda asked: said.append(f"request: {asked.url}"))
    page.goto(path.as_uri())
    said.remove(f"request: {path.as_uri()}")
    return page, said


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_of_a_run_is_quiet_whole_and_readable(
    browser: Browser, eventful: Path, width: str, theme: str
) -> None:
    page, said = opened(browser, eventful, width, theme)
    page.evaluate("document.querySelectorAll('details').forEach((each) => each.open = true)")
    assert said == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert [words for ratio, words in page.evaluate(CONTRASTS) if ratio < READABLE] == []
    assert page.evaluate(CLIPPED) == []
    assert page.evaluate(COLLIDING) == []
    assert page.locator("img").evaluate_all("(all) => all.every((e) => e.naturalWidth === 160)")
    page.context.close()


def test_light_and_dark_are_two_looks(browser: Browser, eventful: Path) -> None:
    looks = set()
    for theme in THEMES:
        page, _ = opened(browser, eventful, "desktop", theme)
        looks.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.context.close()
    assert len(looks) == 2


def test_the_first_screen_says_how_it_ended(browser: Browser, eventful: Path) -> None:
    for width, (_, high) in WIDTHS.items():
        page, _ = opened(browser, eventful, width, "light")
        for words in (
            "Ended at its limit of dollars",
            "9 of 9",
            "Game time",
            "Restarts",
            "Dollars",
        ):
            box = page.get_by_text(words, exact=True).first.bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= high
        page.context.close()


@pytest.mark.parametrize("width", WIDTHS)
def test_a_comparison_is_quiet_and_whole_too(
    browser: Browser, agent: Agent, played: Played, tmp_path: Path, width: str
) -> None:
    path = tmp_path / "both.html"
    assert agent("report", played.folder, played.folder, "--write", path).code == 0
    page, said = opened(browser, path, width, "dark")
    assert said == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert [words for ratio, words in page.evaluate(CONTRASTS) if ratio < READABLE] == []
    page.context.close()
