"""One process lifetime of play: all parts built, wired to each other, and released in order."""

import gc
import logging
from base64 import b64encode
from collections.abc import Callable
from functools import partial
from math import inf
from time import perf_counter
from typing import Any, Final, NamedTuple

from agent.app.advice import Asking
from agent.app.build import Branch, GameParts, RunContext
from agent.app.checkpoints import Checkpoints, append, row_of
from agent.app.process import Interrupt
from agent.app.settings import RunSettings
from agent.app.summary import Stop, Summary, TickView, Viewer
from agent.capabilities.registry import Topic
from agent.errors import Stuck
from agent.events import MilestoneEvent
from agent.experience.uses import MemoryUse
from agent.loop import Loop, Performed
from agent.mind.intent import Intent
from agent.perception.percept import Percept
from agent.story.milestones import MilestoneLedger, ReachedMilestone
from agent.story.story import Story
from emulator import Console, EmulatorError, Link, RecordingConsole, StateError
from memory import (
    Call,
    Checkpoint,
    CorruptStore,
    ErrorMode,
    KnowledgeStore,
    MemoryFault,
    RunFolder,
    RunStore,
)
from memory.hooks.hooks import Handler
from memory.store.record import BranchedBy

LAST: Final = 2_000  # the priority of handlers that run after the producers

log = logging.getLogger(__name__)


def passed_over(name: str, error: Exception) -> None:
    """Tell of something that failed and stops nothing, once for each; the counts are in the summary."""
    log.warning("%s failed and was passed over: %s: %s", name, type(error).__name__, error)


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
        self._frozen = frozen = RunSettings.of(folder.settings)
        self._story = story
        self._interrupt = interrupt
        self._slot = console
        self._stop = Stop.ERROR
        self._errors = 0  # of branches that died
        self._store.faults.on_fault = passed_over
        self._ground = RunContext(
            self._store,
            self._store.next_session(),
            frozen,
            knowledge,
            GameParts.of(console.cartridge, story, frozen.seed),
            more,
            asking,
        )
        self._store.number_lessons_after(knowledge.delivered(self._store.run_id))
        self._fateful = frozenset(f"task:{task.id}" for task in story.tasks if task.against)
        self._began = perf_counter()
        left = self._left_behind(back)
        self._wake(*(back or ()))
        if left is not None:
            self._branch.mind.come_back(left, self._loop.tick)
        self._start = Start(self._loop.tick, console.frame, perf_counter())

    def _wake(self, latest: float = inf, why: BranchedBy = "resumed") -> None:
        """Build all that lives on one branch, from the newest checkpoint up to tick `latest`."""
        checkpoint = self._go_back(latest, why)
        link = Link(checkpoint.tick, checkpoint.chain) if checkpoint else None
        self._console = RecordingConsole(
            self._slot, lambda record: self._store.append_step(row_of(record)), start=link
        )
        self._doing = ""
        self._branch = Branch(self._ground, self._console, passed_over, is_new=checkpoint is None)
        self._loop = self._branch.loop
        knowledge, session = self._ground.knowledge, self._ground.session
        self._checkpoints = Checkpoints(
            self._store, self._loop, self._console, knowledge, session, self._began
        )
        # Power-on is a moment to come back to as well.
        self._checkpoints.schedule.want("start" if checkpoint is None else "back")
        self._watch_for(self._witness, MilestoneLedger.observe)
        self._watch_for(self._consolidate, Loop.perform)

    def _left_behind(self, back: ReturnPoint | None) -> Any:  # noqa: ANN401  # JSON
        """Return the mind at the last moment of the branch that the supervisor has died; who asks for an older moment gets it as it was.

        With what was learnt up to it play goes on otherwise, and not into the same again.
        """
        if back is None or back.why != "recovered":
            return None
        try:
            return self._store.part("mind")
        except CorruptStore:  # of which it is what goes back
            return None

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
            self._branch.memory.end_session(self._store, self._loop.tick)
            self._checkpoints.finish("signal" if self._stop is Stop.INTERRUPTED else "end")
        else:  # a process killed while a run ended had not handed on all of it
            self._checkpoints.hand_on()
        return self._summary(reason)

    def _reaches_an_end(self, limits: PlayLimits, viewer: Viewer) -> bool:
        """Play until there is a reason to stop; False when going back to a checkpoint is worth it."""
        self._watch_for(partial(self._show, viewer), Loop.perform)
        try:
            self._loop.play(
                lambda _: self._reason_to_stop(limits) is not None, self._checkpoints.after_tick
            )
        except Stuck as stuck:
            if not stuck.may_restore:
                raise
            log.warning("%s; going back to a checkpoint", stuck)
            return False
        self._stop = self._reason_to_stop(limits) or Stop.ERROR
        return True

    def _restore(self) -> None:
        """Go back to a checkpoint before play got nowhere; the ticks since become a dead branch.

        Of what was learnt there the ladder's part is kept: what to try less, and that this was tried.
        """
        died = self._branch.mind.to_json()
        self._store.commit()
        self._errors += self._branch.faults
        self._wake(self._branch.ladder.way_back(self._store.checkpoint_ticks()), "stuck")
        self._branch.mind.come_back(died, self._loop.tick)
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

    def _watch_for(self, handler: Handler, method: Callable[..., object]) -> None:
        """Call `handler` behind the producers; what goes wrong there must not disturb play."""
        self._branch.hooks.after(method, handler, priority=LAST, on_error=ErrorMode.SUPPRESS)

    def _reason_to_stop(self, limits: PlayLimits) -> Stop | None:
        """Return why play is over now, or None where it goes on."""
        if self._branch.ledger.has(limits.until):
            return Stop.GOAL
        if self._loop.tick >= limits.ticks:
            return Stop.TICKS
        return Stop.INTERRUPTED if self._interrupt.asked else None

    def _witness(self, call: Call, reached: tuple[ReachedMilestone, ...]) -> None:
        percept: Percept = call.args[0]
        for each in reached:
            picture = percept.sight.screen.png() if percept.sight else b""
            words = b64encode(picture).decode()
            append(self._store, MilestoneEvent(each.id, each.tick, each.witnesses, words))
        if reached:
            self._checkpoints.schedule.want("milestone")

    def _consolidate(self, call: Call, _performed: Performed) -> None:
        if self._branch.memory.consolidator.tick(self._loop.tick) is not None:
            self._checkpoints.schedule.want("consolidation")
        intent: Intent = call.args[0]
        if intent.name != self._doing:
            self._doing = intent.name
            if self._doing in self._fateful:
                self._checkpoints.schedule.want("battle")

    def _is_told(self) -> bool:
        """Return whether a session ended at this very tick and left what it learnt, or none was played.

        A run that was killed while it ended goes on at its goal, where there is no tick left to play.
        """
        told = self._branch.memory.consolidator.consolidation_history[-1:]
        ends = [each.tick for each in told if each.reason == "session_end"]
        return self._loop.tick == 0 or self._loop.tick in ends

    def _show(self, viewer: Viewer, call: Call, performed: Performed) -> None:
        state, start = performed.state, self._start
        viewer.show(
            TickView(
                run=self._frozen.run,
                cartridge=self._console.cartridge.name,
                tick=self._loop.tick,
                intent=call.args[0],
                goal=self._branch.mind.goal,
                reached=self._branch.ledger.reached,
                state=state,
                gains=self._branch.ladder.progress.gained,
                checkpoint=self._checkpoints.newest,
                place_of=self._story.place_of,
                ticks=self._loop.tick - start.tick,
                frames=state.frame - start.frame,
                wall_s=max(perf_counter() - start.counter, 1e-6),
            )
        )

    def _summary(self, reason: str) -> Summary:
        start = self._start
        wall = perf_counter() - start.counter
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
            badges=self._loop.look().player.badge_count,
            battles=sum(1 for _ in self._store.events("battle")),
            errors=self._errors + self._branch.faults + sum(self._store.faults.values()),
            consolidations=self._branch.memory.consolidator.consolidations,
            episodes=self._branch.ladder.episodes,
            restores=self._branch.ladder.restores,
            returns=tuple(self._store.branchings()),
            moved={use.value: self._branch.experience.moved[use] for use in MemoryUse},
        )
