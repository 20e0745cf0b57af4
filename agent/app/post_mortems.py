"""What is kept of each time that play got nowhere: enough to tell of it, and to play it again."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agent.mind import AGENT, Episode, game_seconds
from memory import Call, Produced, Producers, RunReader, as_json, scope_name


@dataclass(frozen=True, slots=True)
class PostMortems:
    """Makes an entry of short-term memory, and so an event of the run, of each episode.

    It names the run, the checkpoint to start from and the ticks to play after it; `branch` says whether
    those ticks are among the live steps of the run or the dead ones.
    """

    run: RunReader
    called: Callable[[int], str]  # what a map is called

    def register(self, producers: Producers) -> None:
        """Watch the mind."""
        scope = scope_name(AGENT, "stm")
        producers.register("Mind.post_mortem", self.stuck, scope=scope, kind="stuck")

    def stuck(self, call: Call, episode: Episode) -> Produced:
        """One episode: why, where, what was tried, and what helped."""
        percept: Any = call.args[1]
        before = [tick for tick in self.run.checkpoint_ticks() if tick <= episode.since]
        data = {
            **as_json(episode),
            "place": self.called(episode.map_id),
            "run": self.run.run_id,
            "checkpoint_tick": before[0] if before else None,
            "branch": "live" if episode.over else "dead",
        }
        return Produced(data, percept.tick, game_seconds(percept.state), importance=8)
