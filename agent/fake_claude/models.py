"""Which models the server claims to serve, as `GET /v1/models` tells it."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final

SUPPORTED: Final = {"supported": True}
UNSUPPORTED: Final = {"supported": False}
LEVELS: Final = ("low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, slots=True)
class ServedModel:
    """One model and its limits, in tokens. `prefill`: whether a request may begin the answer itself."""

    id: str
    line: str
    max_input_tokens: int
    max_tokens: int
    cache_minimum: int
    lifecycle: str = "active"
    retires_at: str | None = None
    prefill: bool = False

    def as_json(self) -> dict[str, object]:
        """Return it in the shape of the service's `ModelInfo`."""
        return {
            "type": "model",
            "id": self.id,
            "display_name": f"{self.id} (fake)",
            "created_at": "2026-01-01T00:00:00Z",
            "lifecycle": self.lifecycle,
            "deprecated_at": None if self.lifecycle == "active" else "2026-01-01T00:00:00Z",
            "retires_at": self.retires_at,
            "line": self.line,
            "max_input_tokens": self.max_input_tokens,
            "max_tokens": self.max_tokens,
            "capabilities": _CAPABILITIES,
        }


_CAPABILITIES: Final[Mapping[str, object]] = {
    "batch": UNSUPPORTED,
    "citations": UNSUPPORTED,
    "code_execution": UNSUPPORTED,
    "context_management": UNSUPPORTED,
    "effort": {**SUPPORTED, **dict.fromkeys(LEVELS, SUPPORTED)},
    "image_input": SUPPORTED,
    "pdf_input": UNSUPPORTED,
    "server_tools": {**UNSUPPORTED, "code_execution": UNSUPPORTED, "web_search": UNSUPPORTED},
    "structured_outputs": SUPPORTED,
    "thinking": {
        **SUPPORTED,
        "types": dict.fromkeys(("adaptive", "between_tools", "disabled", "enabled"), SUPPORTED),
    },
}


def _read() -> dict[str, ServedModel]:
    text = resources.files(__package__).joinpath("models.toml").read_text(encoding="utf-8")
    models: dict[str, ServedModel] = {}
    for group in tomllib.loads(text)["models"]:
        same: dict[str, Any] = {key: value for key, value in group.items() if key != "ids"}
        models |= {name: ServedModel(id=name, **same) for name in group["ids"]}
    return models


MODELS: Final[Mapping[str, ServedModel]] = _read()
