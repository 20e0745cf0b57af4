"""Recovery when play is stuck, step by step: from a new plan to an earlier checkpoint."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

from agent.capabilities.capability import BoundAction
from agent.capabilities.unstuck import Inquiry
from agent.errors import StuckReason
from agent.events import StuckEpisode
from agent.mind.progress import ProgressMonitor
from agent.perception.percept import Percept
from agent.planning.domain import Action
from memory import Json, as_json
from memory.codec import SavedAttributes, from_json

COOL_DOWN: Final = 150  # ticks without the suspected actions
LONG_COOL_DOWN: Final = 300  # the same after a restore
MOST_EPISODES: Final = 50  # of a run
MOST_RESTORES: Final = 6  # of a run
RESTORES: Final = 2  # of one episode
LEAVES: Final = 3  # attempts to leave a map
LONGEST_PAUSE: Final = 600  # frames; such a wait changes the random numbers of the game


class RecoveryStep(Enum):
    """The recovery steps, the mildest first."""

    REPLAN = "replan"  # while the suspected actions cool down
    ASK_AROUND = "ask_around"  # talk to people on the map who were not asked yet
    LEAVE_MAP = "leave_map"  # then plan from elsewhere
    ASK_ADVICE = "ask_advice"  # from a model, if there is one
    RESTORE = "restore"  # the last checkpoint before the episode, and choose differently
    GIVE_UP = "give_up"


@dataclass(frozen=True, slots=True)
class EpisodeReport:
    """A stuck episode to record: it is over, or the branch in which it happened was abandoned."""

    episode: StuckEpisode
    percept: Percept


class StuckRecovery(SavedAttributes):
    """Watches progress and chooses recovery steps; `escape` leaves a map, `inquiry` asks people.

    Cool-downs, the current episode and all counts survive a restore. `seed` decides how long to wait
    after a restore.
    """

    SAVED = (
        "progress", "episodes", "restores", "_owed", "_tick",
        "_cooling", "_leaving", "_leaves", "_asking", "_pause",
    )  # fmt: skip

    def __init__(
        self,
        progress: ProgressMonitor,
        seed: int,
        escape: BoundAction | None = None,
        inquiry: Inquiry | None = None,
    ) -> None:
        self.progress = progress
        self.escape = escape
        self.inquiry = inquiry
        self.episode: StuckEpisode | None = None
        self.episodes = 0
        self.restores = 0
        self._owed = False  # whether an abandoned branch has no recorded post-mortem yet
        self._seed = seed
        self.never_cooling: set[str] = set()  # actions that never cool down
        self._tick = 0
        self._cooling: dict[str, int] = {}  # cool-down end tick by action
        self._leaving: int | None = None  # the map to leave
        self._leaves = 0
        self._asking: int | None = None  # the map whose people are asked
        self._pause = 0

    def saw(self, percept: Percept) -> Sequence[StuckEpisode]:
        """Record one tick; return the episodes to report: one of an abandoned branch, and one now over."""
        self._tick = percept.tick
        reported = [self.episode] if self._owed and self.episode is not None else []
        self._owed = self._owed and not reported
        if self.progress.saw(percept) and self.episode is not None:
            solved_by = self.episode.recovery_steps[-1]
            reported.append(replace(self.close(), solved_by=solved_by, lasted=percept.tick))
        return reported

    def close(self) -> StuckEpisode:
        """Close the current episode and return it."""
        assert self.episode is not None
        episode, self.episode = self.episode, None
        self._leaving = self._asking = None
        return replace(episode, over=True)

    def escalate(
        self,
        reason: StuckReason,
        percept: Percept,
        goal: str | None,
        recent: Sequence[str],
        *,
        may_ask: bool,
    ) -> RecoveryStep:
        """Take the next recovery step for `reason` and return it; `recent` are the last actions, `may_ask` if there is an advisor."""
        times = Counter(name for name in recent if name not in self.never_cooling)
        if self.episode is None:
            self.episodes += 1
            self.episode = self._new_episode(reason, percept, goal)
        elif self.episode.recovery_steps[-1] == RecoveryStep.RESTORE.value:
            self.episode = replace(self.episode, since=self._since(percept), noticed=percept.tick)
        step = self._next_step(percept, may_ask=may_ask)
        self.episode = replace(
            self.episode,
            lasted=percept.tick,
            tried=tuple(
                dict.fromkeys((*self.episode.tried, *(name for name, _ in times.most_common())))
            ),
            recovery_steps=(*self.episode.recovery_steps, step.value),
        )
        match step:
            case RecoveryStep.REPLAN:
                self._cool(times, COOL_DOWN)
            case RecoveryStep.ASK_AROUND:
                self._asking = percept.place.map_id
            case RecoveryStep.LEAVE_MAP:
                self._leaving, self._leaves = percept.place.map_id, LEAVES
            case RecoveryStep.RESTORE:
                self._cool(times, LONG_COOL_DOWN)
                self.restores += 1
                self._owed = True
            case RecoveryStep.ASK_ADVICE | RecoveryStep.GIVE_UP:
                pass  # the caller does it
        self.progress.again()
        return step

    def offered(self, actions: Iterable[Action]) -> list[Action]:
        """Return the actions that are not cooling down."""
        if not self._cooling:
            return list(actions)
        for name in [name for name, until in self._cooling.items() if until <= self._tick]:
            del self._cooling[name]
        return [action for action in actions if action.name not in self._cooling]

    def no_plan(self) -> None:
        """Count a tick without a plan; during a cool-down that is expected and not counted."""
        if not self._cooling:
            self.progress.no_plan()

    def pause(self) -> int:
        """Return how many frames to wait first; the wait is returned once only."""
        frames, self._pause = self._pause, 0
        return frames

    def exit_action(self, percept: Percept) -> BoundAction | None:
        """Return the action that asks a person or leaves the map, while recovery is at that step."""
        if not percept.state.in_control:
            return None
        if self._asking is not None and self.inquiry is not None:
            if self._asking == percept.place.map_id and self.inquiry.is_left(percept.state):
                return self.inquiry.action
            self._asking = None
            self._leave_next(percept)
        if self._leaving is None or self.escape is None:
            return None
        if percept.place.map_id != self._leaving or not self._leaves:
            self._leaving = None
            return None
        self._leaves -= 1
        return self.escape

    def _leave_next(self, percept: Percept) -> None:
        """Go to the next recovery step at once when no person is left to ask."""
        if self.episode is None or self.escape is None:
            return
        if RecoveryStep.LEAVE_MAP.value not in self.episode.recovery_steps:
            recovery_steps = (*self.episode.recovery_steps, RecoveryStep.LEAVE_MAP.value)
            self.episode = replace(self.episode, recovery_steps=recovery_steps)
            self._leaving, self._leaves = percept.place.map_id, LEAVES

    def restore_target(self, checkpoints: Sequence[int]) -> int:
        """Return the tick of `checkpoints`, the newest first, to restore.

        The last one before progress stopped; at the second restore of an episode, the one before that.
        """
        if self.episode is None:
            return checkpoints[0]
        times = self.episode.recovery_steps.count(RecoveryStep.RESTORE.value)
        since = self.episode.since
        moments = list(dict.fromkeys(tick for tick in checkpoints if tick <= since))
        return moments[:times][-1] if moments else checkpoints[-1]

    def resume_after_restore(self, died: Mapping[str, Any], tick: int) -> None:
        """Resume at the checkpoint of `tick`, with the recovery state of the abandoned branch."""
        self._adopt(died)
        self.progress.resume_after_restore(died["progress"])
        passed = tick - died["tick"]
        self._cooling = {name: until + passed for name, until in died["cooling"].items()}
        self._tick, self._leaving, self._asking = tick, None, None
        self._pause = random.Random(f"{self._seed}:{self.restores}").randint(1, LONGEST_PAUSE)

    def to_json(self) -> dict[str, Json]:
        """Return the whole state."""
        episode = as_json(self.episode) if self.episode is not None else None
        return {**super().to_json(), "episode": episode}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Take over what `to_json` returned."""
        super().restore(data)
        self._adopt(data)

    def _adopt(self, data: Mapping[str, Any]) -> None:
        kept = data["episode"]
        self.episode = from_json(StuckEpisode, kept) if kept is not None else None
        self.episodes, self.restores, self._owed = data["episodes"], data["restores"], data["owed"]

    def _new_episode(self, reason: StuckReason, percept: Percept, goal: str | None) -> StuckEpisode:
        return StuckEpisode(
            number=self.episodes,
            reason=reason.value,
            map_id=percept.place.map_id,
            x=percept.place.x,
            y=percept.place.y,
            goal=goal,
            since=self._since(percept),
            noticed=percept.tick,
            lasted=percept.tick,
            tried=(),
        )

    def _since(self, percept: Percept) -> int:
        return max(percept.tick - self.progress.quiet, 0)

    def _next_step(self, percept: Percept, *, may_ask: bool) -> RecoveryStep:
        taken = self.episode.recovery_steps if self.episode is not None else ()
        state = percept.state
        is_free = state.game_started and not state.in_battle
        can_leave = self.escape is not None and is_free
        can_ask = self.inquiry is not None and is_free and self.inquiry.is_left(state)
        restores = taken.count(RecoveryStep.RESTORE.value)
        if self.episodes > MOST_EPISODES:
            return RecoveryStep.GIVE_UP
        if not taken:
            return RecoveryStep.REPLAN
        if can_ask and not restores and RecoveryStep.ASK_AROUND.value not in taken:
            return RecoveryStep.ASK_AROUND
        if can_leave and not restores and RecoveryStep.LEAVE_MAP.value not in taken:
            return RecoveryStep.LEAVE_MAP
        if may_ask and is_free and not restores and RecoveryStep.ASK_ADVICE.value not in taken:
            return RecoveryStep.ASK_ADVICE
        if restores < RESTORES and self.restores < MOST_RESTORES:
            return RecoveryStep.RESTORE
        return RecoveryStep.GIVE_UP

    def _cool(self, recent: Counter[str], ticks: int) -> None:
        """Avoid the suspected action for `ticks`, else those done repeatedly of late, else the last."""
        repeated = [name for name, times in recent.items() if times > 1]
        suspect = self.progress.suspect
        for name in [suspect] if suspect else repeated or [*recent][-1:]:
            if name not in self.never_cooling:
                self._cooling[name] = self._tick + ticks
