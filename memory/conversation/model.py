"""A model that observes or reflects. Its answer is untrusted text: it is parsed, checked, and held to what was shown.

An answer that is empty, too long, degenerate, or names what was not said is refused; a reflection is asked for harder and
harder until it is small enough.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, NamedTuple

from memory.conversation.format import DatedLine, one_line, parse, render
from memory.conversation.messages import (
    CONVERSATION,
    CURRENT_TASK,
    OBSERVATIONS,
    PREVIOUS,
    SUGGESTED_RESPONSE,
    blunted,
    prompt,
    transcript,
    without_injected,
    wrapped,
)
from memory.conversation.port import Distilled, DistillingFailed, Reflector
from memory.conversation.rules import HARDEST, ending, shown_milestones
from memory.conversation.situation_format import held_to_shown, milestones_in, milestones_of
from memory.store.conversation_record import Message
from memory.tokens import CHARACTERS, tokens

SHORTEST_DEGENERATE: Final = 2_000  # characters; less cannot be told from a list
WINDOW: Final = 200  # characters
MOST_REPEATED: Final = 0.4  # of all windows
LONGEST_ROW: Final = 50_000  # characters
MOST_NAMED: Final = 3  # made-up names that a problem tells

# Ids such as left_home and route_1; names as the cartridge writes them, all in capitals.
_WORD: Final = re.compile(r"\w+")
_CAPITALS: Final = re.compile(r"\b[A-Z]{4,}\b")
_EMPHASIS: Final = frozenset(
    {"ALWAYS", "AVOID", "FAILED", "IMPORTANT", "MUST", "NEVER", "NOTE", "ONLY", "WARNING"}
)


class UnusableAnswer(DistillingFailed):
    """An answer came and cannot be used; asking again, and otherwise, may help."""


def problem_with(
    text: str, *, source: str, limit: int, estimate: Callable[[str], int] = tokens
) -> str:
    """Return what is wrong with `text` as the observations of `source`, in one line; '' where it is sound.

    `limit` is the most tokens it may have; 0 sets none.
    """
    observations = parse(text)
    if not observations:
        return "there are no observations in it"
    if is_degenerate(text):
        return "it repeats itself over and over"
    if limit and (size := estimate(text)) > limit:
        return f"it has {size} tokens, more than {limit}"
    said = "\n".join("\n".join((line.text, *line.details)) for _, line in observations)
    if made_up := made_up_names(said, source):
        return f"it names what was not said: {', '.join(made_up[:MOST_NAMED])}"
    return ""


def is_degenerate(text: str) -> bool:
    """Return whether `text` is what a model writes that cannot stop: windows that were there before, or an endless row."""
    if len(text) < SHORTEST_DEGENERATE:
        return False
    if any(len(row) > LONGEST_ROW for row in text.splitlines()):
        return True
    starts = range(0, len(text) - WINDOW + 1, WINDOW)
    # Looked for anywhere before: a text may repeat itself in steps that are not those of the windows.
    repeated = sum(
        text.find(text[start : start + WINDOW], 0, start + WINDOW - 1) >= 0 for start in starts
    )
    return repeated > MOST_REPEATED * len(starts)


def made_up_names(text: str, source: str) -> tuple[str, ...]:
    """Return the ids and names in `text` that `source` does not have, in any case of letters."""
    known = source.lower()
    return tuple(dict.fromkeys(name for name in _names(text) if name.lower() not in known))


def _names(text: str) -> Iterator[str]:
    words = (found[0].strip("_") for found in _WORD.finditer(text))
    yield from (word for word in words if "_" in word)
    yield from (found[0] for found in _CAPITALS.finditer(text) if found[0] not in _EMPHASIS)


def parse_answer(text: str) -> Distilled:
    """Return the parts of `text`, each '' where it has none; never raises.

    A part that is never closed ends where the next begins. Without `<observations>` the lists outside of the other
    parts are taken, and the prose around them is not.
    """
    bodies = _bodies(text, OBSERVATIONS)
    found = parse("\n".join(bodies)) if bodies else parse(without_injected(text), lists_only=True)
    return Distilled(
        observations=blunted(render(found)),
        current_task=_short(text, CURRENT_TASK),
        suggested_response=_short(text, SUGGESTED_RESPONSE),
    )


def _short(text: str, tag: str) -> str:
    return blunted(one_line(" ".join(_bodies(text, tag))))


def _bodies(text: str, tag: str) -> list[str]:
    """Return what stands between each opening `tag` and its end."""
    ends = "|".join((OBSERVATIONS, CURRENT_TASK, SUGGESTED_RESPONSE))
    # One that was never closed has neither its own end nor another part behind it.
    pattern = rf"<{tag}>(.*?)(?:</{tag}>|(?=<(?:{ends})>)|\Z)"
    return re.findall(pattern, text, re.DOTALL | re.IGNORECASE)


KNOWN_TOKENS: Final = 2_000  # of earlier observations that an observer is shown


class ObserverPrompt(Enum):
    """How an observer is told what to observe; each has its file."""

    DEFAULT = "observer_default"
    LEGACY = "observer_legacy"
    CONDENSED = "observer_condensed"


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
    system = prompt(variant.value, output_format=prompt("output_format"))
    return Prompt(system, "\n\n".join(parts))


def reflecting_prompt(
    observations: str, level: int, target: int, variant: ObserverPrompt = ObserverPrompt.DEFAULT
) -> Prompt:
    """Return what a reflector is told; `level` 0 to 4 says how hard to condense, `target` is in tokens."""
    system = prompt(
        "reflector",
        observer=prompt(variant.value, output_format="(The form of your answer is given below.)"),
        hint=prompt(f"compression_{min(max(level, 0), HARDEST)}"),
        output_format=prompt("output_format"),
    )
    user = (
        f"{wrapped(OBSERVATIONS, observations)}\n\n"
        f"Write them anew in fewer than {target} tokens, about {target * CHARACTERS} characters."
    )
    return Prompt(system, user)


def known_end(known: str, room: int, estimate: Callable[[str], int] = tokens) -> str:
    """Return the last rows of `known` that have room in so many tokens, under the date they are of."""
    rows, kept = known.strip().splitlines(), ending(known.strip(), room, estimate).splitlines()
    before = rows[: len(rows) - len(kept)]
    header = next((row for row in reversed(before) if row.startswith("Date:")), "")
    if header and kept and not kept[0].startswith("Date:"):
        kept.insert(0, header)
    return "\n".join(kept)


LEAST_LIMIT: Final = 200  # tokens that observations of few messages may have


@dataclass(frozen=True)
class _Distiller:
    """Distils with a model. `complete` takes a system text and a user text, and returns what the model answers.

    Whatever keeps `complete` from an answer it raises as DistillingFailed.
    """

    source = "llm"

    complete: Callable[[str, str], str]
    variant: ObserverPrompt = ObserverPrompt.DEFAULT
    estimate: Callable[[str], int] = tokens


class ModelObserver(_Distiller):
    """Observes with a model."""

    def observe(self, messages: Sequence[Message], known: str) -> Distilled:
        """Return the model's observations, with the milestones that the program told and no others.

        Where nothing was said in `messages`, there are none, and no model is asked. Raises DistillingFailed when no
        answer came. Raises UnusableAnswer when it is empty, repeats itself, is longer than what was said, or names what
        was not.
        """
        said = transcript(messages)
        if not said:
            return Distilled("")
        asked = observing_prompt(messages, known, self.variant, self.estimate)
        answer = self.complete(*asked)
        limit = max(self.estimate(said), LEAST_LIMIT)
        found = _sound(answer, f"{known}\n{said}", limit, self.estimate)
        earlier = milestones_in(parse(known))
        shown = shown_milestones(messages)
        new = [each for each in shown if set(milestones_of(each.line)) - set(earlier)]
        return _held(found, new, earlier)


class ModelReflector(_Distiller):
    """Reflects with a model."""

    def reflect(self, observations: str, *, level: int, target: int) -> Distilled:
        """Return the model's reflection, with the milestones of `observations` and no others.

        Raises DistillingFailed when no answer came. Raises UnusableAnswer when it is empty, repeats itself, is no
        smaller, has more than `target` tokens, or names what the observations do not.
        """
        asked = reflecting_prompt(observations, level, target, self.variant)
        answer = self.complete(*asked)
        limit = max(min(target, self.estimate(observations) - 1), 1)
        found = _sound(answer, observations, limit, self.estimate)
        held = _held(found, [each for each in parse(observations) if milestones_of(each.line)])
        if (size := self.estimate(held.observations)) > limit:
            message = f"with its milestones it has {size} tokens, more than {limit}"
            raise UnusableAnswer(message)
        return held


def _sound(answer: str, source: str, limit: int, estimate: Callable[[str], int]) -> Distilled:
    found = parse_answer(answer)
    # Before lines are cut: one without an end tells that the model could not stop.
    problem = "it repeats itself over and over" if is_degenerate(answer) else ""
    problem = problem or problem_with(
        found.observations, source=source, limit=limit, estimate=estimate
    )
    if problem:
        message = f"the answer cannot be used: {problem}"
        raise UnusableAnswer(message)
    # These can be done without, where they name what was not said.
    task, response = (
        "" if made_up_names(words, source) else words
        for words in (found.current_task, found.suggested_response)
    )
    return replace(found, current_task=task, suggested_response=response)


def _held(found: Distilled, shown: Sequence[DatedLine], earlier: Collection[str] = ()) -> Distilled:
    held = held_to_shown(parse(found.observations), shown, earlier)
    return replace(found, observations=render(held))


MORE_TRIES: Final = 3  # at harder levels, after the first


def reflect_until(
    reflector: Reflector,
    text: str,
    target: int,
    start_level: int = 0,
    estimate: Callable[[str], int] = tokens,
) -> Distilled:
    """Return the first reflection of at most `target` tokens that is smaller than `text` and not empty.

    The levels from `start_level` to three above it are tried, none above 4. Raises DistillingFailed at once where no
    answer comes, else after the last level. The same text would fail again, so the caller should not ask before it has
    changed.
    """
    problem = ""
    first = min(max(start_level, 0), HARDEST)
    for level in range(first, min(first + MORE_TRIES, HARDEST) + 1):
        try:
            found = reflector.reflect(text, level=level, target=target)
        except UnusableAnswer as unusable:
            problem = str(unusable)
            continue
        size = estimate(found.observations)
        if found.observations.strip() and size <= target and size < estimate(text):
            return found
        problem = f"{size} tokens of {estimate(text)}, at most {target} wanted"
    message = (
        f"the observations could not be made smaller ({problem}); ask again when there are more"
    )
    raise DistillingFailed(message)
