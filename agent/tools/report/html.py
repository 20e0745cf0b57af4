"""HTML pages rendered by Jinja, and files that only replace older pages. Only this module imports Jinja.

Template values are text: markup in them is escaped, and control characters are made visible.
"""

from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from agent.errors import UsageError
from agent.tools.report.chart import clock_time, local
from agent.tools.report.words import cut, game_time, number, plain, sanitized

LONGEST: Final = 400  # characters of any one text


def render(name: str, **values: object) -> str:
    """Return a rendered template of this package."""
    return _environment().get_template(name).render(values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("agent.tools.report"),
        autoescape=True,
        undefined=StrictUndefined,
        # Text is made safe to show; our own markup is left unchanged.
        finalize=lambda value: sanitized(cut(value, LONGEST)) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "amount": number,
        "plain": plain,
        "game_time": game_time,
        "clock": clock_time,
        "stamp": lambda at: f"{local(at):%Y-%m-%d %H:%M:%S %Z}",
        "usd": lambda dollars: (
            f"${dollars:,.2f}" if dollars >= 0.01 or not dollars else f"${dollars:.4f}"
        ),
    }
    return environment


MARK: Final = '<meta name="generator" content="red-agent">'
HEAD: Final = 1_000  # bytes at the start of a page that contain its mark


def require_page_or_new(path: Path) -> None:
    """Raise UsageError when a page would replace a file that is not an older report."""
    if not path.parent.is_dir():
        message = f"{path.parent} is not a folder; create it, or name a file elsewhere"
        raise UsageError(message)
    if (path.exists() or path.is_symlink()) and not _is_page(path):
        message = f"{path} exists already and is not a report; name another file"
        raise UsageError(message)


def require_writable(folder: Path) -> None:
    """Raise UsageError when no file can be created in a folder; called before a long game is played."""
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        message = f"nothing can be written in {folder} ({error.strerror}); name another folder"
        raise UsageError(message) from error


def _is_page(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return MARK.encode() in file.read(HEAD)
