"""Writing a scenario of a moment: a file that people can read and change, and the saved moment beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agent.errors import UsageError
from agent.scenario.file import STATES
from agent.scenario.stages import NAME
from agent.scenario.states import state_path

NEVER_STUCK: Final = {"episodes": ">= start + 1"}
SOMETHING_GAINED: Final = {"gains": ">= start + 1"}
EXPLAINED: Final = {
    "known": "What play had behind it, and RAM does not show.",
    "until": "The aim, for which there are so many frames.",
    "never": "What must not be: that play gets nowhere once more.",
}
FOR_SO_LONG: Final = "For so many frames, or to the end of the story."


@dataclass(frozen=True, slots=True)
class Draft:
    """A scenario to write: `origin` says in lines where the moment comes from, `play` is the table of that name."""

    name: str
    origin: tuple[str, ...]
    pitfall: str
    says: str
    cartridge: str
    seed: int
    known: tuple[str, ...]
    play: Mapping[str, Any]


def refuse_taken(into: Path, name: str) -> None:
    """Raise UsageError where a scenario of that name cannot be written, or would replace something."""
    if not NAME.fullmatch(name):
        message = f"--name {name!r} names a file without ending: letters, digits, _ and -"
        raise UsageError(message)
    for path in (file_of(into, name), state_path(into / STATES, name)):
        if path.exists():
            message = f"{path} is there already; choose another --name or --into, or remove it"
            raise UsageError(message)


def file_of(into: Path, name: str) -> Path:
    """Return the scenario's file."""
    return into / f"{name}.toml"


def write_scenario(draft: Draft, moment: bytes, into: Path) -> Path:
    """Return the file of a new scenario, with its moment in the folder of states beside it; nothing is replaced."""
    file, state = file_of(into, draft.name), state_path(into / STATES, draft.name)
    made: list[Path] = []
    try:
        state.parent.mkdir(parents=True, exist_ok=True)
        for path, data in ((state, moment), (file, text_of(draft).encode())):
            with path.open("xb") as output:
                made.append(path)
                output.write(data)
    except OSError as error:
        for path in made:
            with suppress(OSError):
                path.unlink()
        message = f"{into} does not take {draft.name} ({error.strerror}); name another --into"
        raise UsageError(message) from error
    return file


def text_of(draft: Draft) -> str:
    """Return a scenario as its file has it."""
    return "\n".join(_lines(draft)) + "\n"


def _lines(draft: Draft) -> Iterator[str]:
    for words in draft.origin:
        yield f"# {' '.join(words.split())}"
    if draft.pitfall:
        yield f"pitfall = {_value(draft.pitfall)}"
    yield f"says = {_value(draft.says)}"
    yield f"cartridge = {_value(draft.cartridge)}"
    yield f"seed = {draft.seed}"
    yield from ("", "[[start]]", f"state = {_value(draft.name)}")
    if draft.known:
        yield from _explained("known", draft.known)
    yield from ("", "[play]")
    if "until" not in draft.play:
        yield f"# {FOR_SO_LONG}"
    for name, value in draft.play.items():
        yield from _explained(name, value)


def _explained(name: str, value: Any) -> Iterator[str]:  # noqa: ANN401 -- whatever TOML has
    if name in EXPLAINED:
        yield f"# {EXPLAINED[name]}"
    yield f"{name} = {_value(value)}"


def _value(value: Any) -> str:  # noqa: ANN401 -- whatever TOML has
    match value:
        case str():
            return _text(value)
        case bool():
            return json.dumps(value)
        case int():
            return f"{value:_}"
        case Mapping():
            pairs = ", ".join(f"{_key(name)} = {_value(each)}" for name, each in value.items())
            return f"{{ {pairs} }}"
        case _:
            return f"[{', '.join(map(_value, value))}]"


def _text(words: str) -> str:
    """Return words as TOML spells them: JSON's pairs of surrogates are none of its characters."""
    sound = words.encode("utf-8", "replace").decode()
    return json.dumps(sound, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if NAME.fullmatch(name) and name.isascii() else _text(name)
