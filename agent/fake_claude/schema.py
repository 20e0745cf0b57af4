"""Values made up out of a JSON schema."""

import random
from collections.abc import Mapping, Sequence
from typing import Any, Final

MOST_ITEMS: Final = 3
FIRST_ITEMS: Final = 0.6  # how often a choice out of an enum begins with its first
WORDS: Final = "fake-claude: this is no model"

Schema = Mapping[str, Any]


def made_object(schema: Schema, chance: random.Random) -> Mapping[str, Any]:
    """Return the arguments of a call that `schema` allows; none where it is no schema of an object."""
    made = made_up(schema, chance)
    return made if isinstance(made, dict) else {}


def made_up(schema: Schema, chance: random.Random, root: Schema | None = None) -> object:
    """Return a value that `schema` allows; `root` holds the definitions it refers to."""
    root = schema if root is None else root
    if "$ref" in schema:
        return made_up(root["$defs"][schema["$ref"].rpartition("/")[2]], chance, root)
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return _one_of(schema["enum"], chance)
    if "anyOf" in schema:
        return made_up(schema["anyOf"][0], chance, root)
    kind = schema.get("type")
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            parts = schema.get("properties") or {}
            return {name: made_up(each, chance, root) for name, each in parts.items()}
        case "array":
            return _array(schema, chance, root)
        case other:
            return _scalar(other, schema, chance)


def _one_of(choices: Sequence[object], chance: random.Random) -> object:
    return choices[0] if chance.random() < FIRST_ITEMS else chance.choice(choices)


def _array(schema: Schema, chance: random.Random, root: Schema) -> list[object]:
    items = schema.get("items") or {"type": "string"}
    choices = items.get("enum")
    if not choices:
        return [made_up(items, chance, root) for _ in range(chance.randint(1, 2))]
    return some_of(choices, chance)[: schema.get("maxItems")]


def some_of(choices: Sequence[object], chance: random.Random) -> list[object]:
    """Return the first few of `choices`, which is not empty, or a few that follow one another."""
    first = 0 if chance.random() < FIRST_ITEMS else chance.randrange(len(choices))
    return [*choices[first:], *choices[:first]][: chance.randint(1, MOST_ITEMS)]


def _scalar(kind: object, schema: Schema, chance: random.Random) -> object:
    low, high = schema.get("minimum", 0), schema.get("maximum", 1)
    match kind:
        case "integer":
            return chance.randint(int(low), max(int(high), int(low)))
        case "number":
            return round(low + (high - low) * chance.uniform(0.5, 0.95), 2)
        case "boolean":
            return chance.random() < FIRST_ITEMS
        case "null":
            return None
        case _:
            return WORDS[: schema.get("maxLength", len(WORDS))]
