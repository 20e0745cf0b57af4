"""One-line observations of tool calls and events: extracted by rules, and shown to a model in one block."""

from memory.observations.block import Section, Telling, observations_block
from memory.observations.observation import (
    Capture,
    Extract,
    Extractors,
    Observation,
    ObservationQuery,
    Result,
)
from memory.observations.tools import TOOL_SECTIONS, TOOLS

__all__ = [
    "TOOLS",
    "TOOL_SECTIONS",
    "Capture",
    "Extract",
    "Extractors",
    "Observation",
    "ObservationQuery",
    "Result",
    "Section",
    "Telling",
    "observations_block",
]
