"""What a subscription can do to entries on their way: nothing, leave some out, or put them in a few words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memory.flow.subscription import Derived
from memory.tokens import CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory.blackboard.entry import Entry
    from memory.codec import Json

SUMMARY: Final = "summary"
MAX_TOKENS: Final = 500


def identity(entries: Sequence[Entry]) -> list[Derived]:
    """Return the entries as they are, each under its own key."""
    return [
        Derived(
            each.kind,
            each.data,
            sources=(each.key,),
            tags=each.tags,
            importance=each.importance,
            status=each.status,
            key=each.key,
        )
        for each in entries
    ]


@dataclass(frozen=True, slots=True)
class Filtering:
    """Those entries as they are that pass."""

    passes: Callable[[Entry], bool]

    def __call__(self, entries: Sequence[Entry]) -> list[Derived]:
        """Return the entries that pass."""
        return identity([each for each in entries if self.passes(each)])


@dataclass(frozen=True, slots=True)
class Summarizing:
    """One entry in words, made by `summarize(prompt, text)`; by counting where there is none, or it fails.

    Nothing that fails loses anything: an empty summary counts as a failure, and one that is too long is cut.
    """

    prompt: str
    summarize: Callable[[str, str], str] | None = None
    max_tokens: int = MAX_TOKENS

    def __call__(self, entries: Sequence[Entry]) -> list[Derived]:
        """Return one summary of all the entries, with links to each."""
        text = ""
        if self.summarize is not None:
            try:
                text = self.summarize(self.prompt, "\n".join(map(line, entries))).strip()
            except Exception:  # noqa: BLE001  # whatever a model does, there is the offline way
                text = ""
        by_model = bool(text)
        text = text or in_figures(entries)
        summary: dict[str, Json] = {
            "text": text[: self.max_tokens * CHARACTERS],
            "count": len(entries),
        }
        return [
            Derived(
                SUMMARY,
                summary,
                sources=tuple(each.key for each in entries),
                tags=frozenset[str]().union(*(each.tags for each in entries)),
                importance=max(each.importance for each in entries),
                status="claim" if by_model else "inferred",
            )
        ]


def line(entry: Entry) -> str:
    """Return one entry as a line of text."""
    said = ", ".join(
        f"{name} {value}" for name, value in entry.data.items() if value not in ("", None, [])
    )
    return f"tick {entry.tick}: {entry.kind}: {said}"


def in_figures(entries: Sequence[Entry]) -> str:
    """Return what can be said of `entries` without a model: how many of what, when, and the gravest of them."""
    kinds = Counter(each.kind for each in entries)
    told = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
    gravest = sorted(entries, key=lambda each: (-each.importance, each.seq))[:5]
    span = f"ticks {entries[0].tick} to {entries[-1].tick}: {told}."
    return "\n".join([span, *(line(each) for each in sorted(gravest, key=lambda each: each.seq))])
