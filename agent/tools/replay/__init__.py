"""Recorded runs driven again: whole, to the first tick that differs, or for pictures of a moment."""

from agent.tools.replay.bisect import Difference, ValueChange
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
from agent.tools.replay.recording import moments

__all__ = [
    "Difference",
    "PictureForm",
    "PictureRequest",
    "ValueChange",
    "bisect_run",
    "bisect_runs",
    "export_run",
    "moments",
    "picture_run",
    "redecide_run",
    "replay_run",
]
