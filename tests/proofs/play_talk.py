"""Recorded play as a conversation: questions about the events of demo games, observed by rules."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from memory import EventRow, read_run
from memory.conversation.conversation import Conversation
from memory.conversation.format import parse
from memory.conversation.jobs import Dependencies
from memory.conversation.rules import HeuristicObserver, HeuristicReflector
from memory.conversation.situation_format import Failure, Situation, milestones_in
from memory.store.conversation_record import MessageOrigin
from tests.memory.conversation.fixtures import open_conversations
from tests.memory.conversation.sample_talk import situation
from tests.proofs.conversations import CONFIG, THREAD
from tests.proofs.played import played
from tests.proofs.workers import Row

ASKED: Final = frozenset({"milestone", "battle", "location", "action"})
BEFORE: Final = 12  # earlier events in a question
SMALLER: Final = 10  # required factor between messages and observations
SECONDS_A_TICK: Final = 0.7


def play_talk_job(games: int, number: int) -> Row:
    """Run a conversation about a number of games, and return its compressed size."""
    with TemporaryDirectory(prefix="talk") as folder:
        home = Path(folder)
        store = open_conversations(home / "talk.sqlite")
        needs = Dependencies(HeuristicObserver(), HeuristicReflector(), lambda: 1_795_357_800.0)
        conversation = Conversation(store, THREAD, needs, CONFIG)
        reached: dict[str, None] = {}
        for seed in range(number, number + games):
            for now, around in questions(home, seed % 1_000_000):
                reached |= dict.fromkeys(now.reached)
                _talk(conversation, now, around)
        record = conversation.record()
        active = [each for each in store.chunks(THREAD) if each.to_seq <= record.cursor]
        view = conversation.before_call(0)
        store.close()
    seen = set(milestones_in(parse("\n".join((view.reflection, view.observations)))))
    seen |= {each for message in view.tail for each in reached if each in str(message.blocks)}
    said, observed = (
        sum(getattr(each, name) for each in active) for name in ("message_tokens", "tokens")
    )
    problems = [f"{each} is not in the context" for each in reached if each not in seen]
    if said < SMALLER * observed:
        problems.append(f"{said} tokens became {observed}, which is not {SMALLER} times smaller")
    return {
        "name": f"{games} games",
        "tokens observed": said,
        "tokens of observations": observed,
        "tokens in sight": record.observation_token_count,
        "reflections": record.generation_count,
        "milestones": len(reached),
        "problems": problems,
    }


def questions(home: Path, seed: int) -> Iterator[tuple[Situation, str]]:
    """Play a game, and yield a question for each of its events, with the events before it."""
    run = home / f"game-{seed}"
    played(home, seed=seed, until="first_badge", run=run)
    with closing(read_run(run)) as recorded:
        events = list(recorded.store.record.events())
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
        if event.kind not in ASKED:
            continue
        if event.kind == "milestone":
            reached.append(f"game_{seed}_{data['id']}")
        if event.kind == "action" and not data["success"]:
            failed[str(data["action_value"])] = failed.get(str(data["action_value"]), 0) + 1
        now = situation(event.kind, event.tick, event.tick * SECONDS_A_TICK, place)
        yield (
            replace(
                now,
                goal=goal,
                reached=tuple(reached),
                happened=(_event_text(event, seed),),
                failed=tuple(Failure(name, times) for name, times in failed.items()),
            ),
            _context(events[max(0, at - BEFORE) : at], state),
        )


def _event_text(event: EventRow, seed: int) -> str:
    data = event.payload
    match event.kind:
        case "milestone":
            return f"milestone reached: game_{seed}_{data['id']}"
        case "battle":
            ended = "lost" if data["outcome"] == "defeat" else data["outcome"]
            return f"battle {ended}: {data['enemy_pokemon']} at level {data['enemy_level']}"
        case "location":
            return f"entered {data['location_name']}"
        case _:
            return f"{data['action_value']}: {data['outcome_summary']}"


def _context(before: list[EventRow], state: dict[str, Any]) -> str:
    """Return the facts and the latest events in the format of a question, without pictures."""
    rows = [f"State: {json.dumps(state, default=dict)}", "Before:"]
    for event in before:
        plain = {name: value for name, value in event.payload.items() if name != "picture"}
        rows.append(f"tick {event.tick} {event.kind} {json.dumps(plain, default=dict)}")
    return "\n".join(rows)


def _talk(conversation: Conversation, now: Situation, around: str) -> None:
    tick, seconds = int(now.tick), int(now.tick) * SECONDS_A_TICK
    question = {"type": "text", "text": f"{now}\n\n{around}"}
    conversation.say("user", [question], MessageOrigin.PLAY, tick, seconds)
    conversation.before_call(0)
    said = {"goals": [now.goal], "candidates": list(now.happened), "note": "", "confidence": 0.8}
    answer = {"type": "text", "text": json.dumps(said)}
    conversation.say("assistant", [answer], MessageOrigin.MODEL, tick, seconds)
    conversation.after_turn()
