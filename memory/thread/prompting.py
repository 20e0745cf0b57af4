"""The prompts of this room, from their files."""

from importlib.resources import files
from string import Template


def prompt(name: str, **filled: str) -> str:
    """Return the prompt `name`, filled.

    Raises:
        KeyError: when a place in it is left open.
    """
    text = (files(__package__) / "prompts" / f"{name}.txt").read_text(encoding="utf-8")
    return Template(text).substitute(filled).rstrip("\n")
