"""Unattended play: child processes, watched and restarted until there is a verdict."""

from agent.tools.overnight.child import Beat
from agent.tools.overnight.logs import Line, read_diary
from agent.tools.overnight.outcomes import MB, Night, NightEnding, NightLimits
from agent.tools.overnight.settings import Clock, NightSettings, NightTimeouts
from agent.tools.overnight.supervisor import Supervisor
from agent.tools.overnight.watch import NightViewer

__all__ = [
    "MB",
    "Beat",
    "Clock",
    "Line",
    "Night",
    "NightEnding",
    "NightLimits",
    "NightSettings",
    "NightTimeouts",
    "NightViewer",
    "Supervisor",
    "read_diary",
]
