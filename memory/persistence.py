"""The tiers and the two files: what is known is kept in one, what a session was in the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from memory.errors import UnknownMemory

if TYPE_CHECKING:
    from memory.store.knowledge_reader import KnowledgeReader
    from memory.store.knowledge_store import KnowledgeStore
    from memory.store.run_reader import RunReader
    from memory.store.run_store import RunStore
    from memory.tiers.strategist import StrategistMemory
    from memory.tiers.tactician import TacticianMemory


class MemoryDatabaseMixin:
    """Saves and loads the tiers of whoever has them.

    Play itself needs none of it: its entries are in the run's file, and lessons reach those to come by the outbox.
    It is for taking knowledge along by hand, and for looking at a session that has ended.
    """

    __slots__ = ()
    strategist: StrategistMemory
    tactician: TacticianMemory

    def save_tactician_memory(self, db: KnowledgeStore) -> None:
        """Make `db` hold what the tactician knows; what it has let go of goes to the archive there."""
        db.save_knowledge(self.tactician.knowledge())

    def load_tactician_memory(self, db: KnowledgeReader) -> TacticianMemory:
        """Return the tactician, who now knows what `db` holds as well."""
        self.tactician.take_over(db.load_knowledge(), origins=db.origins())
        return self.tactician

    def save_strategist_checkpoint(self, db: RunStore, session_id: str, *, tick: int) -> None:
        """Keep the session as it is now in `db`, under its name, at the next commit."""
        db.save_strategist_checkpoint(session_id, tick, self.strategist.to_json())

    def load_strategist_checkpoint(self, db: RunReader, session_id: str) -> StrategistMemory:
        """Return the strategist, who now is what `save_strategist_checkpoint` kept under that name.

        Raises:
            UnknownMemory: when nothing is kept under it.
        """
        kept = db.load_strategist_checkpoint(session_id)
        if kept is None:
            message = f"no checkpoint of session {session_id!r}; name one that has ended."
            raise UnknownMemory(message)
        self.strategist.restore(cast("dict[str, Any]", kept))
        return self.strategist
