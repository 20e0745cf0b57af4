"""Where everything is built: the only place that knows which part is which."""

from agent.app.glance import Fact, glance
from agent.app.interrupts import Interrupt, interrupts
from agent.app.machine import file_bytes, free_bytes, resident_of
from agent.app.moment import Moment, Viewer
from agent.app.opinions import Opinion, opinions
from agent.app.plans import Outlook, outlook, outlooks_of_ram
from agent.app.reliving import Relived, relive_run
from agent.app.replaying import (
    Form,
    Shot,
    bisect_run,
    bisect_runs,
    export_run,
    picture_run,
    replay_run,
)
from agent.app.reporting import gathered_runs, report_run
from agent.app.runs import HOME, play_run
from agent.app.settings import AskSettings, Decider, Settings

__all__ = [
    "HOME",
    "AskSettings",
    "Decider",
    "Fact",
    "Form",
    "Interrupt",
    "Moment",
    "Opinion",
    "Outlook",
    "Relived",
    "Settings",
    "Shot",
    "Viewer",
    "bisect_run",
    "bisect_runs",
    "export_run",
    "file_bytes",
    "free_bytes",
    "gathered_runs",
    "glance",
    "interrupts",
    "opinions",
    "outlook",
    "outlooks_of_ram",
    "picture_run",
    "play_run",
    "relive_run",
    "replay_run",
    "report_run",
    "resident_of",
]
