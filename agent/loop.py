"""The loop. Everything the agent does passes through here, one step at a time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from agent.mind.intent import Intent
from agent.mind.mind import Mind
from agent.perception.percept import Perceiver, Percept
from agent.skills import Outcome
from agent.story.milestones import MilestoneLedger
from emulator import Console, State, Step, read_state
from memory import Hooks, hookable


class Performed(NamedTuple):
    """The outcome of one step, the state after it, and the step."""

    outcome: Outcome
    state: State
    step: Step


@dataclass(eq=False)
class Loop:
    """Sense, decide, act, learn; a tick is one pass."""

    console: Console
    perceiver: Perceiver
    mind: Mind
    ledger: MilestoneLedger
    hooks: Hooks
    tick: int = 0
    render_all: bool = False  # for a viewer; the agent itself needs few frames
    rendered: bool = False  # whether the last tick was rendered

    def play(self, until: Callable[[State], bool], after_tick: Callable[[State], object]) -> None:
        """Play until `until` returns true; call `after_tick` at the start and after each tick.

        Memory observes through hooks; nothing is stored here.
        """
        state = self.look()
        after_tick(state)
        while not until(state):
            percept = self.perceive(state)
            facts = self.mind.sense(percept)
            intent = self.mind.decide(percept, facts)
            outcome, state, _ = self.perform(intent)
            self.mind.learn(intent, facts, outcome)
            after_tick(state)

    @hookable
    def perceive(self, state: State) -> Percept:
        """Return the percept of this tick, and record the milestones it proves."""
        percept = self.perceiver.perceive(state, self.tick)
        self.ledger.observe(percept)
        return percept

    @hookable
    def perform(self, intent: Intent) -> Performed:
        """Perform the next step of `intent`; game time passes only here."""
        self.rendered = self.render_all or self.perceiver.wants_frame
        step = intent.skill_run.step
        self.console.perform(step, render=self.rendered)
        self.tick += 1
        state = self.look()
        return Performed(intent.skill_run.resume(state), state, step)

    def look(self) -> State:
        """Return the current state."""
        return read_state(self.console.ram(), self.console.frame)
