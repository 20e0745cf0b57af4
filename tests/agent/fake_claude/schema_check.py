"""Whether a value fits a JSON schema; as much of it as the tests have."""

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
    kinds = schema.get("type", list(_TYPES))
    kinds = [kinds] if isinstance(kinds, str) else kinds
    is_one = isinstance(value, tuple(_TYPES[kind] for kind in kinds if kind != "boolean"))
    if not ("boolean" in kinds if isinstance(value, bool) else is_one):
        return False
    if value not in schema.get("enum", [value]):
        return False
    match value:
        case dict():
            parts = schema.get("properties") or {}
            is_whole = all(name in value for name in schema.get("required", ()))
            is_open = schema.get("additionalProperties") is not False
            return is_whole and all(
                fits(each, parts[name]) if name in parts else is_open
                for name, each in value.items()
            )
        case list():
            return all(fits(each, schema.get("items", {})) for each in value)
        case _:
            return True
