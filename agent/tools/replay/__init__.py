"""Recorded runs driven again: whole, to the first tick that differs, or for pictures of a moment."""

from agent.tools.replay.bisect import (
    BisectResult,
    Difference,
    RecordingPair,
    ValueChange,
    bisect_alone,
    bisect_pair,
)
from agent.tools.replay.operations import (
    PictureForm,
    PictureRequest,
    bisect_run,
    bisect_runs,
    export_run,
    picture_run,
    redecide_run,
    replay_run,
)
from agent.tools.replay.portable import read_portable
from agent.tools.replay.recording import Recording, TickRange, film, moments, recording_of, replay

__all__ = [
    "BisectResult",
    "Difference",
    "PictureForm",
    "PictureRequest",
    "Recording",
    "RecordingPair",
    "TickRange",
    "ValueChange",
    "bisect_alone",
    "bisect_pair",
    "bisect_run",
    "bisect_runs",
    "export_run",
    "film",
    "moments",
    "picture_run",
    "read_portable",
    "recording_of",
    "redecide_run",
    "replay",
    "replay_run",
]
