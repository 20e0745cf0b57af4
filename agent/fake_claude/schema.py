"""Values of a JSON schema: made up, and checked. As much of JSON Schema as the service takes."""

import random
from collections.abc import Mapping, Sequence
from typing import Any, Final

from agent.fake_claude.refusal import Refused

MOST_ITEMS: Final = 3
FIRST_ITEMS: Final = 0.6  # how often a choice out of an enum begins with its first
WORDS: Final = "fake-claude: this is no model"
_NOT_TAKEN: Final = {
    "integer": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "string": ("minLength", "maxLength"),
    "array": ("maxItems", "uniqueItems", "contains", "prefixItems"),
    "object": ("minProperties", "maxProperties", "patternProperties"),
}

Schema = Mapping[str, Any]


def refuse_unusable(schema: Schema, where: str) -> None:
    """Refuse what the service does not take as the schema of an answer. Raises Refused."""
    kind = schema.get("type")
    if not {"type", "enum", "const", "anyOf", "allOf", "$ref"} & schema.keys():
        raise Refused(
            "invalid_request_error", f"{where}: Schema must have a 'type', 'anyOf' or 'enum'"
        )
    if "enum" in schema and not schema["enum"]:
        raise Refused("invalid_request_error", f"{where}: 'enum' must not be empty")
    if isinstance(kind, str) and (
        odd := [name for name in _NOT_TAKEN.get(kind, ()) if name in schema]
    ):
        message = f"{where}: For '{kind}' type, properties {', '.join(odd)} are not supported"
        raise Refused("invalid_request_error", message)
    if kind == "object" and schema.get("additionalProperties") is not False:
        message = (
            f"{where}: For 'object' type, 'additionalProperties' must be explicitly set to false"
        )
        raise Refused("invalid_request_error", message)
    if kind == "array" and schema.get("minItems", 0) not in {0, 1}:
        message = (
            f"{where}: For 'array' type, 'minItems' values other than 0 or 1 are not supported"
        )
        raise Refused("invalid_request_error", message)
    for name, inner in _parts(schema):
        refuse_unusable(inner, f"{where}.{name}")


def _parts(schema: Schema) -> list[tuple[str, Schema]]:
    found = [
        (f"properties.{name}", each) for name, each in (schema.get("properties") or {}).items()
    ]
    found += [(f"$defs.{name}", each) for name, each in (schema.get("$defs") or {}).items()]
    found += [(f"anyOf.{at}", each) for at, each in enumerate(schema.get("anyOf") or ())]
    return [*found, ("items", schema["items"])] if "items" in schema else found


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


def fits(value: object, schema: Schema, root: Schema | None = None) -> bool:
    """Return whether `schema` allows `value`."""
    root = schema if root is None else root
    if "$ref" in schema:
        return fits(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "anyOf" in schema:
        return any(fits(value, each, root) for each in schema["anyOf"])
    if value not in schema.get("enum", [value]) or schema.get("const", value) != value:
        return False
    match value:
        case dict():
            return _object_fits(value, schema, root)
        case list():
            items = schema.get("items", {})
            return _is(value, schema) and all(fits(each, items, root) for each in value)
        case _:
            return _is(value, schema)


def _object_fits(value: dict[str, object], schema: Schema, root: Schema) -> bool:
    parts = schema.get("properties") or {}
    if not _is(value, schema) or any(name not in value for name in schema.get("required", ())):
        return False
    if schema.get("additionalProperties") is False and value.keys() - parts.keys():
        return False
    return all(fits(value[name], each, root) for name, each in parts.items() if name in value)


_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def _is(value: object, schema: Schema) -> bool:
    kinds = schema.get("type", list(_TYPES))
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if isinstance(value, bool):
        return "boolean" in kinds
    return any(isinstance(value, _TYPES[kind]) for kind in kinds)
