"""A session: one process playing one run, from building its parts to the summary."""

import gc
import logging
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from itertools import takewhile
from math import inf
from time import perf_counter
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, NamedTuple

from agent.advisor.port import Decider
from agent.app.build import Branch, GameParts, RunContext
from agent.app.checkpoints import AGAIN, TAUGHT, Checkpoints, Trail, append, row_of
from agent.app.process import Interrupt
from agent.app.settings import RunSettings
from agent.app.summary import ModelStatus, NoViewer, Stop, Summary, TickView, Viewer
from agent.app.verdicts import who_decided
from agent.battle.odds import prepare
from agent.capabilities.registry import Topic
from agent.errors import Stuck
from agent.events import MilestoneEvent
from agent.experience.memory_use import MemoryUse
from agent.loop import Loop, Performed
from agent.mind.intent import Intent, IntentSource
from agent.perception.percept import Percept
from agent.perception.screen_readers import ScreenReaders
from agent.record.answers import AdviceSource, answers_to_repeat
from agent.story.milestones import MilestoneLedger, ReachedMilestone
from agent.story.story import Story
from emulator import Console, EmulatorError, Link, RecordingConsole, StateError
from memory import (
    Call,
    Checkpoint,
    CorruptStore,
    ErrorMode,
    EventRow,
    Json,
    KnowledgeStore,
    MemoryFault,
    RunFolder,
    RunStore,
)
from memory.hooks.hooks import Handler
from memory.store import BranchedBy

LAST: Final = 2_000  # the priority of handlers that run after the producers

log = logging.getLogger(__name__)


def log_failure(name: str, error: Exception) -> None:
    """Log a failure that does not stop play; the summary holds the counts."""
    log.warning("%s failed; play goes on without it: %s: %s", name, type(error).__name__, error)


class PlayLimits(NamedTuple):
    """When to stop: at the milestone `until`, or at tick `ticks` of the run."""

    until: str
    ticks: float
    render_all: bool = False  # every frame that ends a tick, for a viewer


class ReturnPoint(NamedTuple):
    """The restore target of a session: the newest checkpoint up to `tick`, and the reason.

    `end` is "before" for the one before the end of play, from which its ticks are played again as they were, and "at" for
    the last one of all, from which play goes on with other decisions.
    """

    tick: float
    why: BranchedBy
    end: Literal["", "before", "at"] = ""


NEWEST: Final = ReturnPoint(inf, "resumed")
# The kind of the event from whose tick on a run is decided otherwise than it began.
OTHER_CHOICES: Final = "other_choices"
BEFORE_END: Final = ReturnPoint(inf, "resumed", "before")
AT_END: Final = ReturnPoint(inf, "resumed", "at")


# New objects before a collection of garbage: play makes many records, few of them in cycles.
GARBAGE: Final = 20_000
# Games of a process after which all garbage is collected, which takes a tenth of a second: so many may stay until then.
STAYING: Final = 4
RECENT: Final = 6  # events that a view shows
# Ends after which play goes on as if there was none.
AS_ASKED: Final = frozenset({Stop.GOAL, Stop.TICKS})
OF_INTEREST: Final = frozenset({"milestone", "battle", "stuck", "advice", "blackout"})


class Start(NamedTuple):
    """The start of a session: the frame of the run, and the `perf_counter` reading."""

    frame: int
    counter: float


class Session:
    """The agent on one console, writing one run; `more` are topics added to those of the registry.

    Without `asking`, no advice is asked for; `game` replaces the parts of the cartridge in the slot.
    """

    _games: ClassVar[int] = 0  # that this process has begun to play

    def __init__(  # noqa: PLR0913  # the parts of a session
        self,
        folder: RunFolder[RunStore],
        console: Console,
        knowledge: KnowledgeStore,
        story: Story,
        interrupt: Interrupt,
        *more: Topic,
        asking: AdviceSource | None = None,
        back: ReturnPoint = NEWEST,
        game: GameParts | None = None,
    ) -> None:
        self._folder = folder
        self._store = folder.store
        self._settings = settings = RunSettings.of(folder.settings)
        self._story = story
        self._interrupt = interrupt
        self._machine = console
        self._stop = Stop.ERROR
        self._errors = 0  # of abandoned branches
        self._store.faults.on_fault = log_failure
        self._recent: deque[EventRow] = deque(maxlen=RECENT)
        self._store.record.watch(self._note_event)
        self.model: Callable[[], ModelStatus] | None = None
        self.readers = ScreenReaders()
        repeats = back.why == "resumed" and back.end != "at"
        self._repeats_to = self._last_to_repeat() if repeats else 0
        self._context = RunContext(
            self._store,
            self._store.next_session(),
            settings,
            knowledge,
            game or GameParts.of(console.cartridge, story, settings.seed),
            more,
            asking,
            self.readers,
            answers_to_repeat(self._store, self._repeats_to) if asking is not None else (),
        )
        prepare(self._context.game.dex)
        self._store.outbox.number_after(knowledge.delivered(self._store.run_id))
        self._battle_tasks = frozenset(f"task:{task.id}" for task in story.tasks if task.against)
        self._began = perf_counter()
        abandoned = self._abandoned_mind(back)
        self._start_branch(back, self._taught_again(back))
        if abandoned is not None:
            self._branch.mind.resume_after_restore(abandoned, self._loop.tick)
            self._checkpoints.schedule.request("back")
        if back.end == "at" and self._loop.tick:
            self._checkpoints.save("back")  # one to go on from, unlike that of an end
        self._start = Start(console.frame, perf_counter())

    def _start_branch(self, back: ReturnPoint, again: Json) -> None:
        """Start a branch at the checkpoint that `back` names; `again` is what is to be taken back."""
        checkpoint = self._load_checkpoint(back, again)
        self._build_branch(Link(checkpoint.tick, checkpoint.chain) if checkpoint else None)
        if checkpoint is None:
            self._checkpoints.schedule.request("start")  # power-on is a restore target as well

    def _build_branch(self, link: Link | None, trail: Trail | None = None) -> None:
        """Build the parts of a branch from the last checkpoint, whose `link` is given, or for a new game."""
        self._console = RecordingConsole(
            self._machine, lambda record: self._store.record.append(row_of(record)), start=link
        )
        self._branch = Branch(self._context, self._console, log_failure, is_new=link is None)
        self._loop = self._branch.loop
        knowledge, session = self._context.knowledge, self._context.session
        self._checkpoints = Checkpoints(
            self._store, self._loop, self._console, knowledge, session, self._began, trail
        )
        self._call_after(self._record_milestones, MilestoneLedger.observe)
        self._call_after(self._consolidate, Loop.perform)

    def _abandoned_mind(self, back: ReturnPoint) -> Any:  # noqa: ANN401  # JSON
        """Return the saved mind of the branch that the supervisor abandons, or None when the player goes back.

        Its recovery state keeps the new branch from repeating the same failure; a player gets the old state unchanged.
        """
        if back.why != "recovered":
            return None
        try:
            return self._store.checkpoints.part("mind")
        except CorruptStore:  # possibly the fault that the supervisor goes back for
            return None

    def begin_here(self, known: Mapping[str, Any] = MappingProxyType({})) -> None:
        """Begin with a checkpoint: the console was prepared by steps that are not recorded.

        `known` is what the ledger, the choices and the mind know already, as parts of a checkpoint have it.
        """
        for name, values in known.items():
            part = getattr(self._branch, name)
            part.restore({**part.to_json(), **values})
        self._checkpoints.schedule.request("start")

    def play(self, limits: PlayLimits, viewer: Viewer) -> Summary:
        """Play until there is a reason to stop, commit the end of the run, and return the summary."""
        reason = ""
        if Session._games and Session._games % STAYING == 0:
            gc.collect()
        Session._games += 1
        thresholds = gc.get_threshold()
        gc.set_threshold(GARBAGE, *thresholds[1:])
        gc.freeze()  # tables, caches and modules stay, and are not looked at again and again
        try:
            while self._play_branch(limits, viewer):
                pass
        except Stuck as stuck:
            self._stop, reason = Stop.GAVE_UP, str(stuck)
        except (EmulatorError, MemoryFault, MemoryError):
            raise  # the console, the store or the process is broken, so nothing can be committed
        except Exception as error:
            # The only broad catch: after any error the played ticks are committed and reported.
            log.exception("play ended by an error of the program")
            self._stop, reason = Stop.ERROR, f"{type(error).__name__}: {error}"
        finally:
            gc.unfreeze()
            gc.set_threshold(*thresholds)
            self.readers.close()
        if self._stop is Stop.INTERRUPTED and not self._interrupt.is_final:
            self._checkpoints.pause()
        elif not self._is_finished():
            self._branch.memory.end_session(self._store, self._loop.tick)
            self._checkpoints.finish("end" if self._stop in AS_ASKED else "last")
        else:  # a process killed at the end of a run may not have delivered all lessons
            self._checkpoints.deliver_lessons()
        return self._summary(reason)

    def _play_branch(self, limits: PlayLimits, viewer: Viewer) -> bool:
        """Play one branch; return whether play goes on in another, which is built from a checkpoint."""
        if not isinstance(viewer, NoViewer):
            self._call_after(partial(self._show, viewer), Loop.perform)
        self._loop.render_all = limits.render_all
        checkpoints = self._checkpoints
        try:
            self._loop.play(
                lambda _: checkpoints.is_new_branch_due or self._reason_to_stop(limits) is not None,
                checkpoints.after_tick,
            )
        except Stuck as stuck:
            if not stuck.may_restore:
                raise
            log.warning("%s; going back to a checkpoint", stuck)
            self._restore()
            return True
        reason = self._reason_to_stop(limits)
        if reason is not None:
            self._stop = reason
            return False
        self._continue()
        return True

    def _continue(self) -> None:
        """Build the parts of the branch again from the checkpoint just made.

        Whether the process ends at a checkpoint or not, play after it is the same, tick by tick: what is not in the
        checkpoint, as an action in progress, does not survive it.
        """
        self._errors += self._branch.faults
        self._build_branch(self._console.link, trail=self._checkpoints.trail)

    def _restore(self) -> None:
        """Restore a checkpoint from before play got stuck; the ticks since then become an abandoned branch.

        The recovery state survives: the actions to avoid, and that this checkpoint was tried.
        """
        abandoned = self._branch.mind.to_json()
        self._store.commit()
        self._errors += self._branch.faults
        target = self._branch.recovery.restore_target(self._store.checkpoints.ticks())
        self._context = self._context._replace(answers=())  # another attempt may ask again
        # A kill loses both, the return and what it teaches, or neither.
        with self._store.database.transaction():
            self._start_branch(ReturnPoint(target, "stuck"), self._checkpoints.again)
            self._branch.mind.resume_after_restore(abandoned, self._loop.tick)
            self._checkpoints.save("back")
        self._start = self._start._replace(frame=min(self._start.frame, self._machine.frame))

    def _load_checkpoint(self, back: ReturnPoint, again: Json) -> Checkpoint | None:
        """Load and return the newest usable checkpoint that `back` allows; None for a new run."""
        refusal = None
        allowed = [
            mark for mark in reversed(self._store.checkpoints.marks()) if mark.tick <= back.tick
        ]
        if back.end == "before":  # those of ends only if no other can be loaded
            allowed.sort(key=lambda mark: mark.why == "end")
        for mark in allowed:
            checkpoint = self._store.checkpoints.numbered(mark.id)
            try:
                self._machine.load(checkpoint.state)
            except StateError as error:
                # Power-on needs no state: if it is the only checkpoint, nothing is lost.
                if refusal is not None or not checkpoint.frame == self._machine.frame == 0:
                    refusal = refusal or error
                    continue
            if refusal is not None:
                log.warning("going on from the checkpoint of tick %d: %s", checkpoint.tick, refusal)
            if back.end == "before" and checkpoint.why == "end":
                again = None  # no other could be loaded
            answered = max((each.tick for each in self._context.answers), default=-1)
            self._store.rewind(
                checkpoint, back.why, self.name, answered_to=answered, more={AGAIN: again}
            )
            return checkpoint
        if refusal is not None:
            raise refusal
        return None

    def _last_to_repeat(self) -> int:
        """Return the last tick that sessions since the last checkpoint have played: play repeats them as they were."""
        store = self._store
        others = (
            *store.record.events(OTHER_CHOICES),
            *store.record.events(OTHER_CHOICES, live=False),
        )
        new = {each.payload.get("session") for each in others}  # which repeated nothing
        resumed = takewhile(
            lambda each: each.why == "resumed" and each.session not in new,
            reversed(store.record.branchings()),
        )
        return max([store.record.last_tick(), *(each.left for each in resumed)])

    def _taught_again(self, back: ReturnPoint) -> Any:  # noqa: ANN401  # JSON
        """Return what memory.sqlite held before the end of the last session, which this one teaches again; else None."""
        is_before = back.end == "before"
        return self._store.checkpoints.part(AGAIN) or (
            self._store.checkpoints.part(TAUGHT) if is_before else None
        )

    def _call_after(self, handler: Handler, method: Callable[..., object]) -> None:
        """Call `handler` after the producers; its errors do not stop play."""
        self._branch.hooks.after(method, handler, priority=LAST, on_error=ErrorMode.SUPPRESS)

    def _reason_to_stop(self, limits: PlayLimits) -> Stop | None:
        """Return why play must stop now, or None to continue."""
        if self._branch.ledger.has(limits.until):
            return Stop.GOAL
        if self._loop.tick >= limits.ticks:
            return Stop.TICKS
        return Stop.INTERRUPTED if self._interrupt.asked else None

    def _record_milestones(self, call: Call, reached: tuple[ReachedMilestone, ...]) -> None:
        percept: Percept = call.args[0]
        for each in reached:
            picture = percept.reading.screen.png() if percept.reading else b""
            encoded = b64encode(picture).decode()
            append(self._store, MilestoneEvent(each.id, each.tick, each.witnesses, encoded))
        if reached:
            self._checkpoints.schedule.request("milestone")

    def _consolidate(self, call: Call, _performed: Performed) -> None:
        if self._branch.memory.consolidator.tick(self._loop.tick) is not None:
            self._checkpoints.schedule.request("consolidation")
        intent: Intent = call.args[0]
        if intent.source is IntentSource.PLAN:
            self._checkpoints.saw_action(intent.name, is_battle=intent.name in self._battle_tasks)

    def _is_finished(self) -> bool:
        """Return whether a session has already ended at this tick and stored its lessons, or no tick was played.

        A run that was killed during its end is resumed at its goal, with no tick left to play.
        """
        history = self._branch.memory.consolidator.consolidation_history[-1:]
        ends = [each.tick for each in history if each.reason == "session_end"]
        return self._loop.tick == 0 or self._loop.tick in ends

    @property
    def name(self) -> str:
        """The name of the session in its run."""
        return self._context.session

    @property
    def tick(self) -> int:
        """The tick at which the session stands."""
        return self._loop.tick

    @property
    def repeats_to(self) -> int:
        """The tick up to which this session plays again, in the same way, what an interrupted one has played."""
        return max(self._repeats_to, self.tick)

    def _note_event(self, event: EventRow) -> None:
        if event.kind in OF_INTEREST:
            self._recent.append(event)

    def _show(self, viewer: Viewer, call: Call, performed: Performed) -> None:
        mind = self._branch.mind
        viewer.show(
            TickView(
                cartridge=self._console.cartridge.name,
                tick=self._loop.tick,
                intent=call.args[0],
                goal=mind.goal,
                goal_label=mind.goal_label,
                reached=self._branch.ledger.reached,
                state=performed.state,
                gains=self._branch.recovery.progress.gained,
                checkpoint=self._checkpoints.newest,
                place_of=self._story.place_of,
                events=self._recent,
                screen=self._machine.screen if self._loop.rendered else None,
                model=self.model,
                wall_s=perf_counter() - self._start.counter,
            )
        )

    def _summary(self, reason: str) -> Summary:
        start = self._start
        wall = perf_counter() - start.counter
        mind = Decider.RULES if self._context.asking is None else Decider.CLAUDE
        return Summary(
            run=str(self._folder.path),
            cartridge=self._console.cartridge.name,
            seed=self._settings.seed,
            stop=self._stop,
            reason=reason,
            ticks=self._loop.tick,
            frames=self._console.frame,
            wall_s=self._checkpoints.wall_s,  # as a report says it
            frames_per_s=round((self._console.frame - start.frame) / wall, 1),
            digest=self._console.link.chain.hex(),
            milestones=self._branch.ledger.reached,
            badges=self._loop.look().player.badge_count,
            battles=sum(1 for _ in self._store.record.events("battle")),
            errors=self._errors + self._branch.faults + sum(self._store.faults.values()),
            consolidations=self._branch.memory.consolidator.consolidations,
            episodes=self._branch.recovery.episodes,
            restores=self._branch.recovery.restores,
            returns=tuple(self._store.record.branchings()),
            readers=self.readers.scores,
            moved={use.value: self._branch.experience.moved[use] for use in MemoryUse},
            decided_by=who_decided(self._store, mind.value),
        )
