"""Composition of the agent: builds its parts, plays sessions, and writes checkpoints and summaries."""

from agent.app.checkpoints import record_of, row_of
from agent.app.plan import Outlook, outlook, outlooks_of_ram
from agent.app.play import play_run
from agent.app.process import Interrupt, file_bytes, free_bytes, interrupts, resident_bytes
from agent.app.summary import Stop, Summary, TickView, Viewer
from agent.settings import AskSettings, Settings
