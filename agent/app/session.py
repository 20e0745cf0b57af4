"""One process lifetime of play: all parts built, wired to each other, and released in order."""

import gc
import logging
from base64 import b64encode
from dataclasses import asdict
from functools import partial
from math import inf
from time import perf_counter
from typing import Final, NamedTuple

from agent.app.advice import Asking
from agent.app.build import Branch, RunContext
from agent.app.checkpoints import Delivery, Trail, Vitals, mind_of, row_of
from agent.app.observations import PlayObservations
from agent.app.process import Interrupt
from agent.app.settings import RunSettings
from agent.app.summary import Stop, Summary, TickView, Viewer
from agent.capabilities import Topic
from agent.errors import Stuck
from agent.experience import MemoryUse
from agent.loop import Performed
from agent.mind import Intent
from agent.perception import Percept
from agent.story import ReachedMilestone, Story
from emulator import (
    Console,
    Dex,
    EmulatorError,
    Link,
    RecordingConsole,
    State,
    StateError,
    StepRecord,
)
from memory import (
    BranchedBy,
    BusyStore,
    Call,
    Checkpoint,
    CorruptStore,
    ErrorMode,
    Handler,
    KnowledgeStore,
    MemoryFault,
    RunFolder,
    RunStore,
    Why,
)

COMMIT_EVERY: Final = 250  # ticks: what a kill can cost of the record beyond the last checkpoint
LAST: Final = 2_000  # the priority of handlers that run after the producers

log = logging.getLogger(__name__)


class PlayLimits(NamedTuple):
    """When to stop: at a milestone, or after so many ticks of the run."""

    until: str
    ticks: float


class ReturnPoint(NamedTuple):
    """Where a session goes on instead of at the newest moment: the newest up to `tick`, and who wants it so."""

    tick: int
    why: BranchedBy


class Start(NamedTuple):
    """Where a session began: tick and frame of the run, and the reading of the wall's counter."""

    tick: int
    frame: int
    counter: float


class Session:
    """The agent on one console, writing one run; `more` is what it can do beside the registry's topics.

    Without `asking` nobody is asked for advice.
    """

    def __init__(  # noqa: PLR0913  # what a session is made of
        self,
        folder: RunFolder[RunStore],
        frozen: RunSettings,
        console: Console,
        knowledge: KnowledgeStore,
        story: Story,
        interrupt: Interrupt,
        *more: Topic,
        asking: Asking | None = None,
        back: ReturnPoint | None = None,
    ) -> None:
        self._folder = folder
        self._store = folder.store
        self._frozen = frozen
        self._story = story
        self._interrupt = interrupt
        self._slot = console
        self._stop = Stop.ERROR
        self._errors = 0  # of branches that died
        self._store.faults.on_fault = self._fault
        self._ground = RunContext(
            self._store,
            self._store.next_session(),
            frozen,
            knowledge,
            story,
            Dex.of(console.cartridge),
            more,
            asking,
        )
        self._store.number_lessons_after(knowledge.delivered(self._store.run_id))
        self._fateful = frozenset(f"task:{task.id}" for task in story.tasks if task.against)
        self._vitals = Vitals(self._ground.session, self._store.database.path, perf_counter())
        left = self._left_behind(back)
        self._wake(*(back or ()))
        if left is not None:
            with mind_of(left) as died:
                self._loop.come_back(died)
        self._start = Start(self._loop.tick, console.frame, perf_counter())

    def _wake(self, latest: float = inf, why: BranchedBy = "resumed") -> None:
        """Build all that lives on one branch, from the newest checkpoint up to tick `latest`."""
        checkpoint = self._go_back(latest, why)
        link = Link(checkpoint.tick, checkpoint.chain) if checkpoint else None
        self._console = RecordingConsole(self._slot, self._record, start=link)
        # Power-on is a moment to come back to as well.
        self._due: Why | None = "start" if checkpoint is None else "back"
        self._waiting: Why | None = None  # for a file that somebody else held
        self._owes = False  # what the last checkpoint covers
        self._trail = Trail(self._store.append_trail)
        self._doing = ""
        self._branch = Branch(self._ground, self._console, self._fault, is_new=checkpoint is None)
        self._loop = self._branch.loop
        self._delivery = Delivery(self._store, self._ground.knowledge, self._branch.hooks)
        self._committed = self._kept = self._loop.tick
        if checkpoint is not None:
            with mind_of(checkpoint) as kept:
                self._loop.restore(kept)
        self._watch_for(self._witness, "MilestoneLedger.observe")
        self._watch_for(self._consolidate, "Loop.perform")

    def _left_behind(self, back: ReturnPoint | None) -> Checkpoint | None:
        """Return the last moment of the branch that the supervisor has died; who asks for an older moment gets it as it was.

        With what was learnt up to it play goes on otherwise, and not into the same again.
        """
        if back is None or back.why != "recovered":
            return None
        try:
            return self._store.latest_checkpoint()
        except CorruptStore:  # of which it is what goes back
            return None

    @property
    def observations(self) -> PlayObservations:
        """What was observed on the branch that is played."""
        return self._branch.observations

    def play(self, limits: PlayLimits, viewer: Viewer) -> Summary:
        """Play until there is a reason to stop, and leave a whole run behind."""
        reason = ""
        gc.freeze()  # what is built by now lasts as long as play: the collector need not go over it
        try:
            while not self._reaches_an_end(limits, viewer):
                self._restore()
        except Stuck as stuck:
            self._stop, reason = Stop.GAVE_UP, str(stuck)
        except (EmulatorError, MemoryFault, MemoryError):
            raise  # the console, the store or the process is broken: there is nothing to finish with
        except Exception as error:
            # The one broad catch: whatever went wrong, what was played is kept and told.
            log.exception("play ended by an error of the program")
            self._stop, reason = Stop.ERROR, f"{type(error).__name__}: {error}"
        finally:
            gc.unfreeze()
        if not self._is_told():
            self._finish()
        elif self._owes:  # who was killed while a run ended had not handed on all of it
            self._hand_on()
        return self._summary(reason)

    def _reaches_an_end(self, limits: PlayLimits, viewer: Viewer) -> bool:
        """Play until there is a reason to stop; False when going back to a checkpoint is worth it."""
        self._watch_for(partial(self._show, viewer), "Loop.perform")
        try:
            self._loop.play(partial(self._is_over, limits))
        except Stuck as stuck:
            if not stuck.may_restore:
                raise
            log.warning("%s; going back to a checkpoint", stuck)
            return False
        return True

    def _restore(self) -> None:
        """Go back to a checkpoint before play got nowhere; the ticks since become a dead branch.

        Of what was learnt there the ladder's part is kept: what to try less, and that this was tried.
        """
        died = self._loop.to_json()
        self._store.commit()
        self._errors += self._branch.faults
        self._wake(self._branch.ladder.way_back(self._store.checkpoint_ticks()), "stuck")
        self._loop.come_back(died)
        tick, frame, counter = self._start
        self._start = Start(min(tick, self._loop.tick), min(frame, self._slot.frame), counter)

    def _go_back(self, latest: float, why: BranchedBy) -> Checkpoint | None:
        """Return to the newest moment up to `latest` that the console can load; a new run has none."""
        refusal = None
        for checkpoint in self._store.checkpoints():
            if checkpoint.tick > latest:
                continue
            try:
                self._slot.load(checkpoint.state)
            except StateError as error:
                # Power-on needs no state, and where it is all there is nothing is lost by it.
                if refusal is not None or not checkpoint.frame == self._slot.frame == 0:
                    refusal = refusal or error
                    continue
            if refusal is not None:
                log.warning("going on from the checkpoint of tick %d: %s", checkpoint.tick, refusal)
            self._store.rewind(checkpoint, why, self._ground.session)
            return checkpoint
        if refusal is not None:
            raise refusal
        return None

    def _watch_for(self, handler: Handler, pointcut: str) -> None:
        """Call `handler` behind the producers; what goes wrong there must not disturb play."""
        self._branch.hooks.after(pointcut, handler, priority=LAST, on_error=ErrorMode.SUPPRESS)

    def _is_over(self, limits: PlayLimits, state: State) -> bool:
        # Between two ticks, and outside of any hook: a checkpoint that fails must stop play.
        self._trail.saw(self._loop.tick, state)
        if self._due is not None and self._loop.tick > self._committed + 1:
            self._commit_record()  # and the checkpoint a tick later: nobody should wait for both
        elif self._due is not None:
            self._checkpoint_if_free(self._due)
        elif self._owes:
            self._hand_on()
        elif self._loop.tick >= self._committed + COMMIT_EVERY:
            self._commit_record()
            self._due, self._waiting = self._waiting, None
        if self._branch.ledger.has(limits.until):
            self._stop = Stop.GOAL
        elif self._loop.tick >= limits.ticks:
            self._stop = Stop.TICKS
        elif self._interrupt.asked:
            self._stop = Stop.INTERRUPTED
        else:
            return False
        return True

    def _record(self, record: StepRecord) -> None:
        self._store.append_step(row_of(record))

    def _witness(self, call: Call, reached: tuple[ReachedMilestone, ...]) -> None:
        percept: Percept = call.args[0]
        for each in reached:
            picture = percept.sight.screen.png() if percept.sight else b""
            payload = {**asdict(each), "picture": b64encode(picture).decode()}
            self._store.append_event(each.tick, "milestone", payload)
        if reached:
            self._due = "milestone"

    def _consolidate(self, call: Call, _performed: Performed) -> None:
        if self._branch.memory.consolidator.tick(self._loop.tick) is not None:
            self._due = self._due or "consolidation"
        intent: Intent = call.args[0]
        if intent.name != self._doing:
            self._doing = intent.name
            if self._doing in self._fateful:
                self._due = self._due or "battle"

    def _commit_record(self) -> None:
        self._take_vitals()
        self._store.commit_if_free()

    def _checkpoint_if_free(self, why: Why) -> None:
        """Commit a checkpoint; while somebody else holds the file, it waits with the record for the next commit."""
        try:
            self._checkpoint(why)
        except BusyStore as fault:
            self._store.faults.note("checkpoint", fault)
            self._committed = self._loop.tick
            self._due, self._waiting = None, why

    def _checkpoint(self, why: Why) -> None:
        """Commit game and memory of this moment together; what they cover is handed on a tick later."""
        link = self._console.link
        state, mind = self._console.save(), self._loop.to_json()
        moment = Checkpoint(link.tick, self._console.frame, state, link.chain, mind, why=why)
        self._take_vitals()
        self._store.commit(checkpoint=moment)
        self._due, self._waiting, self._kept, self._owes = None, None, link.tick, True

    def _hand_on(self) -> None:
        self._owes = False
        self._delivery.hand_on()

    def _take_vitals(self) -> None:
        self._committed = self._loop.tick
        self._store.append_vitals(self._vitals.taken(self._loop.tick, self._console.frame))

    def _is_told(self) -> bool:
        """Return whether a session ended at this very tick and left what it learnt, or none was played.

        A run that was killed while it ended goes on at its goal, where there is no tick left to play.
        """
        told = self._branch.memory.consolidator.consolidation_history[-1:]
        ends = [each.tick for each in told if each.reason == "session_end"]
        return self._loop.tick == 0 or self._loop.tick in ends

    def _finish(self) -> None:
        self._branch.memory.end_session(self._store, self._loop.tick)
        ending: Why = "signal" if self._stop is Stop.INTERRUPTED else "end"
        self._checkpoint("milestone" if self._due == "milestone" else ending)
        self._hand_on()
        self._delivery.tidy()

    def _show(self, viewer: Viewer, call: Call, performed: Performed) -> None:
        state, start = performed.state, self._start
        viewer.show(
            TickView(
                run=self._frozen.run,
                cartridge=self._console.cartridge.name,
                tick=self._loop.tick,
                intent=call.args[0],
                goal=self._loop.goal,
                reached=self._branch.ledger.reached,
                state=state,
                gains=self._branch.ladder.progress.gained,
                checkpoint=self._kept,
                place_of=self._story.place_of,
                ticks=self._loop.tick - start.tick,
                frames=state.frame - start.frame,
                wall_s=max(perf_counter() - start.counter, 1e-6),
            )
        )

    def _summary(self, reason: str) -> Summary:
        start = self._start
        wall = perf_counter() - start.counter
        state = self._loop.look()
        return Summary(
            run=str(self._folder.path),
            cartridge=self._console.cartridge.name,
            seed=self._frozen.seed,
            stop=self._stop,
            reason=reason,
            ticks=self._loop.tick,
            frames=self._console.frame,
            wall_s=round(wall, 3),
            frames_per_s=round((self._console.frame - start.frame) / wall, 1),
            milestones=self._branch.ledger.reached,
            badges=state.player.badge_count,
            battles=sum(1 for _ in self._store.events("battle")),
            errors=self._errors + self._branch.faults + sum(self._store.faults.values()),
            consolidations=self._branch.memory.consolidator.consolidations,
            episodes=self._branch.ladder.episodes,
            restores=self._branch.ladder.restores,
            returns=tuple(self._store.branchings()),
            moved={use.value: self._branch.experience.moved[use] for use in MemoryUse},
        )

    def _fault(self, name: str, error: Exception) -> None:
        """Told once for each handler that fails; the counts are in the summary."""
        log.warning("%s failed and was passed over: %s: %s", name, type(error).__name__, error)
