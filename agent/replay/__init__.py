"""Driving a recorded run again: whole, to the first tick that differs, or for pictures of a moment.

`pictures` and `video` are taken from where they are, since not everybody who drives a run has use for them.
"""

from agent.replay.alone import bisect_alone
from agent.replay.difference import Change, Difference
from agent.replay.driving import Replay, drive, moments, replay
from agent.replay.episode import Episode, episode_of
from agent.replay.film import Picture, Stretch, film, frames_of, seconds, snapshot
from agent.replay.finding import Finding
from agent.replay.pair import Pair, bisect_pair
from agent.replay.portable import Origin, Portable, Reached, encode_portable, read_portable
from agent.replay.recording import Recording, recording_of, require_sound
from agent.replay.records import record_of, row_of
from agent.replay.restoring import SwitchOn, bring

__all__ = [
    "Change",
    "Difference",
    "Episode",
    "Finding",
    "Origin",
    "Pair",
    "Picture",
    "Portable",
    "Reached",
    "Recording",
    "Replay",
    "Stretch",
    "SwitchOn",
    "bisect_alone",
    "bisect_pair",
    "bring",
    "drive",
    "encode_portable",
    "episode_of",
    "film",
    "frames_of",
    "moments",
    "read_portable",
    "record_of",
    "recording_of",
    "replay",
    "require_sound",
    "row_of",
    "seconds",
    "snapshot",
]
