"""Which schemas of an answer the service takes: fewer than JSON Schema has."""

from collections.abc import Mapping
from typing import Any, Final

from agent.fake_claude.refusal import Refused

Schema = Mapping[str, Any]

_NOT_TAKEN: Final = {
    "integer": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "string": ("minLength", "maxLength"),
    "array": ("maxItems", "uniqueItems", "contains", "prefixItems"),
    "object": ("minProperties", "maxProperties", "patternProperties"),
}


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
