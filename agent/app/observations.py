"""Observations of play kept with the run: actions by a hook, events by the blackboard, a post-mortem of each stall."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from agent.app.memory_producers import AGENT
from agent.mind import GAME_SECTIONS, ActionEnded, game_table
from agent.mind.observations import DEED, STUCK
from agent.skills import Outcome
from agent.story import Story
from emulator import Dex
from memory import (
    BATTLE,
    BLACKOUT,
    RECOLLECTION,
    WAYPOINT,
    Blackboard,
    BlackboardEvent,
    Call,
    ErrorMode,
    Hooks,
    MemoryFault,
    Observed,
    RunStore,
    scope_name,
)
from memory.observations import (
    TOOLS,
    Capture,
    Extractors,
    ObservationQuery,
    Result,
    observations_block,
)
from memory.tiers import LOCATION

TOLD_FROM: Final = 3  # the importance of what a section tells of; single steps are not worth a line
TOLD: Final = frozenset({BATTLE, BLACKOUT, LOCATION, RECOLLECTION, STUCK, WAYPOINT})
MOST: Final = 250  # observations that a block is made of, the most important first


class GameKnowledge(NamedTuple):
    """What there is to know beforehand of the game that is observed."""

    story: Story
    dex: Dex

    def extractors(self) -> Extractors:
        """Return the rules for play and for the tools of a model."""
        return Extractors(TOOLS, game_table(self.story.milestones, self.dex.item_name))


class PlayObservations:
    """Keeps what is observed in one session of a run, from its making on; `capture` takes the calls of a model's tools as well.

    Whatever goes wrong here is counted with the faults of the hooks, and stops nothing.
    """

    def __init__(
        self,
        store: RunStore,
        session: str,
        knowing: GameKnowledge,
        hooks: Hooks,
        blackboard: Blackboard,
    ) -> None:
        self._store = store
        self._session = session
        self._place_of = knowing.story.place_of
        self._blackboard = blackboard
        self.capture = Capture(knowing.extractors(), self._keep, hooks.faults)
        hooks.after(ActionEnded, self._deed, on_error=ErrorMode.SUPPRESS)
        for level in ("working", "stm"):
            blackboard.subscribe(scope_name(AGENT, level), self._event)

    def block(self) -> str | None:
        """Return what this session observed up to now, as a model is told; None when there is nothing."""
        query = ObservationQuery(
            session=self._session, min_importance=TOLD_FROM, heaviest=True, limit=MOST
        )
        try:
            observations = self._store.observations(query)
        except MemoryFault as fault:
            self.capture.faults.note("observations block", fault)
            return None
        return observations_block(observations, GAME_SECTIONS)

    def _deed(self, _call: Call, ended: ActionEnded) -> None:
        """A deed that ended: what was owned when it began is in the intent, whatever was done since."""
        intent, outcome, here = ended.intent, ended.outcome, ended.here
        began = intent.began
        args = {
            "name": intent.name,
            "why": intent.why,
            "place": self._place_of(began),
            "bag": began.bag.items,
            "money": began.player.money,
        }
        owned = {"bag": here.bag.items, "money": here.player.money}
        error = "" if outcome is Outcome.DONE else outcome.value
        self.capture.saw(DEED, args, Result(owned, error))

    def _event(self, event: BlackboardEvent) -> None:
        entry = event.entry
        if entry.kind not in TOLD or event.action != "write" or entry.status != "verified":
            return
        self.capture.saw(entry.kind, entry.data, Result({"version": entry.version}))

    def _keep(self, observed: Sequence[Observed]) -> None:
        blackboard = self._blackboard
        self._store.add_observations(
            self._session, observed, tick=blackboard.tick, game_s=blackboard.game_s
        )
