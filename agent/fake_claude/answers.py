"""Made-up answers: plausible, built only from the request, and counted in tokens by the server's own estimate."""

import json
import random
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache, cached_property
from importlib import resources
from typing import Any, Final

BYTES_A_TOKEN: Final = 3.6


def tokens_of_text(text: str) -> int:
    """Return the estimated tokens of `text`; 0 for an empty text."""
    return round(len(text.encode()) / BYTES_A_TOKEN + 0.499)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call."""

    name: str
    input: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MadeUpAnswer:
    """An answer: text, then tool calls. With `stop_reason` '' the reason follows from the content."""

    text: str = ""
    calls: Sequence[ToolCall] = ()
    stop_reason: str = ""

    @property
    def stop(self) -> str:
        """The stop reason of the message."""
        return self.stop_reason or ("tool_use" if self.calls else "end_turn")

    @property
    def tokens(self) -> int:
        """The estimated output tokens of the answer."""
        called = sum(tokens_of_text(call.name + str(call.input)) + 10 for call in self.calls)
        return max(tokens_of_text(self.text) + called, 1)

    def blocks(self, message_id: str) -> list[dict[str, object]]:
        """Return the content blocks of the answer; the ids of calls contain `message_id`."""
        found: list[dict[str, object]] = []
        if self.text:
            found.append({"type": "text", "text": self.text, "citations": None})
        tag = message_id.removeprefix("msg_")
        for number, call in enumerate(self.calls, start=1):
            block: dict[str, object] = {"type": "tool_use", "id": f"toolu_{tag}_{number}"}
            found.append({**block, "name": call.name, "input": dict(call.input)})
        return found


def json_text(value: object) -> str:
    """Return `value` as JSON on one line, without ASCII escapes."""
    return json.dumps(value, ensure_ascii=False)


_PURPOSE: Final = re.compile(
    r"^(?:purpose|why you are asked): *(\w+)", re.IGNORECASE | re.MULTILINE
)


_TICK: Final = re.compile(r"^tick: *(\d+)", re.IGNORECASE | re.MULTILINE)


class AnswerKind(Enum):
    """The kind of answer that a request asks for."""

    ANSWER = "answer"  # JSON that follows a schema
    OBSERVE = "observe"  # observations from a conversation
    REFLECT = "reflect"  # fewer observations from many
    TALK = "talk"  # any other request


@dataclass(frozen=True)
class ParsedRequest:
    """One parsed request. `turn` counts message requests from 1, including failed ones."""

    body: Mapping[str, Any]
    turn: int = 1

    @cached_property
    def system(self) -> str:
        """The system text."""
        return "\n\n".join(texts(self.body.get("system", "")))

    @cached_property
    def user(self) -> str:
        """The user's text from the last question on, including later tool results and repair requests."""
        return "\n\n".join(text for each in self._since for text in texts(each["content"]))

    @cached_property
    def purpose(self) -> str:
        """The purpose in the user's last line that names one, or ''."""
        found = _PURPOSE.findall(self.user_text)
        return str(found[-1]) if found else ""

    @cached_property
    def user_text(self) -> str:
        """The text of all user messages; a question's options stand before tool results and repair requests."""
        messages = [each for each in self.body["messages"] if each["role"] == "user"]
        return "\n\n".join(text for each in messages for text in texts(each["content"]))

    @property
    def tools(self) -> Sequence[Mapping[str, Any]]:
        """The available tools; empty when the request forbids tool calls."""
        is_forbidden = (self.body.get("tool_choice") or {}).get("type") == "none"
        return () if is_forbidden else self.body.get("tools") or ()

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The schema of the final answer, or None."""
        output = self.body.get("output_config") or {}
        return (output.get("format") or {}).get("schema")

    @cached_property
    def rounds(self) -> int:
        """The number of tool rounds since the last question."""
        return sum(_has_results(each) for each in self._since)

    @cached_property
    def _turns_since(self) -> int:
        """The number of the user's turns from the last question on; successive messages are one turn."""
        later = self.body["messages"][self._asked_at :]
        return 1 + len([each for each in later if each["role"] == "assistant"])

    @cached_property
    def _since(self) -> Sequence[Mapping[str, Any]]:
        """The user messages from the last question on."""
        return [each for each in self.body["messages"][self._asked_at :] if each["role"] == "user"]

    @cached_property
    def _asked_at(self) -> int:
        """The place of the last question: the last user message that names a purpose, or has no tool results."""
        users = [
            (n, each) for n, each in enumerate(self.body["messages"]) if each["role"] == "user"
        ]
        asked = [n for n, each in users if any(map(_PURPOSE.search, texts(each["content"])))]
        plain = [n for n, each in users if not _has_results(each)]
        return (asked or plain or [0])[-1]

    @cached_property
    def kind(self) -> AnswerKind:
        """The kind of answer that the request asks for."""
        if self.schema is not None:
            return AnswerKind.ANSWER
        if "<observations>" not in self.system:
            return AnswerKind.TALK
        return AnswerKind.REFLECT if "reflect" in self.system.lower() else AnswerKind.OBSERVE

    def chance(self, seed: int, salt: str = "") -> random.Random:
        """Return a random source seeded by tick, purpose and round, never by the wording of a prompt."""
        tick = _TICK.findall(self.user_text)[-1:]
        return random.Random(
            f"{seed} {salt} {self.purpose} {tick} {self.rounds} {self._turns_since}"
        )


def blocks(content: object) -> Sequence[Mapping[str, Any]]:
    """Return content as blocks; a string stands for one text block."""
    if isinstance(content, str):
        return ({"type": "text", "text": content},) if content else ()
    return content if isinstance(content, list | tuple) else ()


def _has_results(message: Mapping[str, Any]) -> bool:
    return any(each["type"] == "tool_result" for each in blocks(message["content"]))


def texts(content: object) -> Iterator[str]:
    """Yield the text of each block of text."""
    for block in blocks(content):
        if block.get("type") == "text":
            yield str(block["text"])


LISTS: Final = ("goals", "candidates")
_LIST: Final = r"^.*\b{name}\b.*:\s*$\n((?:[ \t]*[-*] .*(?:\n|\Z))+)"
_ITEM: Final = re.compile(r"^[ \t]*[-*] `?(.+?)`?(?::\s.*)?$", re.MULTILINE)


def listed_names(text: str) -> dict[str, Sequence[str]]:
    """Return the names in the last list of goals and in the last list of candidates in `text`, if present.

    A list is a heading that contains the word and ends in a colon, then lines of the form `- name: meaning`.
    """
    found: dict[str, Sequence[str]] = {}
    for name in LISTS:
        lists = re.findall(_LIST.format(name=name), text, re.IGNORECASE | re.MULTILINE)
        if lists:
            found[name] = _ITEM.findall(lists[-1])
    return found


MAX_ITEMS: Final = 3
FIRST_ITEMS: Final = 0.6  # probability that a choice from an enum is its first value
WORDS: Final = "fake-claude: this is no model"

Schema = Mapping[str, Any]


def any_object(schema: Schema, chance: random.Random) -> Mapping[str, Any]:
    """Return arguments that `schema` allows; empty when it is not the schema of an object."""
    made = any_value(schema, chance)
    return made if isinstance(made, dict) else {}


def any_value(schema: Schema, chance: random.Random) -> object:
    """Return a value that `schema` allows: from its enum or of its type, which is string by default."""
    choices, kind = schema.get("enum"), schema.get("type")
    if choices:
        return choices[0] if chance.random() < FIRST_ITEMS else chance.choice(choices)
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            parts = schema.get("properties") or {}
            return {name: any_value(each, chance) for name, each in parts.items()}
        case "array":
            items = schema.get("items") or {}
            if items.get("enum"):
                return some_of(items["enum"], chance)
            return [any_value(items, chance) for _ in range(chance.randint(1, 2))]
        case "integer":
            return chance.randint(0, 1)
        case "number":
            return round(chance.uniform(0.5, 0.95), 2)
        case "boolean":
            return chance.random() < FIRST_ITEMS
        case "null":
            return None
        case _:
            return WORDS


def some_of(choices: Sequence[object], chance: random.Random) -> list[object]:
    """Return a few consecutive items of `choices`, often the first ones; `choices` must not be empty."""
    first = 0 if chance.random() < FIRST_ITEMS else chance.randrange(len(choices))
    return [*choices[first:], *choices[:first]][: chance.randint(1, MAX_ITEMS)]


MAX_OBSERVED: Final = 12
LONGEST: Final = 160  # characters of one observation
_OBSERVATION: Final = re.compile(r"^\s*[*-]\s*(🔴|🟡|🟢)")
_PRIORITIES: Final = ("🔴", "🟡", "🟢")


def made_observations(conversation: str) -> str:
    """Return some lines of `conversation` as observations; the first lines get the highest priority."""
    lines = [line.strip() for line in conversation.splitlines()]
    content = [line for line in lines if len(line) > 20 and not line.startswith("<")]
    step = max(len(content) // MAX_OBSERVED, 1)
    chosen = content[::step][:MAX_OBSERVED] or ["Nothing was said."]
    body = [f"* {_PRIORITIES[min(at, 2)]} {line[:LONGEST]}" for at, line in enumerate(chosen)]
    return _framed(body, chosen[-1][:LONGEST])


def made_reflection(text: str) -> str:
    """Return half of the observations in `text`, those of high priority, in their order."""
    found = [line.rstrip() for line in text.splitlines() if _OBSERVATION.match(line)]
    important = [line for line in found if "🔴" in line] or found
    kept = important[: max(len(found) // 2, 1)] or ["* 🟢 Nothing was observed."]
    return _framed(kept, kept[-1].lstrip("*- 🔴🟡🟢"))


def _framed(observations: list[str], task: str) -> str:
    body = "\n".join(observations)
    return (
        f"<observations>\n{body}\n</observations>\n"
        f"<current-task>{task}</current-task>\n"
        "<suggested-response>Go on as planned.</suggested-response>"
    )


PREFIX: Final = "[fake-claude: no model] "
CURIOSITY: Final = 0.3  # probability of a tool call first
MAX_ROUNDS: Final = 2  # of tool calls


def sensible(ask: ParsedRequest, seed: int) -> MadeUpAnswer:
    """Return a plausible answer; the same request and `seed` give the same answer."""
    chance = ask.chance(seed)
    if call := _call(ask, chance):
        return MadeUpAnswer(calls=(call,))
    match ask.kind:
        case AnswerKind.ANSWER:
            return MadeUpAnswer(json_text(_named(any_value(ask.schema or {}, chance), ask, chance)))
        case AnswerKind.OBSERVE:
            return MadeUpAnswer(made_observations(ask.user))
        case AnswerKind.REFLECT:
            return MadeUpAnswer(made_reflection(ask.user))
        case AnswerKind.TALK:
            return MadeUpAnswer(f"{PREFIX}You said: {ask.user[:200]}")


@cache
def _good_advice() -> Sequence[Mapping[str, Any]]:
    table = resources.files(__package__).joinpath("good_advice.toml").read_text(encoding="utf-8")
    rows: Sequence[Mapping[str, Any]] = tomllib.loads(table)["advice"]
    return rows


def good_answer(ask: ParsedRequest) -> MadeUpAnswer:
    """Return the answer of the first row of `good_advice.toml` that fits the question, or an empty one."""
    offered = re.findall(r"^- `([^`]+)`: (.*)$", ask.user, re.MULTILINE)
    for row in _good_advice():
        if row["purpose"] == ask.purpose and re.search(row["asked"], ask.user):
            names = [name for each in row["first"] for name, words in offered if each in words]
            listed = listed_names(ask.user)
            chosen = {
                kind: [each for each in names if each in listed.get(kind, ())] for kind in LISTS
            }
            return MadeUpAnswer(json_text({**chosen, "note": row["note"], "confidence": 0.9}))
    return MadeUpAnswer(json_text({**{name: [] for name in LISTS}, "note": "", "confidence": 0.5}))


def _call(ask: ParsedRequest, chance: random.Random) -> ToolCall | None:
    is_curious = ask.tools and ask.rounds < MAX_ROUNDS and chance.random() < CURIOSITY
    if not is_curious:
        return None
    tool = chance.choice(ask.tools)
    return ToolCall(tool["name"], any_object(tool["input_schema"], chance))


def _named(made: object, ask: ParsedRequest, chance: random.Random) -> object:
    """Return `made` with names from the question in each list that the schema leaves open."""
    if not isinstance(made, dict):
        return made
    names = listed_names(ask.user_text)
    parts = (ask.schema or {}).get("properties") or {}
    for name in sorted(made.keys() & names.keys()):
        if isinstance(made[name], list) and not (parts[name].get("items") or {}).get("enum"):
            made[name] = some_of(names[name], chance)
    return made
