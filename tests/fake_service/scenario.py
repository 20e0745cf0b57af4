"""Scenarios of the server: which answers and faults come when, as data or as a TOML file.

A file has `about`, a share of `faults` with their `kinds`, and tables that are tried in their order:

    faults = 0.3                        of all messages, spread over
    kinds = "all"                       or a list of kinds

    [[fault]]                           one at moments of its own
    kind = "rate_limit"
    turns = [1, 4]                      numbers of requests; else `probability`, `since` one of them
    retry_after_ms = 200                what a 429 asks for; `ms` is how late, how long away, how slow
    times = 2                           how often at most
    at = "count_tokens"                 or "models"; by itself "messages"

    [[answer]]
    user = "(?i)stuck"                  regular expressions, for the last user text and
    system = "adviser"                  the system text
    purpose = "stuck|no_plan"           and for the whole of what the question says of why it is asked
    kind = "answer"                     answer, observe, reflect or talk
    turns = [2]
    times = 1                           how often at most
    calls = [{ name = "recall", input = { query = "$goal" }, round = 1 }]
    json = { goals = ["$goal"], confidence = 0.8 }      the final answer; or
    text = "I would go on."             ... or neither, for a sensible one
    stop = "max_tokens"                 a reason to stop that is not the natural one

`$goal`, `$candidate`, `$tool`, `$turn` and `$question` stand for what the request offers. A folder is all of its files
in the order of their names.
"""

import re
import string
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Final, TypeVar

from agent.errors import UsageError
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
from tests.fake_service.faults import FaultSpread, ServiceFault, ServiceFaultKind


@dataclass(frozen=True, slots=True)
class ScriptedAnswer:
    """One answer and when it is given: every condition that is there must hold.

    `user` and `system` are regular expressions that are searched for in the last user text and in the
    system text, `purpose` is one for the whole of why the question is asked; `turns` are numbers of requests; `kind` is the sort of answer wanted; `times` is how
    often at most. `calls` are made first, those of round 1 together, then those of round 2.
    """

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


Chosen = TypeVar("Chosen", ServiceFaultKind, AnswerKind)
Known = Mapping[str, type | tuple[type, ...]]

ALL: Final = "all"
_SHIPPED: Final = resources.files(__package__).joinpath("scenarios")
_PATTERNS: Final = ("user", "system", "purpose")
_NUMBER: Final = (int, float)
_FILE: Final[Known] = {
    "about": str,
    "faults": _NUMBER,
    "kinds": (str, list),
    "fault": list,
    "answer": list,
}
_FAULT: Final[Known] = {
    "kind": str,
    "probability": _NUMBER,
    "turns": list,
    "times": int,
    "since": int,
    "at": str,
    "retry_after_ms": int,
    "ms": int,
}
_ANSWER: Final[Known] = {
    **dict.fromkeys((*_PATTERNS, "kind", "text", "stop"), str),
    "turns": list,
    "times": int,
    "calls": list,
    "json": dict,
}
_CALL: Final[Known] = {"name": str, "input": dict, "round": int}


def shipped() -> list[str]:
    """Return the names of the scenarios that ship."""
    names = [Path(each.name) for each in _SHIPPED.iterdir()]
    return sorted(each.stem for each in names if each.suffix == ".toml")


def scenario_named(name: str) -> ServiceScenario:
    """Return the scenario of that name, or at that path. Raises UsageError, which says what is wrong."""
    if name in shipped():
        return scenario_of(name, _SHIPPED.joinpath(f"{name}.toml").read_text(encoding="utf-8"))
    path = Path(name)
    files = sorted(path.glob("*.toml")) if path.is_dir() else [path]
    if not files or not all(each.is_file() for each in files):
        message = f"{name} is no scenario; name a file, a folder of them, or one of: {', '.join(shipped())}"
        raise UsageError(message)
    parts = [scenario_of(str(each), each.read_text(encoding="utf-8")) for each in files]
    spreads = [each.spread for each in parts if each.spread.share]
    return ServiceScenario(
        name=name,
        about=" ".join(each.about for each in parts),
        lines=[line for each in parts for line in each.lines],
        faults=[fault for each in parts for fault in each.faults],
        spread=spreads[-1] if spreads else FaultSpread(),
    )


def scenario_of(name: str, text: str) -> ServiceScenario:
    """Return the scenario that `text` is. Raises UsageError, which names it `name`."""
    try:
        told = tomllib.loads(text)
        _check(told, _FILE, "the file")
        spread = FaultSpread(_share(told.get("faults", 0.0)), kinds_of(told.get("kinds", ALL)))
        return ServiceScenario(
            name=name,
            about=told.get("about", ""),
            lines=[_line(each) for each in told.get("answer", ())],
            faults=[_fault(each) for each in told.get("fault", ())],
            spread=spread,
        )
    except (ValueError, TypeError, re.error) as error:
        message = f"scenario {name}: {error}"
        raise UsageError(message) from error


def kinds_of(told: str | Sequence[str]) -> Sequence[ServiceFaultKind]:
    """Return kinds of faults by their names, "all" for every one. Raises ValueError."""
    return (
        tuple(ServiceFaultKind)
        if told == ALL
        else tuple(_one(ServiceFaultKind, each) for each in told)
    )


def _share(told: float) -> float:
    if not 0 <= told <= 1:
        message = f"faults = {told} is no share; say a number from 0 to 1"
        raise ValueError(message)
    return float(told)


def _check(told: Mapping[str, Any], known: Known, where: str) -> None:
    """Raise ValueError for what a table does not know, or knows as something else."""
    if not isinstance(told, dict):
        message = f"{where} is a table of its own"
        raise TypeError(message)
    for name, value in told.items():
        if name not in known:
            message = f"{where} does not know {name!r}; it knows {', '.join(sorted(known))}"
            raise ValueError(message)
        if not isinstance(value, known[name]):
            message = f"{where} cannot have {name} = {value!r}"
            raise TypeError(message)


def _fault(told: Mapping[str, Any]) -> ServiceFault:
    _check(told, _FAULT, "[[fault]]")
    turns = tuple(told.get("turns", ()))
    return ServiceFault(
        **{**told, "kind": _one(ServiceFaultKind, told.get("kind", "")), "turns": turns}
    )


def _line(told: Mapping[str, Any]) -> ScriptedAnswer:
    _check(told, _ANSWER, "[[answer]]")
    for name in _PATTERNS:
        re.compile(told.get(name, ""))
    return ScriptedAnswer(
        **{name: told.get(name, "") for name in (*_PATTERNS, "text", "stop")},
        kind=_one(AnswerKind, told["kind"]) if "kind" in told else None,
        turns=tuple(told.get("turns", ())),
        times=told.get("times"),
        json=told.get("json"),
        rounds=_rounds(told.get("calls", ())),
    )


def _rounds(told: Sequence[Mapping[str, Any]]) -> Sequence[Sequence[ToolCall]]:
    for each in told:
        _check(each, _CALL, "a call")
    last = max((each.get("round", 1) for each in told), default=0)
    calls: list[list[ToolCall]] = [[] for _ in range(last)]
    for each in told:
        calls[each.get("round", 1) - 1].append(
            ToolCall(each.get("name", "$tool"), each.get("input", {}))
        )
    return calls


def _one(kinds: type[Chosen], name: str) -> Chosen:
    names = {each.value: each for each in kinds}
    if name not in names:
        message = f"kind = {name!r} is none of {', '.join(names)}"
        raise ValueError(message)
    return names[name]
