"""What the server answers, as data: a TOML file, or one made in code."""

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.fake_claude.answer import Answer, Call, json_text
from agent.fake_claude.ask import Ask, Kind
from agent.fake_claude.faults import Fault, Spread
from agent.fake_claude.offers import offers
from agent.fake_claude.schema import made_object


@dataclass(frozen=True, slots=True)
class Line:
    """One answer and when it is given: every condition that is there must hold.

    `user` and `system` are regular expressions that are searched for in the last user text and in the
    system text, `purpose` is one for the whole of why the question is asked; `turns` are numbers of requests; `kind` is the sort of answer wanted; `times` is how
    often at most. `calls` are made first, those of round 1 together, then those of round 2.
    """

    user: str = ""
    system: str = ""
    purpose: str = ""
    kind: Kind | None = None
    turns: tuple[int, ...] = ()
    times: int | None = None
    text: str = ""
    json: Mapping[str, Any] | None = None
    rounds: Sequence[Sequence[Call]] = ()
    stop: str = ""

    def matches(self, ask: Ask) -> bool:
        """Return whether it is meant for `ask`."""
        return (
            (self.kind is None or self.kind is ask.kind)
            and (not self.turns or ask.turn in self.turns)
            and (not self.user or re.search(self.user, ask.user) is not None)
            and (not self.purpose or re.fullmatch(self.purpose, ask.purpose) is not None)
            and (not self.system or re.search(self.system, ask.system) is not None)
        )

    def said_to(self, ask: Ask) -> Answer | None:
        """Return what it answers, None where it leaves that to the sensible answer."""
        fill = offers(ask)
        if ask.tools and ask.rounds < len(self.rounds):
            calls = [_call(each, fill, ask) for each in self.rounds[ask.rounds]]
            return Answer(calls=tuple(calls), stop_reason=self.stop)
        if self.json is not None:
            return Answer(json_text(_filled(self.json, fill)), stop_reason=self.stop)
        if self.text:
            text = string.Template(self.text).safe_substitute(fill)
            return Answer(text, stop_reason=self.stop)
        return None


def _call(told: Call, fill: Mapping[str, str], ask: Ask) -> Call:
    """Return a call with what it leaves open made up out of the tool's own schema."""
    name = string.Template(told.name).safe_substitute(fill)
    schema = next((each["input_schema"] for each in ask.tools if each["name"] == name), None)
    if told.input or schema is None:
        return Call(name, _filled(told.input, fill))
    return Call(name, made_object(schema, ask.chance(0)))


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
class Scenario:
    """What is answered: the first of `lines` that matches and is not used up, else something sensible.

    `faults` are those of their own turns, `spread` those of any.
    """

    name: str = "sensible"
    about: str = ""
    lines: Sequence[Line] = ()
    faults: Sequence[Fault] = ()
    spread: Spread = field(default_factory=Spread)


@dataclass(slots=True)
class Script:
    """A scenario under way: counts how often each line was used."""

    scenario: Scenario
    used: dict[int, int] = field(default_factory=dict)

    def answer(self, ask: Ask) -> Answer | None:
        """Return what is scripted for `ask`, None where nothing is."""
        for number, line in enumerate(self.scenario.lines):
            if line.times is not None and self.used.get(number, 0) >= line.times:
                continue
            if line.matches(ask):
                if ask.rounds >= len(line.rounds):  # with its calls it is one use
                    self.used[number] = self.used.get(number, 0) + 1
                return line.said_to(ask)
        return None
