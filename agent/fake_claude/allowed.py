"""Which schemas the service takes: any that is sound for a tool, fewer for an answer."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

Schema = Mapping[str, Any]

_TYPES: Final = ("object", "array", "string", "integer", "number", "boolean", "null")
_KINDS: Final[Mapping[str, type]] = {
    "properties": dict,
    "$defs": dict,
    "items": dict,
    "anyOf": list,
    "enum": list,
    "required": list,
    "$ref": str,
}
_BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_NOT_TAKEN: Final = {
    "integer": _BOUNDS,
    "number": _BOUNDS,
    "string": ("minLength", "maxLength"),
    "array": ("maxItems", "uniqueItems", "contains", "prefixItems"),
    "object": ("minProperties", "maxProperties", "patternProperties"),
}


def unsound(schema: object, where: str) -> Iterator[str]:
    """Yield what makes it no schema; all but the first may follow from the first."""
    yield from _unsound(schema, where, schema)


def _unsound(schema: object, where: str, root: object) -> Iterator[str]:
    if not isinstance(schema, dict):
        yield f"{where}: JSON schema is invalid: it is no object"
        return
    for name, kind in _KINDS.items():
        if name in schema and not isinstance(schema[name], kind):
            yield f"{where}.{name}: JSON schema is invalid: it is no {kind.__name__}"
    kinds = schema.get("type", "null")
    for kind in kinds if isinstance(kinds, list) and kinds else [kinds]:
        if kind not in _TYPES:
            yield f"{where}.type: JSON schema is invalid: {kind!r} is no type"
    for bound in ("minimum", "maximum", "maxLength", "maxItems"):
        if not isinstance(schema.get(bound, 0), int | float):
            yield f"{where}.{bound}: JSON schema is invalid: it is no number"
    if "$ref" in schema and not _is_defined(schema["$ref"], root):
        yield f"{where}.$ref: JSON schema is invalid: {schema['$ref']!r} is not defined"
    for name, inner in _parts(schema):
        yield from _unsound(inner, f"{where}.{name}", root)


def _is_defined(ref: str, root: object) -> bool:
    start, _, name = ref.rpartition("/")
    return start == "#/$defs" and isinstance(root, dict) and name in root.get("$defs", {})


def unusable(schema: Schema, where: str) -> Iterator[str]:
    """Yield what the service does not take in the sound schema of an answer."""
    kind = schema.get("type")
    if not {"type", "enum", "const", "anyOf", "allOf", "$ref"} & schema.keys():
        yield f"{where}: Schema must have a 'type', 'anyOf' or 'enum'"
    if "enum" in schema and not schema["enum"]:
        yield f"{where}: 'enum' must not be empty"
    if isinstance(kind, str):
        odd = [name for name in _NOT_TAKEN.get(kind, ()) if name in schema]
        if odd:
            yield f"{where}: For '{kind}' type, properties {', '.join(odd)} are not supported"
    if kind == "object" and schema.get("additionalProperties") is not False:
        yield f"{where}: For 'object' type, 'additionalProperties' must be explicitly set to false"
    if kind == "array" and schema.get("minItems", 0) not in (0, 1):
        yield f"{where}: For 'array' type, 'minItems' values other than 0 or 1 are not supported"
    for name, inner in _parts(schema):
        yield from unusable(inner, f"{where}.{name}")


def _parts(schema: Schema) -> Iterator[tuple[str, Any]]:
    for group in ("properties", "$defs"):
        yield from ((f"{group}.{name}", each) for name, each in schema.get(group, {}).items())
    yield from ((f"anyOf.{at}", each) for at, each in enumerate(schema.get("anyOf", ())))
    if "items" in schema:
        yield "items", schema["items"]
