"""Play under supervision, all night: started again whatever becomes of it, until there is a verdict."""

from agent.overnight.beat import Beat
from agent.overnight.clock import Clock
from agent.overnight.diary import Line, read_diary
from agent.overnight.guards import MB, Guard, Limits
from agent.overnight.night import Supervisor
from agent.overnight.settings import NightSettings, Patience
from agent.overnight.verdict import Ending, Night, Verdict
from agent.overnight.watch import NightViewer

__all__ = [
    "MB",
    "Beat",
    "Clock",
    "Ending",
    "Guard",
    "Limits",
    "Line",
    "Night",
    "NightSettings",
    "NightViewer",
    "Patience",
    "Supervisor",
    "Verdict",
    "read_diary",
]
