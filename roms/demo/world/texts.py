"""Marked-up text as text scripts, for a message box of two lines of 18 characters."""

import re

from world.errors import WorldError
from world.font import END, TOKEN, Font

WIDTH = 18
NAME_LENGTH = 7
LITERAL = 0x00  # text command: a string follows
CONTROLS = {"line": 0x4F, "para": 0x51, "cont": 0x55, "done": 0x57, "prompt": 0x58}
NAMES = {"player": 0x52, "rival": 0x53, "target": 0x59, "user": 0x5A}
BATTLER_LENGTH = 16  # "Enemy " and ten letters
RAM_STRING, RAM_BCD, RAM_NUMBER = 0x01, 0x02, 0x09  # text commands
RAM_TOKEN = re.compile(r"<(string|bcd|number)-([0-9a-f]{4})-([0-9]+)(?:-([0-9]+))?>")
ENDS = ("done", "prompt")


def script(markup: str, font: Font, where: str) -> bytes:
    """Return the text script of `markup`."""
    tokens = TOKEN.findall(markup)
    _check(tokens, where)
    return bytes([LITERAL, *b"".join(_bytes(token, font, where) for token in tokens), END])


def _bytes(token: str, font: Font, where: str) -> bytes:
    name = token.strip("<>")
    if len(token) > 1 and (name in CONTROLS or name in NAMES):
        return bytes([CONTROLS[name] if name in CONTROLS else NAMES[name]])
    if match := RAM_TOKEN.fullmatch(token):
        return bytes([END, *_command(match), LITERAL])
    try:
        return bytes([font.code(token)])
    except WorldError as error:
        message = f"{where}: {error}"
        raise WorldError(message) from None


def _command(match: re.Match[str]) -> bytes:
    """Return the command that prints the value at an address when the text is shown."""
    kind, size = match[1], int(match[3])
    at = int(match[2], 16).to_bytes(2, "little")
    if kind == "string":
        return bytes([RAM_STRING, *at])
    if kind == "bcd":
        return bytes([RAM_BCD, *at, size])
    return bytes([RAM_NUMBER, *at, size << 4 | int(match[4])])


def _length(token: str) -> int:
    name = token.strip("<>") if len(token) > 1 else ""
    if match := RAM_TOKEN.fullmatch(token):
        return int(match[4] or match[3]) * (2 if match[1] == "bcd" else 1)
    if name in {"target", "user"}:
        return BATTLER_LENGTH
    return NAME_LENGTH if name in NAMES else 1


def _check(tokens: list[str], where: str) -> None:
    if not tokens or tokens[-1].strip("<>") not in ENDS:
        message = f"{where}: a text must end in <done> or <prompt>"
        raise WorldError(message)
    row, length, line = 0, 0, ""
    for token in tokens:
        name = token.strip("<>") if len(token) > 1 else ""
        if name in CONTROLS:
            row, length, line = _next_row(name, row, where), 0, ""
            continue
        length += _length(token)
        line += token
        if length > WIDTH:
            message = f"{where}: {line!r} is longer than the {WIDTH} letters of a line"
            raise WorldError(message)


def _next_row(control: str, row: int, where: str) -> int:
    if control == "line" and row == 1:
        message = f"{where}: a page has two lines; use <cont> for the third, <para> for a new page"
        raise WorldError(message)
    if control == "cont" and row == 0:
        message = f"{where}: <cont> scrolls a full box; use <line> first"
        raise WorldError(message)
    return 0 if control == "para" else 1
