"""Commands and paths as they are printed: a shell takes them where they are shown."""

import os
import shlex
import sys
from pathlib import Path
from typing import Final

from agent import HOME, LAUNCHER

PLAIN: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._")


def shown_path(path: Path) -> Path:
    """Return a path as a person would type it: relative to the current folder where it is below that."""
    below = path.absolute()
    here = Path.cwd()
    return below.relative_to(here) if below.is_relative_to(here) else path


def command(*words: str | Path, anywhere: bool = False) -> str:
    """Return a command of this program as a shell in the current folder takes it, or one in any folder.

    A page is read elsewhere than where it was written, so the commands on it are for `anywhere`.
    """
    launcher = LAUNCHER if anywhere else shown_path(LAUNCHER)
    # A shell looks for a name without a folder in PATH.
    first = quoted(launcher, anywhere=anywhere) if len(launcher.parts) > 1 else f"./{launcher}"
    return " ".join((first, *(quoted(each, anywhere=anywhere) for each in words)))


def quoted(word: str | Path, *, anywhere: bool = False) -> str:
    """Return a word as a shell takes it; a path is short, or absolute with `anywhere`, and never looks like an option.

    In a word with a character that cannot be shown, such as a line end or a byte of another encoding, codes stand for
    characters.
    """
    if isinstance(word, Path):
        path = word.absolute() if anywhere else shown_path(word)
        word = f"./{path}" if str(path).startswith("-") else str(path)
    if word.isprintable():
        return shlex.quote(word)
    first = word.rstrip("\n")  # a substitution would lose these
    codes = (chr(each) if each in PLAIN else f"\\{each:03o}" for each in os.fsencode(first))
    last = word[len(first) :]
    return f"\"$(printf '{''.join(codes)}')\"" + (f"'{last}'" if last else "")


def typed_in_checkout() -> str:
    """Return the running command as it is typed in the checkout, for a result that is committed."""
    return shlex.join([LAUNCHER.relative_to(HOME).as_posix(), *sys.argv[1:]])


def missing_package(name: str | None) -> str:
    """Return what to do about a missing package, in one line, with the running command as it works."""
    again = command(*sys.argv[1:])
    if Path(sys.prefix) != HOME / ".venv":
        return f"this Python has no package {name}; `{again}` installs what is missing"
    return f"package {name} is gone from {HOME / '.venv'}; remove that folder, then run: {again}"
