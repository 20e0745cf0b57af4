"""Scenarios of the server: scripted answers and faults, as data or as a TOML file.

A file has the fields of a `ServiceScenario`; fields that are classes are tables:

    about = "..."
    spread = { share = 0.3 }            of all messages, over all kinds or a list of `kinds`

    [[faults]]                          a fault with its own schedule: a `ServiceFault`
    kind = "rate_limit"
    turns = [1, 4]

    [[lines]]                           a `ScriptedAnswer`, tried in the order of the file
    user = "(?i)stuck"
    rounds = [[{ name = "recall", input = { query = "$goal" } }]]
    json = { goals = ["$goal"], confidence = 0.8 }      the final answer; or
    text = "I would go on."             ... or neither, for a made-up answer

`$goal`, `$candidate`, `$tool`, `$turn` and `$question` are replaced by values from the request.
"""

import re
import string
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

from agent.fake_claude import answers
from tests.fake_service.faults import STRICT, FaultSpread, ServiceFault


@dataclass(frozen=True, slots=True)
class ScriptedAnswer:
    """One scripted answer; it is given when all its conditions hold.

    `user` and `system` are regular expressions searched in the last user text and in the system text; `purpose`
    must match the whole purpose; `turns` are numbers of requests; `kind` is the requested kind of answer; `times`
    is the maximum number of uses. The calls of a round are made together, and all rounds precede the answer.
    `stop` replaces the natural stop reason.
    """

    __pydantic_config__ = STRICT

    user: str = ""
    system: str = ""
    purpose: str = ""
    kind: answers.AnswerKind | None = None
    turns: tuple[int, ...] = ()
    times: int | None = None
    text: str = ""
    json: Mapping[str, Any] | None = None
    rounds: Sequence[Sequence[answers.ToolCall]] = ()
    stop: str = ""

    def matches(self, ask: answers.ParsedRequest) -> bool:
        """Return whether all conditions hold for `ask`."""
        return (
            (self.kind is None or self.kind is ask.kind)
            and (not self.turns or ask.turn in self.turns)
            and (not self.user or re.search(self.user, ask.user) is not None)
            and (not self.purpose or re.fullmatch(self.purpose, ask.purpose) is not None)
            and (not self.system or re.search(self.system, ask.system) is not None)
        )

    def answer_to(self, ask: answers.ParsedRequest) -> answers.MadeUpAnswer | None:
        """Return the scripted answer, or None for a made-up one."""
        fill = placeholders(ask)
        if ask.tools and ask.rounds < len(self.rounds):
            calls = [_call(each, fill, ask) for each in self.rounds[ask.rounds]]
            return answers.MadeUpAnswer(calls=tuple(calls), stop_reason=self.stop)
        if self.json is not None:
            return answers.MadeUpAnswer(
                answers.json_text(_filled(self.json, fill)), stop_reason=self.stop
            )
        if self.text:
            text = string.Template(self.text).safe_substitute(fill)
            return answers.MadeUpAnswer(text, stop_reason=self.stop)
        return None


def placeholders(ask: answers.ParsedRequest) -> dict[str, str]:
    """Return the values of `$goal`, `$candidate`, `$tool`, `$turn` and `$question`; '' for a missing one.

    The first goal and candidate come from the enums of the schema, else from the last list under their heading in
    the user's text.
    """
    parts = (ask.schema or {}).get("properties") or {}
    names = answers.listed_names(ask.user_text)
    goal, candidate = (
        [*_enum(parts.get(name) or {}), *names.get(name, ()), ""][0] for name in answers.LISTS
    )
    tools = [str(tool["name"]) for tool in ask.tools]
    return {
        "goal": goal,
        "candidate": candidate,
        "tool": tools[0] if tools else "",
        "turn": str(ask.turn),
        "question": ask.user.partition("\n")[0],
    }


def _enum(schema: Mapping[str, Any]) -> Sequence[str]:
    return (schema.get("items") or schema).get("enum") or ()


def _call(
    scripted: answers.ToolCall, fill: Mapping[str, str], ask: answers.ParsedRequest
) -> answers.ToolCall:
    """Return a call with placeholders filled; without scripted input it is made from the tool's schema."""
    name = string.Template(scripted.name).safe_substitute(fill)
    schema = next((each["input_schema"] for each in ask.tools if each["name"] == name), None)
    if scripted.input or schema is None:
        return answers.ToolCall(name, _filled(scripted.input, fill))
    return answers.ToolCall(name, answers.any_object(schema, ask.chance(0)))


def _filled(value: Any, fill: Mapping[str, str]) -> Any:  # noqa: ANN401 - JSON
    match value:
        case str():
            return string.Template(value).safe_substitute(fill)
        case Mapping():
            return {name: _filled(each, fill) for name, each in value.items()}
        case list() | tuple():
            return [_filled(each, fill) for each in value]
        case _:
            return value


@dataclass(frozen=True, slots=True)
class ServiceScenario:
    """A scenario: the first of `lines` that matches and is not used up answers, else a made-up answer.

    `faults` have their own schedule; `spread` adds faults to a share of all messages. `lacks` are the fields that the
    server does not know; with `is_terse` its refusals do not say which.
    """

    __pydantic_config__ = STRICT

    name: str = "sensible"
    about: str = ""
    lines: Sequence[ScriptedAnswer] = ()
    faults: Sequence[ServiceFault] = ()
    spread: FaultSpread = field(default_factory=FaultSpread)
    lacks: Sequence[str] = ()
    is_terse: bool = False


@dataclass(slots=True)
class ScenarioProgress:
    """A scenario in progress, with the number of uses of each line."""

    scenario: ServiceScenario
    used: dict[int, int] = field(default_factory=dict)

    def answer(self, ask: answers.ParsedRequest) -> answers.MadeUpAnswer | None:
        """Return the scripted answer to `ask`, or None."""
        for number, line in enumerate(self.scenario.lines):
            if line.times is not None and self.used.get(number, 0) >= line.times:
                continue
            if line.matches(ask):
                if ask.rounds >= len(line.rounds):  # its tool rounds belong to the same use
                    self.used[number] = self.used.get(number, 0) + 1
                return line.answer_to(ask)
        return None


_SHIPPED: Final = Path(__file__).with_name("scenarios")


def shipped_scenarios() -> list[str]:
    """Return the names of the shipped scenarios."""
    return sorted(each.stem for each in _SHIPPED.glob("*.toml"))


def scenario_named(name: str) -> ServiceScenario:
    """Return the shipped scenario of that name, or the one at that path."""
    path = _SHIPPED / f"{name}.toml" if name in shipped_scenarios() else Path(name)
    return scenario_of(name, path.read_text(encoding="utf-8"))


def scenario_of(name: str, text: str) -> ServiceScenario:
    """Return the scenario in the TOML `text`. Raises ValidationError."""
    fields = {**tomllib.loads(text), "name": name}
    return TypeAdapter(ServiceScenario).validate_python(fields)
