"""What a run has learnt, on its way to those to come. It can wait: the outbox keeps it for the next checkpoint."""

from collections.abc import Iterator
from contextlib import contextmanager

from memory import Hooks, KnowledgeStore, MemoryFault, RunStore


class Delivery:
    """Hands lessons on from a run's outbox. A fault is counted with those of the hooks, and stops nothing."""

    def __init__(self, run: RunStore, knowledge: KnowledgeStore, hooks: Hooks) -> None:
        self._run = run
        self._knowledge = knowledge
        self._hooks = hooks

    def hand_on(self) -> None:
        """Deliver what the last checkpoint covers and was not delivered yet."""
        run_id = self._run.run_id
        with self._counting("deliver"):
            after = self._knowledge.delivered(run_id)
            self._knowledge.deliver(run_id, self._run.outbox(after=after))

    def tidy(self) -> None:
        """Merge, prune and index what outlives runs."""
        with self._counting("maintain"):
            self._knowledge.maintain()

    @contextmanager
    def _counting(self, name: str) -> Iterator[None]:
        try:
            yield
        except MemoryFault as fault:
            self._hooks.faults.note(name, fault)
