"""Whether a value fits a JSON schema; as much of it as the tests have."""

from collections.abc import Mapping
from typing import Any, Final

Schema = Mapping[str, Any]


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
