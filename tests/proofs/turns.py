"""Generated turns of a conversation: questions of play, some tool calls, answers. A turn is determined by its number."""

import json
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any, Final

from memory.conversation.situation_format import Failure
from memory.store.conversation_record import MessageOrigin
from tests.memory.conversation.sample_talk import situation

TurnMessage = tuple[str, MessageOrigin, list[dict[str, Any]]]
PLACES: Final = ("the town", "the lane", "the wood", "the gym", "the store", "route_1", "map 47")
GOALS: Final = ("first_badge", "healed", "third_town", "delivered", "rival")
WHYS: Final = ("stuck", "no plan", "a plan failed twice", "milestone", "a choice")
TOOLS: Final = ("recall", "look", "try_plan")
WITH_TOOLS: Final = 0.3  # of all turns
HUGE: Final = 0.002


def turn(seed: int, number: int) -> Iterator[TurnMessage]:
    """Yield the messages of turn `number`, with one message of the program before each call of the model."""
    chance = Random(f"{seed}:{number}")
    yield "user", MessageOrigin.PLAY, [_text(_question(chance, number))]
    if chance.random() < WITH_TOOLS:
        for call in range(chance.randint(1, 3)):
            yield from _tool(chance, f"call-{number}-{call}")
    yield "assistant", MessageOrigin.MODEL, [_text(_answer(chance))]


def _question(chance: Random, number: int) -> str:
    tick = number * 40
    question = situation(chance.choice(WHYS), tick, tick / 2, f"{chance.choice(PLACES)} (3, 7)")
    reached = tuple(f"milestone_{each}" for each in range(number // 400 + 1))
    question = replace(
        question,
        goal=chance.choice(GOALS),
        reached=reached[-3:],
        happened=(f"milestone reached: {reached[-1]}",) if number % 400 == 0 else (),
        failed=(Failure(f"go:{chance.choice(PLACES)}: no way", chance.randint(1, 9)),),
    )
    rows = 400 if chance.random() < HUGE else chance.randint(3, 9)
    around = "\n".join("".join(chance.choices("#.~^", k=60)) for _ in range(rows))
    return f"{question}\n\nMap around:\n{around}"


def _tool(chance: Random, name: str) -> Iterator[TurnMessage]:
    question = {"name": chance.choice(TOOLS), "input": {"about": chance.choice(PLACES)}}
    yield "assistant", MessageOrigin.MODEL, [{"type": "tool_use", "id": name, **question}]
    words = f"{chance.choice(PLACES)} has a ledge. " * chance.randint(5, 25)
    yield (
        "user",
        MessageOrigin.PLAY,
        [{"type": "tool_result", "tool_use_id": name, "content": words}],
    )


def _answer(chance: Random) -> str:
    note = f"Walk round {chance.choice(PLACES)} by the north."
    goals = chance.sample(GOALS, 2)
    return json.dumps({"goals": goals, "candidates": [], "note": note, "confidence": 0.7})


def _text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}
