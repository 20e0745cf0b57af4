"""What a line of observations is about, as far as forgetting and trusting go: milestones, bans, the rest."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memory.thread.format import Priority
from memory.thread.situation import MILESTONE, MILESTONES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from memory.thread.format import Dated, Line

_BAN: Final = re.compile(
    r"\b(?:failed|fails|does not work|did not work|do not|never|avoid|blocked|banned)\b",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(r" \([^()]*\)$")  # such as when it was
_CLAIM: Final = "claimed "  # before a milestone that a model tells of and nobody has shown


def milestones_of(line: Line) -> tuple[str, ...]:
    """Return the ids of the verified milestones that `line` tells; a word of which one is unsure tells none."""
    if line.priority not in {Priority.ASSERTED, Priority.DONE}:
        return ()
    for beginning in (MILESTONE, MILESTONES):
        if line.text.startswith(beginning):
            ids = (
                _ASIDE.sub("", each.strip())
                for each in line.text.removeprefix(beginning).split(",")
            )
            return tuple(filter(None, ids))
    return ()


def milestones_in(observations: Iterable[Dated]) -> tuple[str, ...]:
    """Return the ids of all verified milestones, in the order in which they are told."""
    return tuple(dict.fromkeys(name for each in observations for name in milestones_of(each.line)))


def milestones_text(ids: Sequence[str]) -> str:
    """Return the text of the line that tells these milestones."""
    return f"{MILESTONE}{ids[0]}" if len(ids) == 1 else MILESTONES + ", ".join(ids)


def is_ban(line: Line) -> bool:
    """Return whether `line` says for certain that something does not work."""
    return line.priority is Priority.ASSERTED and _BAN.search(line.text) is not None


def held_to_shown(
    observations: Sequence[Dated], shown: Sequence[Dated], known: Collection[str] = ()
) -> tuple[Dated, ...]:
    """Return what a model made, held to the milestones that were shown.

    Those of `shown` that it left out are put back, first; those that it made up become claims, of which one is unsure.
    `known` are ids shown earlier.
    """
    ids = {*milestones_in(shown), *known}
    held = [each._replace(line=_held(each.line, ids)) for each in observations]
    told = set(milestones_in(held))
    missing = [each for each in shown if set(milestones_of(each.line)) - told]
    return (*missing, *held)


def _held(line: Line, shown: Collection[str]) -> Line:
    if set(milestones_of(line)) <= set(shown):
        return line
    return replace(line, priority=Priority.UNCERTAIN, text=_CLAIM + line.text)
