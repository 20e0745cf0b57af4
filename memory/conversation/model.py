"""Observers and reflectors that use a model. Its answer is untrusted text: parsed, validated, and compared with the input.

An answer that is empty, too long, degenerate, or contains invented names is rejected; a reflection is requested at higher
compression levels until it is small enough.
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
    escape_tags,
    in_tags,
    prompt,
    strip_injected,
    transcript,
)
from memory.conversation.port import MAX_LEVEL, Condensed, UnusableAnswer
from memory.conversation.rules import last_lines, reported_milestones
from memory.conversation.situation_format import milestone_ids, milestones_in, with_shown_milestones
from memory.store.conversation_record import Message
from memory.tokens import CHARACTERS, tokens

SHORTEST_DEGENERATE: Final = 2_000  # characters; a shorter text can be a list
WINDOW: Final = 200  # characters
MOST_REPEATED: Final = 0.4  # of all windows
LONGEST_ROW: Final = 50_000  # characters
MAX_NAMED: Final = 3  # invented names listed in a problem

# Ids such as left_home and route_1; names as in the cartridge, all in capitals.
_WORD: Final = re.compile(r"\w+")
_CAPITALS: Final = re.compile(r"\b[A-Z]{4,}\b")
_EMPHASIS: Final = frozenset(
    {"ALWAYS", "AVOID", "FAILED", "IMPORTANT", "MUST", "NEVER", "NOTE", "ONLY", "WARNING"}
)


def problem_with(
    text: str, *, source: str, limit: int, estimate: Callable[[str], int] = tokens
) -> str:
    """Return the problem of `text` as observations of `source`, in one line; '' when it is valid.

    `limit` is the maximum number of tokens; 0 means no limit.
    """
    observations = parse(text)
    if not observations:
        return "there are no observations in it"
    if is_degenerate(text):
        return "it repeats itself over and over"
    if limit and (size := estimate(text)) > limit:
        return f"it has {size} tokens, more than {limit}"
    content = "\n".join("\n".join((line.text, *line.details)) for _, line in observations)
    if invented := invented_names(content, source):
        return f"it names what was not said: {', '.join(invented[:MAX_NAMED])}"
    return ""


def is_degenerate(text: str) -> bool:
    """Return whether `text` is endless model output: mostly repeated windows, or an endless row."""
    if len(text) < SHORTEST_DEGENERATE:
        return False
    if any(len(row) > LONGEST_ROW for row in text.splitlines()):
        return True
    starts = range(0, len(text) - WINDOW + 1, WINDOW)
    # Searched anywhere before the window: the period of a repetition need not be the window size.
    repeated = sum(
        text.find(text[start : start + WINDOW], 0, start + WINDOW - 1) >= 0 for start in starts
    )
    return repeated > MOST_REPEATED * len(starts)


def invented_names(text: str, source: str) -> tuple[str, ...]:
    """Return the ids and names in `text` that are not in `source`, ignoring case."""
    known = source.lower()
    return tuple(dict.fromkeys(name for name in _names(text) if name.lower() not in known))


def _names(text: str) -> Iterator[str]:
    words = (found[0].strip("_") for found in _WORD.finditer(text))
    yield from (word for word in words if "_" in word)
    yield from (found[0] for found in _CAPITALS.finditer(text) if found[0] not in _EMPHASIS)


def parse_answer(text: str) -> Condensed:
    """Return the parts of `text`, each '' when it is missing; never raises.

    An unclosed part ends where the next begins. Without `<observations>` the lists outside of the other parts are used,
    and prose between them is dropped.
    """
    parts = _tag_bodies(text, OBSERVATIONS)
    found = parse("\n".join(parts)) if parts else parse(strip_injected(text), lists_only=True)
    return Condensed(
        observations=escape_tags(render(found)),
        current_task=_one_line_part(text, CURRENT_TASK),
        suggested_response=_one_line_part(text, SUGGESTED_RESPONSE),
    )


def _one_line_part(text: str, tag: str) -> str:
    return escape_tags(one_line(" ".join(_tag_bodies(text, tag))))


def _tag_bodies(text: str, tag: str) -> list[str]:
    """Return the text between each opening `tag` and its end."""
    ends = "|".join((OBSERVATIONS, CURRENT_TASK, SUGGESTED_RESPONSE))
    # The last alternative is for an unclosed part that no other part follows.
    pattern = rf"<{tag}>(.*?)(?:</{tag}>|(?=<(?:{ends})>)|\Z)"
    return re.findall(pattern, text, re.DOTALL | re.IGNORECASE)


KNOWN_TOKENS: Final = 2_000  # of earlier observations that an observer is shown


class ObserverPrompt(Enum):
    """The variants of the observer prompt; each has its file."""

    DEFAULT = "observer_default"
    LEGACY = "observer_legacy"
    CONDENSED = "observer_condensed"


class Prompt(NamedTuple):
    """A request in two texts: the system prompt and the user message."""

    system: str
    user: str


def observing_prompt(
    messages: Sequence[Message],
    known: str,
    variant: ObserverPrompt = ObserverPrompt.DEFAULT,
    estimate: Callable[[str], int] = tokens,
) -> Prompt:
    """Return the prompt of an observer for `messages`; of `known` it contains the end, for continuity."""
    parts = []
    if end := known_tail(known, KNOWN_TOKENS, estimate):
        parts.append(in_tags(PREVIOUS, end))
    parts.append(in_tags(CONVERSATION, transcript(messages)))
    parts.append(f"Observe what stands between the tags <{CONVERSATION}>.")
    if end:
        parts.append("The previous observations are for continuity alone; do not tell them again.")
    system = prompt(variant.value, output_format=prompt("output_format"))
    return Prompt(system, "\n\n".join(parts))


def reflecting_prompt(
    observations: str, level: int, target: int, variant: ObserverPrompt = ObserverPrompt.DEFAULT
) -> Prompt:
    """Return the prompt of a reflector; `level` 0 to 4 is the strength of compression, `target` is in tokens."""
    system = prompt(
        "reflector",
        observer=prompt(variant.value, output_format="(The form of your answer is given below.)"),
        hint=prompt(f"compression_{min(max(level, 0), MAX_LEVEL)}"),
        output_format=prompt("output_format"),
    )
    user = (
        f"{in_tags(OBSERVATIONS, observations)}\n\n"
        f"Write them anew in fewer than {target} tokens, about {target * CHARACTERS} characters."
    )
    return Prompt(system, user)


def known_tail(known: str, room: int, estimate: Callable[[str], int] = tokens) -> str:
    """Return the last rows of `known` that fit in `room` tokens, with the header of their date."""
    rows, kept = known.strip().splitlines(), last_lines(known.strip(), room, estimate).splitlines()
    before = rows[: len(rows) - len(kept)]
    header = next((row for row in reversed(before) if row.startswith("Date:")), "")
    if header and kept and not kept[0].startswith("Date:"):
        kept.insert(0, header)
    return "\n".join(kept)


MIN_LIMIT: Final = 200  # tokens that observations of few messages may have


@dataclass(frozen=True)
class _ModelBacked:
    """An observer or reflector with a model. `complete` takes a system and a user text and returns the model's answer.

    `complete` raises CondensingFailed when there is no answer.
    """

    source = "llm"

    complete: Callable[[str, str], str]
    variant: ObserverPrompt = ObserverPrompt.DEFAULT
    estimate: Callable[[str], int] = tokens


class ModelObserver(_ModelBacked):
    """An observer that uses a model."""

    def observe(self, messages: Sequence[Message], known: str) -> Condensed:
        """Return the model's observations, with exactly the milestones that the program reported.

        Without text in `messages` there are none, and the model is not called. Raises CondensingFailed when no answer came.
        Raises UnusableAnswer when it is empty, repeats itself, is longer than the messages, or contains invented names.
        """
        content = transcript(messages)
        if not content:
            return Condensed("")
        request = observing_prompt(messages, known, self.variant, self.estimate)
        answer = self.complete(*request)
        limit = max(self.estimate(content), MIN_LIMIT)
        found = _validated(answer, f"{known}\n{content}", limit, self.estimate)
        earlier = milestones_in(parse(known))
        shown = reported_milestones(messages)
        new = [each for each in shown if set(milestone_ids(each.line)) - set(earlier)]
        return _verified(found, new, earlier)


class ModelReflector(_ModelBacked):
    """A reflector that uses a model."""

    def reflect(self, observations: str, *, level: int, target: int) -> Condensed:
        """Return the model's reflection, with exactly the milestones of `observations`.

        Raises CondensingFailed when no answer came. Raises UnusableAnswer when it is empty, repeats itself, is not smaller,
        has more than `target` tokens, or contains names that the observations do not.
        """
        request = reflecting_prompt(observations, level, target, self.variant)
        answer = self.complete(*request)
        limit = max(min(target, self.estimate(observations) - 1), 1)
        found = _validated(answer, observations, limit, self.estimate)
        held = _verified(found, [each for each in parse(observations) if milestone_ids(each.line)])
        if (size := self.estimate(held.observations)) > limit:
            raise UnusableAnswer(f"with its milestones it has {size} tokens, more than {limit}")
        return held


def _validated(answer: str, source: str, limit: int, estimate: Callable[[str], int]) -> Condensed:
    found = parse_answer(answer)
    # Checked before lines are cut: an endless line means that the model did not stop.
    problem = "it repeats itself over and over" if is_degenerate(answer) else ""
    problem = problem or problem_with(
        found.observations, source=source, limit=limit, estimate=estimate
    )
    if problem:
        raise UnusableAnswer(f"the answer cannot be used: {problem}")
    # These are optional, so they are dropped when they contain invented names.
    task, response = (
        "" if invented_names(words, source) else words
        for words in (found.current_task, found.suggested_response)
    )
    return replace(found, current_task=task, suggested_response=response)


def _verified(
    found: Condensed, shown: Sequence[DatedLine], earlier: Collection[str] = ()
) -> Condensed:
    held = with_shown_milestones(parse(found.observations), shown, earlier)
    return replace(found, observations=render(held))
