"""The loop. Everything the agent does passes through here, one step at a time."""

from collections.abc import Callable
from typing import NamedTuple

from agent.mind.intent import Intent
from agent.mind.mind import Mind
from agent.perception.percept import Perceiver, Percept
from agent.skills import Outcome
from agent.story.milestones import MilestoneLedger
from emulator import Console, State, read_state
from memory import Hooks, hookable


class Performed(NamedTuple):
    """What came of one step."""

    outcome: Outcome
    state: State


class Loop:
    """Sense, decide, act, learn; a tick is one pass."""

    def __init__(
        self,
        console: Console,
        eyes: Perceiver,
        mind: Mind,
        ledger: MilestoneLedger,
        hooks: Hooks,
        tick: int = 0,
    ) -> None:
        self.hooks = hooks
        self.tick = tick
        self._console = console
        self._eyes = eyes
        self._mind = mind
        self._ledger = ledger

    @property
    def goal(self) -> str | None:
        """The goal that the mind pursues, if any."""
        return self._mind.goal

    def play(self, until: Callable[[State], bool], after_tick: Callable[[State], object]) -> None:
        """Play on until `until` says so; `after_tick` is called at the start and after each tick.

        Memory watches through hooks; nothing here stores anything.
        """
        state = self.look()
        after_tick(state)
        while not until(state):
            percept = self.perceive(state)
            facts = self._mind.sense(percept)
            intent = self._mind.decide(percept, facts)
            outcome, state = self.perform(intent)
            self._mind.learn(intent, facts, outcome)
            after_tick(state)

    @hookable
    def perceive(self, state: State) -> Percept:
        """Return this moment as the mind gets it, with milestones written down where proven."""
        percept = self._eyes.perceive(state, self.tick)
        self._ledger.observe(percept)
        return percept

    @hookable
    def perform(self, intent: Intent) -> Performed:
        """Perform the next step of `intent`: the only place where time passes."""
        self._console.perform(intent.course.step, render=self._eyes.wants_frame)
        self.tick += 1
        state = self.look()
        return Performed(intent.course.resume(state), state)

    def look(self) -> State:
        """Return the state of this moment."""
        return read_state(self._console.ram(), self._console.frame)
