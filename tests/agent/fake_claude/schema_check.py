"""Checks a value against a JSON schema, as far as the tests need."""

from collections.abc import Mapping
from typing import Any, Final

Schema = Mapping[str, Any]

_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


def fits(value: object, schema: Schema) -> bool:
    """Return whether `schema` allows `value`."""
    types = schema.get("type", list(_TYPES))
    types = [types] if isinstance(types, str) else types
    is_type = isinstance(value, tuple(_TYPES[kind] for kind in types if kind != "boolean"))
    if not ("boolean" in types if isinstance(value, bool) else is_type):
        return False
    if value not in schema.get("enum", [value]):
        return False
    match value:
        case dict():
            parts = schema.get("properties") or {}
            is_complete = all(name in value for name in schema.get("required", ()))
            is_open = schema.get("additionalProperties") is not False
            return is_complete and all(
                fits(each, parts[name]) if name in parts else is_open
                for name, each in value.items()
            )
        case list():
            return all(fits(each, schema.get("items", {})) for each in value)
        case _:
            return True
