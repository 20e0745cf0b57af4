"""Advice stored in the record of a run, from which a replay repeats it without a model."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from agent.advisor.model import FaultKind
from agent.advisor.port import (
    Advice,
    Advisor,
    NoAnswer,
    NoAnswerReason,
    Question,
    Tool,
    ToolRefused,
)
from agent.advisor.recorded import (
    RecordedAdvisor,
    RecordedAnswer,
    RecordingAdvisor,
    as_json,
    from_json,
    question_hash,
)
from agent.errors import RunError
from memory import EventRow, Json, RunReader, RunStore

ADVICE: Final = "advice"  # the event kind


class AdviceSource(NamedTuple):
    """How a session asks for advice: an advisor, and the ticks between questions that nothing else causes (0: none).

    `advisor` builds it from its tools and from a function that returns the session's current observations.
    """

    advisor: Callable[[Sequence[Tool], Callable[[], str | None]], Advisor]
    every: int = 0


class AdviceRecorder:
    """Records each question with its answer, the tool calls made before it, and the numbers of the calls of the model.

    Of `repeated`, recorded answers that are given again, the calls were made then.
    """

    def __init__(self, store: RunStore, repeated: Iterable[EventRow] = ()) -> None:
        self._store = store
        self._paid: dict[tuple[int, str], list[int]] = {
            (each.tick, str(each.payload.get("question"))): list(each.payload.get("calls", ()))
            for each in repeated
        }
        self._tool_calls: list[Json] = []
        self._calls = len(store.calls.all())  # rows of the ledger that belong to earlier questions

    def recording_calls(self, tool: Tool) -> Tool:
        """Return a copy of `tool` whose calls are recorded."""
        return replace(tool, run=partial(self._run_tool, tool))

    def recording_answers(self, advisor: Advisor) -> Advisor:
        """Return `advisor` wrapped so that its answers are recorded."""
        return RecordingAdvisor(advisor, self._record)

    def _run_tool(self, tool: Tool, asked: Mapping[str, Any]) -> str:
        self._tool_calls.append({"tool": tool.name, "input": dict(asked)})
        return tool.run(asked)

    def _record(self, answered: RecordedAnswer) -> None:
        done, self._tool_calls = self._tool_calls, []
        every = self._store.calls.all()
        calls = [each.id for each in every[self._calls :] if each.purpose == answered.purpose]
        self._calls = len(every)
        calls += self._paid.get((answered.tick, answered.question), [])
        data = {**as_json(answered), "done": done, "calls": calls}
        self._store.record.add_event(answered.tick, ADVICE, data)
        self._store.commit_if_free()  # an answer is paid for: a kill must not lose it


def answers_to_repeat(run: RunReader, upto: int) -> list[EventRow]:
    """Return the recorded answers up to tick `upto`, those of dead branches first; the model need not be asked again.

    A question that a request to end play has interrupted has no answer.
    """
    interrupted = f"{FaultKind.INTERRUPTED.value}:"
    return [
        each
        for each in (*run.record.events(ADVICE, live=False), *run.record.events(ADVICE))
        if each.tick <= upto and not str(each.payload.get("detail", "")).startswith(interrupted)
    ]


class ReplayedAdvice:
    """An advisor that repeats recorded advice, and the tool calls made before each answer.

    Where two branches asked at the same tick, the answer of the live branch is used. A question that was not recorded goes
    to the advisor `otherwise`, if there is one.
    """

    def __init__(
        self, events: Iterable[EventRow], tools: Sequence[Tool], otherwise: Advisor | None = None
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._otherwise = otherwise
        self._tool_calls: dict[str, Sequence[Mapping[str, Any]]] = {}
        answers = []
        for event in events:
            try:
                answers.append(from_json(event.payload))
                self._tool_calls[answers[-1].question] = event.payload["done"]
            except (KeyError, ValueError) as error:
                message = f"the advice of tick {event.tick} cannot be read ({error}); replay the steps alone"
                raise RunError(message) from error
        self._recorded = RecordedAdvisor(answers)

    def ask(self, question: Question) -> Advice | NoAnswer:
        """Repeat the tool calls recorded for `question`, and return its recorded answer."""
        answer = self._recorded.ask(question)
        is_missing = isinstance(answer, NoAnswer) and answer.reason is NoAnswerReason.NOT_RECORDED
        if is_missing and self._otherwise is not None:
            return self._otherwise.ask(question)
        for done in self._tool_calls.get(question_hash(question), ()):
            tool = self._tools.get(done["tool"])
            if tool is not None:
                with suppress(ToolRefused):
                    tool.run(done["input"])
        return answer
