"""Answers that are plausible and made of nothing but the request: no thought goes into them."""

import random
from collections.abc import Mapping
from typing import Any, Final

from agent.fake_claude.answer import Answer, Call, json_text
from agent.fake_claude.ask import Ask, Kind
from agent.fake_claude.observing import observed, reflected
from agent.fake_claude.offers import listed
from agent.fake_claude.schema import made_object, made_up, some_of

PREFIX: Final = "[fake-claude: no model] "
CURIOSITY: Final = 0.3  # how often a tool is called first
MOST_ROUNDS: Final = 2  # of tools, unless the request insists


def sensible(ask: Ask, seed: int) -> Answer:
    """Return the same plausible answer for the same request and `seed`."""
    chance = ask.chance(seed)
    if call := _call(ask, chance):
        return Answer(calls=(call,))
    match ask.kind:
        case Kind.ANSWER:
            return Answer(json_text(_named(made_up(ask.schema or {}, chance), ask, chance)))
        case Kind.OBSERVE:
            return Answer(observed(ask.user))
        case Kind.REFLECT:
            return Answer(reflected(ask.user))
        case Kind.TALK:
            return Answer(f"{PREFIX}You said: {ask.user[:200]}")


def _call(ask: Ask, chance: random.Random) -> Call | None:
    tools = list(ask.tools)
    if not tools:
        return None
    match ask.tool_choice["type"]:
        case "tool":
            name = ask.tool_choice["name"]
            return _made(next(each for each in tools if each["name"] == name), chance)
        case "any":
            return _made(chance.choice(tools), chance)
        case _:
            curious = ask.rounds < MOST_ROUNDS and chance.random() < CURIOSITY
            return _made(chance.choice(tools), chance) if curious else None


def _made(tool: Mapping[str, Any], chance: random.Random) -> Call:
    return Call(tool["name"], made_object(tool["input_schema"], chance))


def _named(made: object, ask: Ask, chance: random.Random) -> object:
    """Put names that the question lists in the place of words that the schema left open."""
    if not isinstance(made, dict):
        return made
    names = listed(ask.told)
    parts = (ask.schema or {}).get("properties") or {}
    for name in sorted(made.keys() & names.keys()):
        if isinstance(made[name], list) and not (parts[name].get("items") or {}).get("enum"):
            made[name] = some_of(names[name], chance)
    return made
