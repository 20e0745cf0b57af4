"""Where everything is built: the only place that knows which part is which."""

from agent.app.moment import Moment, Viewer
from agent.app.runs import Replayed, play_run, replay_run
from agent.app.settings import Decider, Settings

__all__ = ["Decider", "Moment", "Replayed", "Settings", "Viewer", "play_run", "replay_run"]
