"""Made-up answers: plausible, and out of nothing but the request; counted in tokens by a measure of the server's own."""

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any, Final

BYTES_A_TOKEN: Final = 3.6
PICTURE: Final = 1_600  # what a picture of some size counts as
FRAME: Final = 4  # around each block


def tokens_of_text(text: str) -> int:
    """Return how many tokens `text` counts as; 0 for none."""
    return round(len(text.encode()) / BYTES_A_TOKEN + 0.499)


def tokens_of_block(block: Mapping[str, Any]) -> int:
    """Return how many tokens a block of content or a tool's definition counts as, its frame included."""
    match block.get("type"):
        case "text":
            return FRAME + tokens_of_text(str(block.get("text", "")))
        case "image":
            return FRAME + PICTURE
        case "tool_result" if isinstance(block.get("content"), list):
            return FRAME + sum(tokens_of_block(each) for each in block["content"])
        case _:
            rest = {key: value for key, value in block.items() if key != "cache_control"}
            return FRAME + tokens_of_text(json.dumps(rest, ensure_ascii=False))


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool."""

    name: str
    input: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MadeUpAnswer:
    """Text, then calls of tools; `stop_reason` '' is the natural one.

    `explanation` says why a refusal refuses.
    """

    text: str = ""
    calls: Sequence[ToolCall] = ()
    stop_reason: str = ""
    explanation: str = ""

    @property
    def stop(self) -> str:
        """Why the message ends."""
        return self.stop_reason or ("tool_use" if self.calls else "end_turn")

    @property
    def tokens(self) -> int:
        """How many tokens of output it counts as."""
        said = sum(tokens_of_text(call.name + str(call.input)) + 10 for call in self.calls)
        return max(tokens_of_text(self.text) + said, 1)

    @property
    def details(self) -> dict[str, object] | None:
        """Why a refusal refuses, in the shape of the service."""
        if not self.explanation:
            return None
        return {"type": "refusal", "category": None, "explanation": self.explanation}

    def blocks(self, message_id: str) -> list[dict[str, object]]:
        """Return its blocks of content; calls are numbered after the message."""
        found: list[dict[str, object]] = []
        if self.text:
            found.append({"type": "text", "text": self.text, "citations": None})
        tag = message_id.removeprefix("msg_")
        for number, call in enumerate(self.calls, start=1):
            block: dict[str, object] = {"type": "tool_use", "id": f"toolu_{tag}_{number}"}
            found.append({**block, "name": call.name, "input": dict(call.input)})
        return found


def json_text(value: object) -> str:
    """Return `value` as JSON on one line, letters as they are."""
    return json.dumps(value, ensure_ascii=False)


_PURPOSE: Final = re.compile(
    r"^(?:purpose|why you are asked): *(\w+)", re.IGNORECASE | re.MULTILINE
)


_TICK: Final = re.compile(r"^tick: *(\d+)", re.IGNORECASE | re.MULTILINE)


class AnswerKind(Enum):
    """What sort of answer is wanted."""

    ANSWER = "answer"  # JSON after a schema
    OBSERVE = "observe"  # a conversation into observations
    REFLECT = "reflect"  # observations into fewer
    TALK = "talk"  # whatever else


@dataclass(frozen=True)
class ParsedRequest:
    """One request. `turn` counts the requests for a message from 1, those that failed included."""

    body: Mapping[str, Any]
    turn: int = 1

    @cached_property
    def system(self) -> str:
        """The system text."""
        return "\n\n".join(texts(self.body.get("system", "")))

    @cached_property
    def user(self) -> str:
        """What the user said last: from the question on, where tools were called or an answer was sent back since."""
        return "\n\n".join(text for each in self._since for text in texts(each["content"]))

    @cached_property
    def purpose(self) -> str:
        """Why it is asked, where the user says so in a line of its own, the last one; '' where it does not."""
        found = _PURPOSE.findall(self.told)
        return str(found[-1]) if found else ""

    @cached_property
    def told(self) -> str:
        """The text of all user messages: what a question offers stands before the results of tools and repairs."""
        return "\n\n".join(text for each in self._said for text in texts(each["content"]))

    @property
    def tools(self) -> Sequence[Mapping[str, Any]]:
        """The tools on offer; none where the request forbids to call any."""
        is_forbidden = (self.body.get("tool_choice") or {}).get("type") == "none"
        return () if is_forbidden else self.body.get("tools") or ()

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The schema of the final answer, if it must follow one."""
        output = self.body.get("output_config") or {}
        return (output.get("format") or {}).get("schema")

    @cached_property
    def rounds(self) -> int:
        """How many rounds of tools were done since the last question."""
        return sum(_has_results(each) for each in self._since)

    @cached_property
    def _since(self) -> Sequence[Mapping[str, Any]]:
        """The messages of the user from the last question on, which says why it is asked, or has no results of tools."""
        said = list(enumerate(self._said))
        asks = [at for at, each in said if any(map(_PURPOSE.search, texts(each["content"])))]
        plain = [at for at, each in said if not _has_results(each)]
        return self._said[(asks or plain or [0])[-1] :]

    @cached_property
    def _said(self) -> Sequence[Mapping[str, Any]]:
        """The messages of the user."""
        return [each for each in self.body["messages"] if each["role"] == "user"]

    @cached_property
    def kind(self) -> AnswerKind:
        """What sort of answer is wanted."""
        if self.schema is not None:
            return AnswerKind.ANSWER
        if "<observations>" not in self.system:
            return AnswerKind.TALK
        return AnswerKind.REFLECT if "reflect" in self.system.lower() else AnswerKind.OBSERVE

    def chance(self, seed: int, salt: str = "") -> random.Random:
        """Return a random source that depends on when and why is asked, never on how a prompt is worded."""
        tick = _TICK.findall(self.told)[-1:]
        return random.Random(
            f"{seed} {salt} {self.purpose} {tick} {self.rounds} {len(self._since)}"
        )


def blocks(content: object) -> Sequence[Mapping[str, Any]]:
    """Return content as blocks; a string is short for one of text."""
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


def listed(text: str) -> dict[str, Sequence[str]]:
    """Return the names in the last list of goals and of candidates in `text`, where there are such lists.

    A list is lines of `- name: what it means` after one that ends in a colon and says what they are.
    """
    found: dict[str, Sequence[str]] = {}
    for name in LISTS:
        lists = re.findall(_LIST.format(name=name), text, re.IGNORECASE | re.MULTILINE)
        if lists:
            found[name] = _ITEM.findall(lists[-1])
    return found


MOST_ITEMS: Final = 3
FIRST_ITEMS: Final = 0.6  # how often a choice out of an enum begins with its first
WORDS: Final = "fake-claude: this is no model"

Schema = Mapping[str, Any]


def made_object(schema: Schema, chance: random.Random) -> Mapping[str, Any]:
    """Return the arguments of a call that `schema` allows; none where it is no schema of an object."""
    made = made_up(schema, chance)
    return made if isinstance(made, dict) else {}


def made_up(schema: Schema, chance: random.Random) -> object:
    """Return a value that `schema` allows: one of its enum, or one of its type, which is a text where none is told."""
    choices, kind = schema.get("enum"), schema.get("type")
    if choices:
        return choices[0] if chance.random() < FIRST_ITEMS else chance.choice(choices)
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            parts = schema.get("properties") or {}
            return {name: made_up(each, chance) for name, each in parts.items()}
        case "array":
            items = schema.get("items") or {}
            if items.get("enum"):
                return some_of(items["enum"], chance)
            return [made_up(items, chance) for _ in range(chance.randint(1, 2))]
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
    """Return the first few of `choices`, which is not empty, or a few that follow one another."""
    first = 0 if chance.random() < FIRST_ITEMS else chance.randrange(len(choices))
    return [*choices[first:], *choices[:first]][: chance.randint(1, MOST_ITEMS)]


MOST_OBSERVED: Final = 12
LONGEST: Final = 160  # characters of one observation
_OBSERVATION: Final = re.compile(r"^\s*[*-]\s*(🔴|🟡|🟢)")
_MARKS: Final = ("🔴", "🟡", "🟢")


def observed(conversation: str) -> str:
    """Return some lines of `conversation` as observations; the first lines of it count as the weightiest."""
    lines = [line.strip() for line in conversation.splitlines()]
    said = [line for line in lines if len(line) > 20 and not line.startswith("<")]
    step = max(len(said) // MOST_OBSERVED, 1)
    chosen = said[::step][:MOST_OBSERVED] or ["Nothing was said."]
    body = [f"* {_MARKS[min(at, 2)]} {line[:LONGEST]}" for at, line in enumerate(chosen)]
    return _framed(body, chosen[-1][:LONGEST])


def reflected(text: str) -> str:
    """Return the weighty half of the observations in `text`, in their order."""
    found = [line.rstrip() for line in text.splitlines() if _OBSERVATION.match(line)]
    weighty = [line for line in found if "🔴" in line] or found
    kept = weighty[: max(len(found) // 2, 1)] or ["* 🟢 Nothing was observed."]
    return _framed(kept, kept[-1].lstrip("*- 🔴🟡🟢"))


def _framed(observations: list[str], task: str) -> str:
    body = "\n".join(observations)
    return (
        f"<observations>\n{body}\n</observations>\n"
        f"<current-task>{task}</current-task>\n"
        "<suggested-response>Go on as planned.</suggested-response>"
    )


PREFIX: Final = "[fake-claude: no model] "
CURIOSITY: Final = 0.3  # how often a tool is called first
MOST_ROUNDS: Final = 2  # of tools


def sensible(ask: ParsedRequest, seed: int) -> MadeUpAnswer:
    """Return the same plausible answer for the same request and `seed`."""
    chance = ask.chance(seed)
    if call := _call(ask, chance):
        return MadeUpAnswer(calls=(call,))
    match ask.kind:
        case AnswerKind.ANSWER:
            return MadeUpAnswer(json_text(_named(made_up(ask.schema or {}, chance), ask, chance)))
        case AnswerKind.OBSERVE:
            return MadeUpAnswer(observed(ask.user))
        case AnswerKind.REFLECT:
            return MadeUpAnswer(reflected(ask.user))
        case AnswerKind.TALK:
            return MadeUpAnswer(f"{PREFIX}You said: {ask.user[:200]}")


def _call(ask: ParsedRequest, chance: random.Random) -> ToolCall | None:
    is_curious = ask.tools and ask.rounds < MOST_ROUNDS and chance.random() < CURIOSITY
    if not is_curious:
        return None
    tool = chance.choice(ask.tools)
    return ToolCall(tool["name"], made_object(tool["input_schema"], chance))


def _named(made: object, ask: ParsedRequest, chance: random.Random) -> object:
    """Put names that the question lists in the place of words that the schema left open."""
    if not isinstance(made, dict):
        return made
    names = listed(ask.told)
    parts = (ask.schema or {}).get("properties") or {}
    for name in sorted(made.keys() & names.keys()):
        if isinstance(made[name], list) and not (parts[name].get("items") or {}).get("enum"):
            made[name] = some_of(names[name], chance)
    return made
