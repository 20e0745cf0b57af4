"""What is kept of each time that play got nowhere: enough to tell of it, and to play it again."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agent.mind import AGENT, Episode, game_seconds
from memory import Call, Produced, Producers, RunReader, as_json, scope_name


@dataclass(frozen=True, slots=True)
class PostMortems:
    """Makes an entry of short-term memory, and so an event of the run, of each episode.

    It names the run, the last checkpoint before it and its ticks; where they are on a branch that died,
    `last_step` is the number of the last of them. `replay --episode` drives them.
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
            "last_step": None if episode.over else self.run.last_dead_step(),
        }
        return Produced(data, percept.tick, game_seconds(percept.state), importance=8)
