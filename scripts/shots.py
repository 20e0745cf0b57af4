"""The pictures of docs/running.md: the report of a game on the demo cartridge, wide and narrow, light and dark."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Final, Literal, NamedTuple

from PIL import Image
from playwright.sync_api import Browser, ViewportSize, sync_playwright

from agent.app import Interrupt, Settings, play_run
from agent.app.summary import NoViewer
from agent.tools.report.page import report_run
from memory.file_access import write_file

ROOT: Final = Path(__file__).resolve().parents[1]
CHROMIUM: Final = Path("/usr/bin/chromium")
FLAGS: Final = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
TEACHER, PLAYER = 3, 4  # seeds: the second game begins with the memory of the first
COLOURS: Final = 256
GOAL: Final = "first_badge"


class Shot(NamedTuple):
    """One picture: its file, window size, theme, and the heading at its top, or '' for the top of the page."""

    name: str
    width: int
    height: int
    theme: Literal["light", "dark"]
    at: str = ""


SHOTS: Final = (
    Shot("report_desktop_light.png", 1280, 900, "light"),
    Shot("report_desktop_dark.png", 1280, 1000, "dark", "route"),
    Shot("report_phone_light.png", 360, 780, "light", "team"),
    Shot("report_phone_dark.png", 360, 780, "dark"),
)


def main() -> None:
    """Play, and take the pictures."""
    with tempfile.TemporaryDirectory(prefix="shots-") as home, _browser() as browser:
        page = _play(Path(home))
        for shot in SHOTS:
            _save(_screenshot(browser, page, shot), ROOT / "docs" / shot.name)


def _play(home: Path) -> Path:
    """Return the report of a game to the first badge."""
    for seed in (TEACHER, PLAYER):
        run = home / f"seed{seed}"
        settings = Settings(seed=seed, until=GOAL, run=run, memory=home / "memory")
        play_run(settings, NoViewer(), Interrupt())
    return report_run(home / f"seed{PLAYER}", None, None)


@contextmanager
def _browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))


def _screenshot(browser: Browser, page: Path, shot: Shot) -> bytes:
    size = ViewportSize(width=shot.width, height=shot.height)
    tab = browser.new_page(viewport=size, color_scheme=shot.theme, offline=True)
    tab.goto(page.as_uri())
    if shot.at:
        tab.evaluate("(id) => scrollTo(0, document.getElementById(id).offsetTop - 24)", shot.at)
    picture = tab.screenshot()
    tab.close()
    return picture


def _save(picture: bytes, path: Path) -> None:
    image = Image.open(BytesIO(picture)).convert("RGB")
    file = BytesIO()
    image.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
        file, "PNG", optimize=True
    )
    write_file(path, file.getvalue())
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
