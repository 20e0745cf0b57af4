"""A model that observes or reflects. Its answer is text to be judged: it is read, checked, and held to what was shown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memory.thread.answers import parse_answer
from memory.thread.format import parse, render
from memory.thread.kinds import held_to_shown, milestones_in, milestones_of
from memory.thread.model_prompts import (
    DistillingSettings,
    observing_prompt,
    reflecting_prompt,
)
from memory.thread.observing import shown_milestones
from memory.thread.port import Distilled
from memory.thread.transcript import transcript
from memory.thread.validation import Unusable, is_degenerate, made_up_names, problem_with
from memory.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from memory.thread.format import Dated
    from memory.thread.message import Message

LEAST_LIMIT: Final = 200  # tokens that observations of few messages may have
_DEFAULTS: Final = DistillingSettings()


class ModelObserver:
    """Observes with a model. `complete` takes a system text and a user text, and returns what the model answers.

    Whatever keeps `complete` from an answer it raises as DistillingFailed.
    """

    source = "llm"

    def __init__(
        self,
        complete: Callable[[str, str], str],
        settings: DistillingSettings = _DEFAULTS,
        estimate: Callable[[str], int] = tokens,
    ) -> None:
        self._complete = complete
        self._settings = settings
        self._estimate = estimate

    def observe(self, messages: Sequence[Message], known: str) -> Distilled:
        """Return the model's observations, with the milestones that the program told and no others.

        Where nothing was said in `messages`, there are none, and no model is asked.

        Raises:
            DistillingFailed: when no answer came.
            Unusable: when it is empty, repeats itself, is longer than what was said, or names what was not.
        """
        said = transcript(messages)
        if not said:
            return Distilled("")
        asked = observing_prompt(messages, known, self._settings.prompt, self._estimate)
        answer = self._complete(*asked)
        limit = max(self._estimate(said), LEAST_LIMIT)
        found = _sound(answer, f"{known}\n{said}", limit, self._estimate)
        earlier = milestones_in(parse(known))
        return _held(found, _unknown(shown_milestones(messages), earlier), earlier)


class ModelReflector:
    """Reflects with a model; `complete` is as of an observer."""

    source = "llm"

    def __init__(
        self,
        complete: Callable[[str, str], str],
        settings: DistillingSettings = _DEFAULTS,
        estimate: Callable[[str], int] = tokens,
    ) -> None:
        self._complete = complete
        self._settings = settings
        self._estimate = estimate

    def reflect(self, observations: str, *, level: int, target: int) -> Distilled:
        """Return the model's reflection, with the milestones of `observations` and no others.

        Raises:
            DistillingFailed: when no answer came.
            Unusable: when it is empty, repeats itself, is no smaller, has more than `target` tokens, or names what
                the observations do not.
        """
        asked = reflecting_prompt(observations, level, target, self._settings.prompt)
        answer = self._complete(*asked)
        limit = max(min(target, self._estimate(observations) - 1), 1)
        found = _sound(answer, observations, limit, self._estimate)
        held = _held(found, [each for each in parse(observations) if milestones_of(each.line)])
        if (size := self._estimate(held.observations)) > limit:
            message = f"with its milestones it has {size} tokens, more than {limit}"
            raise Unusable(message)
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
        raise Unusable(message)
    return replace(
        found,
        current_task=_said_of(found.current_task, source),
        suggested_response=_said_of(found.suggested_response, source),
    )


def _said_of(words: str, source: str) -> str:
    """Return `words`, or nothing where they name what `source` does not: they can be done without."""
    return "" if made_up_names(words, source) else words


def _unknown(shown: Sequence[Dated], earlier: Collection[str]) -> list[Dated]:
    """Return the lines of milestones that were not all told earlier."""
    return [each for each in shown if set(milestones_of(each.line)) - set(earlier)]


def _held(found: Distilled, shown: Sequence[Dated], earlier: Collection[str] = ()) -> Distilled:
    held = held_to_shown(parse(found.observations), shown, earlier)
    return replace(found, observations=render(held))
