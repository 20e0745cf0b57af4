"""Sample conversations of play between the program and a model."""

import datetime as dt
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memory.conversation.format import (
    UNKNOWN,
    DatedLine,
    LinePriority,
    LineTime,
    ObservationLine,
    clock_words,
)
from memory.conversation.situation_format import Failure, Situation
from memory.store.conversation_record import Message, MessageOrigin
from memory.tokens import tokens_of

START_MS = 1_795_357_800_000  # 2026-11-22, 14:30 in UTC
MILESTONES = ("left_home", "starter", "rival", "second_town", "healed", "first_badge")
MAP = "\n".join(["Map around:", *["#....~~..#..^^....#" for _ in range(14)], ""])


def situation(why: str, tick: int, game_s: float, place: str) -> Situation:
    """Return the heads of a question and of its situation."""
    return Situation(why=why, tick=str(tick), game_time=clock_words(game_s), place=place)


def message(
    *blocks: Mapping[str, Any],
    origin: MessageOrigin = MessageOrigin.PLAY,
    tick: int = 0,
    wall: bool = True,
) -> Message:
    return Message(
        tokens=tokens_of(sum(len(json.dumps(dict(block))) for block in blocks)),
        thread="run-1",
        role="assistant" if origin is MessageOrigin.MODEL else "user",
        blocks=blocks,
        tick=tick,
        game_s=tick / 2,
        origin=origin,
        created_ms=START_MS + tick * 100 if wall else 0,
    )


def dated(
    words: str,
    priority: LinePriority = LinePriority.ASKED,
    moment: LineTime = UNKNOWN,
    *,
    date: dt.date | None = None,
    count: int = 1,
    details: tuple[str, ...] = (),
) -> DatedLine:
    return DatedLine(date, ObservationLine(priority, words, moment, count, details))


def text(words: str) -> Mapping[str, Any]:
    return {"type": "text", "text": words}


def said(words: str, *, tick: int = 0, origin: MessageOrigin = MessageOrigin.PLAY) -> Message:
    return message(text(words), tick=tick, origin=origin)


def asked(stuck: Situation, *, tick: int = 0) -> Message:
    return said(f"{stuck}\n\n{MAP}", tick=tick)


def answered(tick: int = 0, **answer: object) -> Message:
    return said(json.dumps(answer), tick=tick, origin=MessageOrigin.MODEL)


def called(tool: str, given: Mapping[str, Any], *, tick: int = 0, id: str = "c1") -> Message:
    block = {"type": "tool_use", "id": id, "name": tool, "input": given}
    return message(block, origin=MessageOrigin.MODEL, tick=tick)


def returned(words: str, *, tick: int = 0, id: str = "c1", is_error: bool = False) -> Message:
    block = {"type": "tool_result", "tool_use_id": id, "content": words, "is_error": is_error}
    return message(block, tick=tick)


def turn(number: int) -> list[Message]:
    """Return one question, tool call and answer, as in play that progresses slowly."""
    tick, reached = number * 40, MILESTONES[: number // 20]
    stuck = situation("stuck", tick, tick / 2, f"route_{number % 3 + 1} ({number % 7}, 4)")
    stuck = replace(
        stuck,
        goal="first_badge",
        reached=reached,
        happened=(f"milestone reached: {reached[-1]}",) if reached and number % 20 == 0 else (),
        failed=(Failure("go:route_1: a ledge is in the way", number // 5 + 1),),
    )
    advice = {
        "goals": ["healed", "first_badge"],
        "candidates": [f"go:route_{number % 4}"],
        "note": f"Walk round by the north, as in turn {number % 9}.",
        "confidence": 0.7,
    }
    return [
        asked(stuck, tick=tick),
        called("recall", {"query": f"way past route_{number % 3 + 1}"}, tick=tick),
        returned("* route_1 has a ledge\n" * 8, tick=tick),
        answered(tick, **advice),
    ]


def play(turns: int) -> list[Message]:
    return [each for number in range(turns) for each in turn(number)]
