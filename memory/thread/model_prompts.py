"""What a model is told that observes or reflects; the texts are files in `prompts`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

from memory.thread.condensing import DETAIL
from memory.thread.prompting import prompt
from memory.thread.tags import CONVERSATION, OBSERVATIONS, PREVIOUS, wrapped
from memory.thread.transcript import transcript
from memory.tokens import CHARACTERS, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory.thread.message import Message

KNOWN_TOKENS: Final = 2_000  # of earlier observations that an observer is shown


class ObserverPrompt(Enum):
    """How an observer is told what to observe; each has its file."""

    DEFAULT = "observer_default"
    LEGACY = "observer_legacy"
    CONDENSED = "observer_condensed"


@dataclass(frozen=True, slots=True)
class DistillingSettings:
    """How models distil. The temperatures are hints for a service that takes any; today's Messages API takes none."""

    prompt: ObserverPrompt = ObserverPrompt.DEFAULT
    observer_temperature: float = 0.3
    reflector_temperature: float = 0.0


class Prompt(NamedTuple):
    """A request in two texts: what a model is, and what it is given."""

    system: str
    user: str


def observing_prompt(
    messages: Sequence[Message],
    known: str,
    variant: ObserverPrompt = ObserverPrompt.DEFAULT,
    estimate: Callable[[str], int] = tokens,
) -> Prompt:
    """Return what an observer is told about `messages`; of `known` it sees the end, to go on from."""
    parts = []
    if end := known_end(known, KNOWN_TOKENS, estimate):
        parts.append(wrapped(PREVIOUS, end))
    parts.append(wrapped(CONVERSATION, transcript(messages)))
    parts.append(f"Observe what stands between the tags <{CONVERSATION}>.")
    if end:
        parts.append("The previous observations are for continuity alone; do not tell them again.")
    return Prompt(_observer(variant), "\n\n".join(parts))


def reflecting_prompt(
    observations: str,
    level: int,
    target: int,
    variant: ObserverPrompt = ObserverPrompt.DEFAULT,
) -> Prompt:
    """Return what a reflector is told; `level` 0 to 4 says how hard to condense, `target` is in tokens."""
    system = prompt(
        "reflector",
        observer=prompt(variant.value, output_format="(The form of your answer is given below.)"),
        hint=prompt(f"compression_{min(max(level, 0), len(DETAIL) - 1)}"),
        output_format=prompt("output_format"),
    )
    user = (
        f"{wrapped(OBSERVATIONS, observations)}\n\n"
        f"Write them anew in fewer than {target} tokens, about {target * CHARACTERS} characters."
    )
    return Prompt(system, user)


def known_end(known: str, room: int, estimate: Callable[[str], int] = tokens) -> str:
    """Return the last rows of `known` that have room in so many tokens, under the date they are of."""
    rows = known.strip().splitlines()
    start = len(rows)
    while start and (room := room - estimate(rows[start - 1] + "\n")) >= 0:
        start -= 1
    header = next((row for row in reversed(rows[:start]) if row.startswith("Date:")), "")
    kept = rows[start:]
    if header and kept and not kept[0].startswith("Date:"):
        kept.insert(0, header)
    return "\n".join(kept)


def _observer(variant: ObserverPrompt) -> str:
    return prompt(variant.value, output_format=prompt("output_format"))
