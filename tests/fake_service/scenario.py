"""Scenarios of the server: which answers and faults come when, as data or as a TOML file.

A file has the fields of a `ServiceScenario`, tables for what is a class in it:

    about = "..."
    spread = { share = 0.3 }            of all messages, over every kind, or a list of `kinds`

    [[faults]]                          one at moments of its own: a `ServiceFault`
    kind = "rate_limit"
    turns = [1, 4]

    [[lines]]                           tried in their order: a `ScriptedAnswer`
    user = "(?i)stuck"
    rounds = [[{ name = "recall", input = { query = "$goal" } }]]
    json = { goals = ["$goal"], confidence = 0.8 }      the final answer; or
    text = "I would go on."             ... or neither, for a sensible one

`$goal`, `$candidate`, `$tool`, `$turn` and `$question` stand for what the request offers.
"""

import re
import string
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

from agent.fake_claude.answers import (
    LISTS,
    AnswerKind,
    MadeUpAnswer,
    ParsedRequest,
    ToolCall,
    json_text,
    listed,
    made_object,
)
from tests.fake_service.faults import STRICT, FaultSpread, ServiceFault


@dataclass(frozen=True, slots=True)
class ScriptedAnswer:
    """One answer and when it is given: every condition that is there must hold.

    `user` and `system` are regular expressions that are searched for in the last user text and in the
    system text, `purpose` is one for the whole of why the question is asked; `turns` are numbers of
    requests; `kind` is the sort of answer wanted; `times` is how often at most. The calls of a round are
    made together, and all rounds before the answer. `stop` is a reason to stop that is not the natural one.
    """

    __pydantic_config__ = STRICT

    user: str = ""
    system: str = ""
    purpose: str = ""
    kind: AnswerKind | None = None
    turns: tuple[int, ...] = ()
    times: int | None = None
    text: str = ""
    json: Mapping[str, Any] | None = None
    rounds: Sequence[Sequence[ToolCall]] = ()
    stop: str = ""

    def matches(self, ask: ParsedRequest) -> bool:
        """Return whether it is meant for `ask`."""
        return (
            (self.kind is None or self.kind is ask.kind)
            and (not self.turns or ask.turn in self.turns)
            and (not self.user or re.search(self.user, ask.user) is not None)
            and (not self.purpose or re.fullmatch(self.purpose, ask.purpose) is not None)
            and (not self.system or re.search(self.system, ask.system) is not None)
        )

    def said_to(self, ask: ParsedRequest) -> MadeUpAnswer | None:
        """Return what it answers, None where it leaves that to the sensible answer."""
        fill = offers(ask)
        if ask.tools and ask.rounds < len(self.rounds):
            calls = [_call(each, fill, ask) for each in self.rounds[ask.rounds]]
            return MadeUpAnswer(calls=tuple(calls), stop_reason=self.stop)
        if self.json is not None:
            return MadeUpAnswer(json_text(_filled(self.json, fill)), stop_reason=self.stop)
        if self.text:
            text = string.Template(self.text).safe_substitute(fill)
            return MadeUpAnswer(text, stop_reason=self.stop)
        return None


def offers(ask: ParsedRequest) -> dict[str, str]:
    """Return the values of `$goal`, `$candidate`, `$tool`, `$turn` and `$question`; '' for what is not offered.

    The first goal and candidate are taken from the enums of the schema, else from the list under their
    heading in what the user said last of such lists.
    """
    parts = (ask.schema or {}).get("properties") or {}
    names = listed(ask.told)
    goal, candidate = (
        [*_enum(parts.get(name) or {}), *names.get(name, ()), ""][0] for name in LISTS
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


def _call(told: ToolCall, fill: Mapping[str, str], ask: ParsedRequest) -> ToolCall:
    """Return a call with what it leaves open made up out of the tool's own schema."""
    name = string.Template(told.name).safe_substitute(fill)
    schema = next((each["input_schema"] for each in ask.tools if each["name"] == name), None)
    if told.input or schema is None:
        return ToolCall(name, _filled(told.input, fill))
    return ToolCall(name, made_object(schema, ask.chance(0)))


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
    """What is answered: the first of `lines` that matches and is not used up, else something sensible.

    `faults` are those of their own turns, `spread` those of any.
    """

    __pydantic_config__ = STRICT

    name: str = "sensible"
    about: str = ""
    lines: Sequence[ScriptedAnswer] = ()
    faults: Sequence[ServiceFault] = ()
    spread: FaultSpread = field(default_factory=FaultSpread)


@dataclass(slots=True)
class ScenarioProgress:
    """A scenario under way: counts how often each line was used."""

    scenario: ServiceScenario
    used: dict[int, int] = field(default_factory=dict)

    def answer(self, ask: ParsedRequest) -> MadeUpAnswer | None:
        """Return what is scripted for `ask`, None where nothing is."""
        for number, line in enumerate(self.scenario.lines):
            if line.times is not None and self.used.get(number, 0) >= line.times:
                continue
            if line.matches(ask):
                if ask.rounds >= len(line.rounds):  # with its calls it is one use
                    self.used[number] = self.used.get(number, 0) + 1
                return line.said_to(ask)
        return None


_SHIPPED: Final = Path(__file__).with_name("scenarios")


def shipped() -> list[str]:
    """Return the names of the scenarios that ship."""
    return sorted(each.stem for each in _SHIPPED.glob("*.toml"))


def scenario_named(name: str) -> ServiceScenario:
    """Return the scenario of that name, or at that path."""
    path = _SHIPPED / f"{name}.toml" if name in shipped() else Path(name)
    return scenario_of(name, path.read_text(encoding="utf-8"))


def scenario_of(name: str, text: str) -> ServiceScenario:
    """Return the scenario that `text` is. Raises ValidationError, which says what is wrong."""
    told = {**tomllib.loads(text), "name": name}
    return TypeAdapter(ServiceScenario).validate_python(told)
