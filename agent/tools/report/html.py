"""HTML pages rendered by Jinja, and files that only replace older pages. Only this module imports Jinja.

Template values are text: markup in them is escaped, and control characters are made visible.
"""

from collections.abc import Iterable
from functools import cache
from hashlib import blake2s
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from agent.errors import RunError, UsageError
from agent.tools.report.chart import clock_time, local
from agent.tools.report.words import counted, cut, game_time, number, plain, sanitized, times, usd
from memory.file_access import write_file

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
        "of": counted,
        "times": times,
        "plain": plain,
        "game_time": game_time,
        "clock": clock_time,
        "stamp": lambda at: f"{local(at):%Y-%m-%d %H:%M:%S %Z}",
        "usd": usd,
    }
    return environment


MARK: Final = '<meta name="generator" content="red-agent">'
KEY: Final = '<meta name="runs" content="{}">'
HEAD: Final = 1_000  # bytes at the start of a page that contain its mark and key


def page_key(run_ids: Iterable[str]) -> str:
    """Return the key in the head of a page about these runs."""
    return blake2s("\n".join(sorted(run_ids)).encode(), digest_size=8).hexdigest()


def require_page_or_new(path: Path, key: str = "") -> None:
    """Raise UsageError unless `path` is a new HTML file or an older report, with the same `key` if one is given."""
    if not path.parent.is_dir():
        raise UsageError(f"{path.parent} is not a folder; create it, or name a file elsewhere")
    if path.exists() or path.is_symlink():
        head = _head(path)
        if MARK.encode() not in head:
            raise UsageError(f"{path} exists already and is not a report; name another file")
        if key and KEY.format(key).encode() not in head:
            message = f"{path} exists already and is the report of other runs; name another file"
            raise UsageError(message)
    if path.suffix != ".html":
        raise UsageError(f"{path} does not end in .html, as a report must; name another file")


def write_page(path: Path, text: str) -> None:
    """Write a page as a whole; raises RunError, with what to do, when that fails."""
    try:
        write_file(path, text)
    except OSError as error:
        message = f"{path} cannot be written ({error.strerror}); give `report` another file with --write FILE"
        raise RunError(message) from error


def require_writable(folder: Path) -> None:
    """Raise UsageError when no file can be created in a folder; called before a long game is played."""
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        message = f"nothing can be written in {folder} ({error.strerror}); name another folder"
        raise UsageError(message) from error


def _head(path: Path) -> bytes:
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return file.read(HEAD)
