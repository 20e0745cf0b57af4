"""Unattended play: child processes, watched and restarted until there is a verdict."""

from agent.tools.overnight.child import Heartbeat
from agent.tools.overnight.logs import Line, read_journal
from agent.tools.overnight.outcomes import MB, Night, NightEnding, NightLimits
from agent.tools.overnight.settings import Clock, NightSettings, NightTimeouts
from agent.tools.overnight.supervisor import Supervisor
from agent.tools.overnight.watch import NightViewer

__all__ = [
    "MB",
    "Clock",
    "Heartbeat",
    "Line",
    "Night",
    "NightEnding",
    "NightLimits",
    "NightSettings",
    "NightTimeouts",
    "NightViewer",
    "Supervisor",
    "read_journal",
]
