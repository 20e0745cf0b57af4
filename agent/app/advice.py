"""The advice of a run as its record keeps it: enough to give it again without a model."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from agent.advisor.port import Advice, Advisor, Question, Silent, Tool, ToolRefused
from agent.advisor.recorded import (
    RecordedAdvisor,
    RecordedAnswer,
    RecordingAdvisor,
    as_json,
    from_json,
    hash_of,
)
from agent.errors import RunError
from memory import EventRow, Json, RunStore

ADVICE: Final = "advice"  # the kind of event


class Asking(NamedTuple):
    """Whom a session asks, `every` so many ticks also without need.

    `advisor` makes him from the tools that he has and from what tells the session's observations as they are then.
    """

    advisor: Callable[[Sequence[Tool], Callable[[], str | None]], Advisor]
    every: int = 0


class Consultations:
    """Writes down each question with its answer, and what was done by tools before it was answered."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._done: list[Json] = []

    def noting(self, tool: Tool) -> Tool:
        """Return `tool`, whose calls are noted from now on."""
        return replace(tool, run=partial(self._run, tool))

    def recording(self, advisor: Advisor) -> Advisor:
        """Return `advisor`, whose answers are written down from now on."""
        return RecordingAdvisor(advisor, self._answered)

    def _run(self, tool: Tool, asked: Mapping[str, Any]) -> str:
        self._done.append({"tool": tool.name, "input": dict(asked)})
        return tool.run(asked)

    def _answered(self, answered: RecordedAnswer) -> None:
        done, self._done = self._done, []
        self._store.append_event(answered.tick, ADVICE, {**as_json(answered), "done": done})


class ReplayedAdvice:
    """Gives the advice that a run was given, and does again what was done by tools before each answer.

    Of two branches that asked at the same tick the live one is meant.
    """

    def __init__(self, told: Iterable[EventRow], tools: Sequence[Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._done: dict[str, Sequence[Mapping[str, Any]]] = {}
        answers = []
        for event in told:
            try:
                answers.append(from_json(event.payload))
                self._done[answers[-1].question] = event.payload["done"]
            except (KeyError, ValueError) as error:
                message = f"the advice of tick {event.tick} cannot be read ({error}); replay the steps alone"
                raise RunError(message) from error
        self._recorded = RecordedAdvisor(answers)

    def ask(self, question: Question) -> Advice | Silent:
        """Return the answer of then."""
        for done in self._done.get(hash_of(question), ()):
            tool = self._tools.get(done["tool"])
            if tool is not None:
                with suppress(ToolRefused):
                    tool.run(done["input"])
        return self._recorded.ask(question)
