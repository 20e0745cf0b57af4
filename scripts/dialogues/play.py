"""Recorded play as a conversation: games of the demo, asked about wherever something happened, observed by rules."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agent.app import Interrupt, Settings, play_run
from agent.app.summary import TickView
from dialogues.life import THREAD
from memory import EventRow, read_run
from memory.conversation.config import ConversationConfig
from memory.conversation.conversation import Conversation, open_conversations
from memory.conversation.format import parse
from memory.conversation.jobs import Dependencies
from memory.conversation.rules import HeuristicObserver, HeuristicReflector
from memory.conversation.situation_format import Failure, Situation, milestones_in, situation
from memory.store.conversation_record import MessageOrigin

EACH = frozenset({"milestone", "battle", "location", "action"})
AROUND = 12  # events that a question tells of


@dataclass(frozen=True, slots=True)
class Compressed:
    """What recorded play came to."""

    games: int
    questions: int
    said: int  # tokens of all messages that are observed
    observed: int  # tokens of what was observed of them, before any reflection
    in_sight: int  # tokens of what a call has instead of them
    generations: int
    milestones: int
    missing: tuple[str, ...]  # milestones that a call does not see any more


class _Nobody:
    """Looks on at nothing."""

    def show(self, moment: TickView) -> None:
        """Look at a moment."""


def compressed(folder: Path, games: int, config: ConversationConfig) -> Compressed:
    """Play so many games, talk about all that happened in them in one conversation, and return what it came to."""
    store = open_conversations(folder / "threads.sqlite")
    means = Dependencies(HeuristicObserver(), HeuristicReflector(), lambda: 1_795_357_800.0)
    conversation = Conversation(store, THREAD, means, config)
    reached: list[str] = []
    questions = 0
    for number in range(games):
        run = folder / f"game-{number}"
        settings = Settings(seed=number, until="first_badge", run=run, memory=folder / "m.sqlite")
        play_run(settings, _Nobody(), Interrupt())
        with closing(read_run(run)) as recorded:
            events = list(recorded.store.events())
        for told, around in _questions(events, number):
            questions += 1
            reached += [each for each in told.reached if each not in reached]
            _talk(conversation, told, around)
    record = conversation.record()
    chunks = store.chunks(THREAD)
    sight = conversation.before_call(0)
    seen = milestones_in(parse("\n".join((sight.reflection, sight.observations))))
    behind = {each for message in sight.tail for each in reached if each in str(message.blocks)}
    active = [each for each in chunks if each.to_seq <= record.cursor]
    store.close()
    return Compressed(
        games,
        questions,
        sum(each.message_tokens for each in active),
        sum(each.tokens for each in active),
        record.observation_token_count,
        record.generation_count,
        len(reached),
        tuple(each for each in reached if each not in seen and each not in behind),
    )


def _questions(events: list[EventRow], game: int) -> Iterator[tuple[Situation, str]]:
    """Yield what would be asked wherever something happened, and what stood around it."""
    place, goal = "", ""
    reached: list[str] = []
    failed: dict[str, int] = {}
    state: dict[str, Any] = {}
    for at, event in enumerate(events):
        data = event.payload
        place = str(data.get("location") or data.get("location_name") or data.get("place") or place)
        if event.kind == "objective":
            goal = str(data["name"])
        elif event.kind in ("team", "resources"):
            state[event.kind] = data
        if event.kind not in EACH:
            continue
        happened = _happened(event, game)
        if event.kind == "milestone":
            reached.append(f"game_{game}_{data['id']}")
        if event.kind == "action" and not data["success"]:
            failed[str(data["action_value"])] = failed.get(str(data["action_value"]), 0) + 1
        told = replace(
            situation(event.kind, event.tick, event.tick * 0.7, place),
            goal=goal,
            reached=tuple(reached),
            happened=(happened,),
            failed=tuple(Failure(name, times) for name, times in failed.items()),
        )
        yield told, _around(events[max(0, at - AROUND) : at], state)


def _happened(event: EventRow, game: int) -> str:
    data = event.payload
    match event.kind:
        case "milestone":
            return f"milestone reached: game_{game}_{data['id']}"
        case "battle" if data["outcome"] == "defeat":
            return f"battle lost: {data['enemy_pokemon']} at level {data['enemy_level']}"
        case "battle":
            return (
                f"battle {data['outcome']}: {data['enemy_pokemon']} at level {data['enemy_level']}"
            )
        case "location":
            return f"entered {data['location_name']}"
        case _:
            return f"{data['action_value']}: {data['outcome_summary']}"


def _around(before: list[EventRow], state: dict[str, Any]) -> str:
    """Return the facts and the latest events as a question has them, without pictures."""
    rows = [f"State: {json.dumps(state)}", "Before:"]
    for event in before:
        plain = {name: value for name, value in event.payload.items() if name != "picture"}
        rows.append(f"tick {event.tick} {event.kind} {json.dumps(plain)}")
    return "\n".join(rows)


def _talk(conversation: Conversation, told: Situation, around: str) -> None:
    tick = int(told.tick)
    question = {"type": "text", "text": f"{told}\n\n{around}"}
    conversation.say("user", [question], MessageOrigin.PLAY, tick, tick * 0.7)
    conversation.before_call(0)
    said = {"goals": [told.goal], "candidates": list(told.happened), "note": "", "confidence": 0.8}
    answer = {"type": "text", "text": json.dumps(said)}
    conversation.say("assistant", [answer], MessageOrigin.MODEL, tick, tick * 0.7)
    conversation.after_turn()
