"""Viewers of a scenario's play: they end it at its aim or its frame budget, and record what must not have happened."""

from __future__ import annotations

from dataclasses import replace

from agent.app import Interrupt, Summary, TickView
from agent.mind import Gains, Novelty
from agent.tools.scenario.conditions import SeenMoment
from agent.tools.scenario.file import Count, Play, Played


class PlayWatch:
    """A viewer that ends play when its aim is reached or its frames are spent."""

    def __init__(self, play: Play, interrupt: Interrupt) -> None:
        self.arrived = False
        self.last: TickView | None = None
        self._play = play
        self.interrupt = interrupt
        self._start: SeenMoment | None = None
        self._now: SeenMoment | None = None
        self._gains = Gains()

    @property
    def start(self) -> SeenMoment:
        """The moment that play began at."""
        if self._start is None:
            raise RuntimeError("play has not begun")
        return self._start

    @property
    def now(self) -> SeenMoment:
        """The latest moment."""
        return self._now or self.start

    @property
    def frames(self) -> int:
        """The frames played."""
        return self.now.state.frame - self.start.state.frame

    def begin(self, start: SeenMoment) -> None:
        """Note the moment that play begins at."""
        self._gains.saw(start.state)
        self._start = start

    def show(self, moment: TickView) -> None:
        """Look at one more tick."""
        self.last = moment
        self._now = now = self._seen(moment)
        self.note(now)
        until = self._play.until
        self.arrived = until is not None and until.holds(now, self.start)
        self.interrupt.asked = self.arrived or self.frames >= self._play.frames

    def end(self, summary: Summary) -> None:
        """Note what is known only when play has ended: how often it got nowhere."""
        self._now = replace(self.now, episodes=summary.episodes)
        self.note(self._now)

    def note(self, now: SeenMoment) -> None:
        """Note a moment; nothing by itself."""

    def _seen(self, moment: TickView) -> SeenMoment:
        before, state = self.now, moment.state
        return SeenMoment(
            state=state,
            place=moment.place_of(state),
            milestones=moment.milestones,
            doing=moment.intent.name,
            goal=moment.goal or "",
            gains=before.gains + (self._gains.saw(state) is Novelty.GAIN),
            episodes=before.episodes,
        )


class StrictWatch(PlayWatch):
    """A watch that also keeps to what must never be, and counts what begins."""

    def __init__(self, played: Played, interrupt: Interrupt) -> None:
        super().__init__(played.play, interrupt)
        self._never = played.never
        self._counts = [_Counter(each) for each in played.counts]
        self._broken: list[str] = []

    def problems(self) -> list[str]:
        """Return in words what was not as it must be."""
        return self._broken + [words for each in self._counts for words in each.problems()]

    def note(self, now: SeenMoment) -> None:
        """Note a moment; the first that must never be is told."""
        if now.state.frame < self.start.state.frame and not self._broken:
            self._broken.append("the agent went back to a checkpoint from before the scenario")
        for each in self._never:
            if not self._broken and each.holds(now, self.start):
                here = now.state.map
                where = f"{now.place} ({here.x},{here.y}), frame {now.state.frame}"
                self._broken.append(f"what must never be was: {each}; {where}")
        for counter in self._counts:
            counter.note(now, self.start)


class _Counter:
    """How many times something has begun to be true."""

    def __init__(self, count: Count) -> None:
        self._count = count
        self._times = 0
        self._holds = False

    def note(self, now: SeenMoment, start: SeenMoment) -> None:
        held, self._holds = self._holds, self._count.when.holds(now, start)
        self._times += self._holds and not held

    def problems(self) -> list[str]:
        if self._count.allows(self._times):
            return []
        count = self._count
        return [f"{count.when} happened {self._times} times, not {count.says}"]
