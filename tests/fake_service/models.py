"""The models that the stand-in serves, with their limits and how they think."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final

from agent.fake_claude.service import RequestRefused
from tests.fake_service.thinking import EFFORTS


@dataclass(frozen=True, slots=True)
class ServedModel:
    """One model, its limits in tokens, and its thinking; the fields are those of `models.toml`."""

    id: str
    line: str
    max_input_tokens: int
    max_tokens: int
    cache_minimum: int
    lifecycle: str = "active"
    retires_at: str | None = None
    prefill: bool = False
    thinking: Sequence[str] = ()
    thinks: str = ""
    effort: str = ""
    binds: bool = False

    def as_json(self) -> dict[str, object]:
        """Return what the service's `ModelInfo` says of this model alone."""
        kinds = ("adaptive", "between_tools", "disabled", "enabled")
        types = {each: {"supported": each in self.thinking} for each in kinds}
        efforts = {each: {"supported": bool(self.effort)} for each in EFFORTS}
        return {
            **{name: getattr(self, name) for name in _SHOWN},
            "deprecated_at": None if self.lifecycle == "active" else "2026-01-01T00:00:00Z",
            "capabilities": {
                **_TABLES["capabilities"],
                "thinking": {"supported": True, "types": types},
                "effort": {"supported": bool(self.effort), **efforts},
            },
        }


_SHOWN: Final = ("id", "line", "max_input_tokens", "max_tokens", "lifecycle", "retires_at")


_TABLES: Final[Mapping[str, Any]] = tomllib.loads(
    resources.files(__package__).joinpath("models.toml").read_text(encoding="utf-8")
)
MODELS: Final[Mapping[str, ServedModel]] = {
    name: ServedModel(name, **{key: group[key] for key in group if key != "ids"})
    for group in _TABLES["models"]
    for name in group["ids"]
}


def served_model(name: str) -> ServedModel:
    """Return the model of that name. Raises RequestRefused."""
    if name not in MODELS:
        raise RequestRefused("not_found_error", f"model: {name}")
    return MODELS[name]
