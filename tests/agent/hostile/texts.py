"""Reads the hostile texts from their data file."""

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

FILE: Final = Path(__file__).with_name("texts.toml")


@dataclass(frozen=True, slots=True)
class Hostile:
    """One text: where it enters, what it attempts, and whether the cartridge can print it."""

    id: str
    enters: str
    tries: str
    text: str
    charset: bool


def hostile_texts(*, key: str) -> list[Hostile]:
    """Return all hostile texts, with `key` in place of `$KEY`."""
    tables = tomllib.loads(FILE.read_text(encoding="utf-8"))["texts"]
    return [
        Hostile(
            each["id"], each["enters"], each["tries"], _text(each, key), each.get("charset", False)
        )
        for each in tables
    ]


def _text(table: dict[str, Any], key: str) -> str:
    text = str(table["text"])
    if table.get("spelled") == "json":
        text = str(json.loads(f'"{text}"'))
    return text.replace("$KEY", key) * int(table.get("repeat", 1))
