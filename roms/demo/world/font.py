"""The glyphs and the character map they define: `font.txt` and `hud.txt`.

A glyph's name is the text it prints; names of several characters are written `<name>` in texts, except the
contractions ('s, 't ...), which are one tile wherever they occur.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from world.art import Picture, picture, sections
from world.errors import WorldError

END = 0x50
NAMED = {"space": " "}
TOKEN = re.compile(r"<[a-z0-9-]+>|'[dlstvrm](?![a-z])|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Font:
    """Drawings by tile id, and the code of each character."""

    glyphs: Mapping[int, Picture]
    codes: Mapping[str, int]

    def encode(self, text: str) -> bytes:
        """Return `text`, without control codes, as character codes."""
        return bytes(self.code(token) for token in TOKEN.findall(text))

    def code(self, token: str) -> int:
        """Return the code of one character, contraction or `<name>`."""
        try:
            return self.codes[token.strip("<>") if len(token) > 1 else token]
        except KeyError:
            message = f"the font has no {token!r}; add it to font.txt or change the text"
            raise WorldError(message) from None

    def tile(self, code: int) -> Picture:
        """Return the drawing of `code`, blank when there is none."""
        return self.glyphs.get(code, ((0,) * 8,) * 8)


def load(path: Path) -> Font:
    """Return the font drawn in `path`."""
    glyphs: dict[int, Picture] = {}
    codes: dict[str, int] = {}
    for section in sections(path):
        code, name = int(section.words[0], 16), section.words[1]
        if code in glyphs:
            message = f"{section.where}: glyph {code:02X} is drawn twice"
            raise WorldError(message)
        glyphs[code] = picture(section, size=8)
        codes[NAMED.get(name, name)] = code
    return Font(glyphs, codes)


def strip(font: Font, codes: Iterable[int]) -> list[Picture]:
    """Return the drawings of consecutive codes."""
    return [font.tile(code) for code in codes]
