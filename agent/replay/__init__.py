"""Driving a recorded run again: whole, to a moment of it, or to the first tick that differs."""

from agent.replay.alone import bisect_alone
from agent.replay.difference import Change, Difference
from agent.replay.driving import Replay, drive, moments, replay
from agent.replay.episode import Episode, episode_of
from agent.replay.finding import Finding
from agent.replay.pair import Pair, bisect_pair
from agent.replay.recording import Recording, find_edit, recording_of
from agent.replay.records import record_of, row_of

__all__ = [
    "Change",
    "Difference",
    "Episode",
    "Finding",
    "Pair",
    "Recording",
    "Replay",
    "bisect_alone",
    "bisect_pair",
    "drive",
    "episode_of",
    "find_edit",
    "moments",
    "record_of",
    "recording_of",
    "replay",
    "row_of",
]
