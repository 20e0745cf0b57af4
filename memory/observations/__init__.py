"""One-line observations of tool calls and events: extracted by rules, and rendered for a model as one block."""

from memory.observations.block import RowMode, Section, observations_block, only_new, rows_of
from memory.observations.observation import (
    Capture,
    Extract,
    Extractors,
    Observation,
    ObservationQuery,
    Result,
)
from memory.observations.tools import TOOL_SECTIONS, TOOLS
