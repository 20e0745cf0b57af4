"""What an agent may say of something that it stores on purpose, and what it may not."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, Literal

from memory.blackboard.entry import DEFAULT_IMPORTANCE
from memory.errors import MalformedRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.blackboard.entry import Entry

TRUST: Final = ("claim", "inferred", "verified")  # the least trusted first


@dataclass(frozen=True, slots=True)
class Note:
    """How an entry is to be kept. What the cartridge shows is verified; nobody's word is."""

    scope: str = ""
    kind: str = "note"
    importance: int = DEFAULT_IMPORTANCE
    ttl_s: float | None = None
    key: str | None = None
    status: Literal["inferred", "claim"] = "claim"
    sources: tuple[str, ...] = ()

    @staticmethod
    def of(metadata: Mapping[str, Any]) -> Note:
        """Return the note that `metadata` describes; a field that no note has is refused."""
        unknown = sorted(metadata.keys() - {each.name for each in fields(Note)})
        if unknown:
            message = f"{unknown[0]!r} cannot be said of an entry; use fields of Note."
            raise MalformedRecord(message)
        if metadata.get("status", "claim") not in TRUST[:2]:
            message = f"status {metadata['status']!r} is not for notes; use inferred or claim."
            raise MalformedRecord(message)
        return Note(**{**metadata, "sources": tuple(metadata.get("sources", ()))})


def refuse_lesser(old: Entry | None, note: Note) -> None:
    """Raise MalformedRecord where `note` would take the place of something trusted more."""
    if old is not None and not old.closed and TRUST.index(note.status) < TRUST.index(old.status):
        message = f"{old.key!r} is {old.status}; a mere {note.status} cannot take its place."
        raise MalformedRecord(message)
