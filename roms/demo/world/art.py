"""Drawings as text: files of `[kind words]` headers, each followed by rows of ` .o#`.

The four characters are colours 0 to 3. A line starting with `;` is a comment. Independent of what tiles mean.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

from world.errors import WorldError

COLOURS = " .o#"

Picture: TypeAlias = tuple[tuple[int, ...], ...]  # rows of colours


class Section(NamedTuple):
    """One header and the lines below it."""

    where: str
    kind: str
    words: tuple[str, ...]
    lines: tuple[str, ...]

    def listed(self) -> tuple[str, ...]:
        """Return the words of the lines, for sections that are lists."""
        return tuple(word for line in self.lines for word in line.split())


def sections(path: Path) -> list[Section]:
    """Return the sections of `path` in order."""
    found: list[Section] = []
    header, lines = "", list[str]()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("["):
            found += _section(path, header, lines)
            header, lines = f"{number} {line}", []
        elif not line.startswith(";"):
            lines.append(line)
    found += _section(path, header, lines)
    return found


def _section(path: Path, header: str, lines: list[str]) -> Iterator[Section]:
    if not header:
        return
    number, _, title = header.partition(" ")
    where = f"{path.name}:{number}"
    if not title.endswith("]"):
        message = f"{where}: the header {title!r} does not end in ']'"
        raise WorldError(message)
    kind, *words = title[1:-1].split()
    yield Section(where, kind, tuple(words), tuple(lines))


def picture(section: Section, *, size: int) -> Picture:
    """Return the square drawing of `section`; short rows are padded with blanks."""
    lines = list(section.lines)
    while lines and not lines[-1].strip():
        lines.pop()
    if len(lines) > size or any(len(line.rstrip()) > size for line in lines):
        message = f"{section.where}: the drawing is larger than {size}x{size} dots"
        raise WorldError(message)
    lines += [""] * (size - len(lines))
    if unknown := set("".join(lines)) - set(COLOURS):
        message = f"{section.where}: {sorted(unknown)} are not colours; use {COLOURS!r}"
        raise WorldError(message)
    return tuple(tuple(COLOURS.index(dot) for dot in line.ljust(size)[:size]) for line in lines)


def quarters(drawing: Picture) -> tuple[Picture, ...]:
    """Return the 8x8 parts of a 16x16 drawing: top left, top right, bottom left, bottom right."""
    return tuple(
        tuple(row[x : x + 8] for row in drawing[y : y + 8]) for y in (0, 8) for x in (0, 8)
    )
