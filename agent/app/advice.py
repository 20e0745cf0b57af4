"""What a run keeps of the advice it was given: enough for it to be given again without a model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from agent.advisor import Advice, Advisor, Question, Silent, Tool
from memory import Call, ErrorMode, Hooks, Json, RunStore
from memory.codec import encode

ADVICE: Final = "advice"  # the kind of event


class Asking(NamedTuple):
    """Whom a session asks: `advisor` makes him from the tools that he has; `every` so many ticks also without need."""

    advisor: Callable[[Sequence[Tool]], Advisor]
    every: int = 0


class Consultations:
    """Writes down each question with its answer, and what was done by tools before it was answered."""

    def __init__(self, store: RunStore, hooks: Hooks) -> None:
        self._store = store
        self._done: list[Json] = []
        hooks.after("Advising.answered", self._answered, on_error=ErrorMode.SUPPRESS)

    def noting(self, tool: Tool) -> Tool:
        """Return `tool`, whose calls are noted from now on."""
        return replace(tool, run=partial(self._run, tool))

    def _run(self, tool: Tool, asked: Mapping[str, Any]) -> str:
        self._done.append({"tool": tool.name, "input": dict(asked)})
        return tool.run(asked)

    def _answered(self, call: Call, answer: Advice | Silent) -> None:
        question: Question = call.args[0]
        done, self._done = self._done, []
        payload = {
            "purpose": question.purpose.value,
            "question": fingerprint(question),
            "milestone": question.milestone,
            "done": done,
            **answer_as_json(answer),
        }
        self._store.append_event(question.tick, ADVICE, payload)


def fingerprint(question: Question) -> str:
    """Return what tells a question from others, by all that is asked but the picture."""
    asked: Mapping[str, Any] = {
        **asdict(replace(question, picture=b"")),
        "purpose": question.purpose.value,
        "picture": "",
    }
    return blake2b(encode(asked).encode(), digest_size=16).hexdigest()


def answer_as_json(answer: Advice | Silent) -> Mapping[str, Json]:
    """Return an answer in plain JSON types, as its event has it."""
    if isinstance(answer, Silent):
        return {"silence": answer.reason.value, "detail": answer.detail}
    return {
        "goals": list(answer.goals),
        "candidates": list(answer.candidates),
        "note": answer.note,
        "confidence": answer.confidence,
    }
