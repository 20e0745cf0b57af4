"""Where everything stands in a request, so that the service can read again what it has read before.

What changes less stands further to the front: tools, rules, reflections, observations, the last session's notes, the
conversation; the state of the moment comes last and is never marked. Nothing before it holds a clock or a tick of now.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agent.advisor.answer import ANSWER_SCHEMA
from agent.advisor.model import Request
from agent.advisor.prompt import prompt_file
from agent.advisor.talk import Sight
from agent.advisor.tool import Tool
from agent.advisor.turns import add_user, text, turns_of
from agent.advisor.wording import data, sound
from memory.tapes.recorder import run_mark
from memory.thread.injection import Injected, inject, with_reminder
from memory.thread.message import Message

# The service takes four marks, those for longer before those for shorter. All four are used.
HOUR: Final = {"type": "ephemeral", "ttl": "1h"}
MINUTES: Final = {"type": "ephemeral", "ttl": "5m"}

Block = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Fixed:
    """What stays as it is for a whole session. `notes` is what an earlier session left, '' where there was none.

    `run` tells this run from every other in its first message: two that begin alike are not one on a tape.
    """

    tools: tuple[Tool, ...] = ()
    notes: str = ""
    run: str = ""
    max_tokens: int = 1_000


def request_of(
    fixed: Fixed,
    sight: Sight,
    tail: Sequence[Message],
    state: Sequence[Block],
    model: str,
    previous: str,
) -> Request:
    """Return the request for the next call: the `state` of the moment comes last.

    `tail` are the messages of `sight` that are to be sent. `previous` is the id of the last message that came back,
    '' before the first.
    """
    memory = inject(
        sight.reflection,
        sight.observations,
        sight.current_task,
        sight.suggested_response,
        sight.others,
    )
    return Request(
        model=model,
        system=[_rules(), *_remembered(memory, sight)],
        messages=_messages(fixed, with_reminder(tail, memory), state),
        max_tokens=fixed.max_tokens,
        tools=[_tool(each) for each in fixed.tools],
        # One schema for all questions: another would void all that is cached. The names that an answer may use stand
        # in the question, and are checked when it comes.
        output_schema=ANSWER_SCHEMA,
        previous_message_id=previous,
    )


def _rules() -> Block:
    return text(prompt_file("rules")) | {"cache_control": HOUR}


def _opening(fixed: Fixed) -> Sequence[Block]:
    """Return the first message of all: which run asks, and what was noted before it. A tape keeps no system text."""
    blocks = [text(run_mark(fixed.run))] if fixed.run else []
    if fixed.notes.strip():
        blocks.append(text(data("memory", sound(fixed.notes.strip()))))
    return [{"role": "user", "content": blocks}] if blocks else []


def _remembered(memory: Injected, sight: Sight) -> Sequence[Block]:
    """Return what became of the older conversation; what other conversations hold is new each time and not marked."""
    blocks = [text(part) for part in memory.parts]
    marked = len(blocks) - bool(sight.others.strip())
    if marked > 0:
        blocks[marked - 1] |= {"cache_control": MINUTES}
    if marked > 1:
        blocks[0] |= {"cache_control": HOUR}
    return blocks


def _messages(fixed: Fixed, tail: Sequence[Message], state: Sequence[Block]) -> Sequence[Block]:
    turns = turns_of(tail)
    if turns:
        turns[-1]["content"][-1] |= {"cache_control": MINUTES}
    if turns and turns[-1]["role"] == "user":
        turns[-1]["content"].extend(state)
    else:
        add_user(turns, state)
    return [*_opening(fixed), *turns]


def _tool(tool: Tool) -> Block:
    return {"name": tool.name, "description": tool.says, "input_schema": dict(tool.schema)}
