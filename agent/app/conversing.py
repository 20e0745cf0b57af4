"""The conversation with a model as a run keeps it: who observes it, by which thresholds, counted how."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from agent.advisor import Calls, calibrated, distilling
from agent.advisor.claude import Claude
from agent.advisor.model import ModelFault, Request
from agent.advisor.prompt import prompt_file
from memory import Faults, RunStore
from memory.thread.background import Threads
from memory.thread.config import ThreadConfig
from memory.thread.conversation import Conversation
from memory.thread.distilling import ModelObserver, ModelReflector
from memory.thread.means import Means
from memory.thread.observing import HeuristicObserver
from memory.thread.parts import Part
from memory.thread.reflecting import HeuristicReflector
from memory.thread.store import threads_of
from memory.tokens import TokenEstimator

THREAD: Final = "advice"  # the one conversation of a run
SHARE: Final = (
    0.7  # of what a model takes: the rest is for tools, rules, and the state of the moment
)


@dataclass(frozen=True, slots=True)
class Converser:
    """Opens conversations with one model; `distils` lets a model observe and reflect, with rules to fall back on.

    `clock` gives seconds since 1970, which are metadata. `on_part` is told what happens to a conversation's memory.
    """

    claude: Claude
    calls: Calls
    model: str
    clock: Callable[[], float]
    on_part: Callable[[Part], None]
    faults: Faults
    distils: bool = False

    def conversation(self, run: RunStore, session: str) -> Conversation:
        """Return the conversation of a run, to go on in `session`."""
        config = fitting(ThreadConfig(), self._room())
        return Conversation(threads_of(run, session), THREAD, self._means(run.run_id), config)

    def _means(self, holder: str) -> Means:
        estimate = self._estimator()
        by_rules = Means(
            observer=HeuristicObserver(estimate),
            reflector=HeuristicReflector(estimate),
            clock=self.clock,
            fallback=HeuristicObserver(estimate),
            reflector_in_need=HeuristicReflector(estimate),
            estimate=estimate,
            on_part=self.on_part,
            faults=self.faults,
            holder=holder,  # one process at a time plays a run
        )
        if not self.distils:
            return by_rules
        return replace(
            by_rules,
            observer=ModelObserver(distilling(self.calls, "observer"), estimate=estimate),
            reflector=ModelReflector(distilling(self.calls, "reflector"), estimate=estimate),
            background=Threads(),
        )

    def _estimator(self) -> TokenEstimator:
        """Return what all thresholds are counted by: as the service counts, where it does."""
        messages = [{"role": "user", "content": prompt_file("rules")}]
        return calibrated(TokenEstimator(), self.claude, Request(self.model, (), messages, 1))

    def _room(self) -> int | None:
        """Return how many tokens the model takes, or None where the service does not say."""
        try:
            return self.claude.limits(self.model).max_input
        except ModelFault:
            return None


def fitting(config: ThreadConfig, room: int | None) -> ThreadConfig:
    """Return `config` with thresholds that a model of so much `room` can take, at the worst; as it is where it can."""
    most = None if room is None else int(room * SHARE)
    if most is None or config.hard_limit <= most:
        return config
    share = most / config.hard_limit
    observation, reflection = config.observation, config.reflection
    return replace(
        config,
        observation=replace(observation, message_tokens=int(observation.message_tokens * share)),
        reflection=replace(
            reflection, observation_tokens=int(reflection.observation_tokens * share)
        ),
    )
