"""Records of what the agent did: actions with their inputs and outcomes, and reflexes that pressed a button.

Actions of plans and advice are recorded when they end, and lessons are drawn from them. Those of recovery, what was
dropped for something more urgent, and a reflex with all its presses in a row are remembered for a while only.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from agent.loop import Performed
from agent.mind.intent import Intent, IntentSource
from agent.record.game_names import game_seconds
from agent.skills import Outcome
from emulator import FRAMES_PER_SECOND, State, Step
from memory import Call
from memory.tiers import ActionRecord, ObserverMemory

ADVISED: Final = "follow advice"  # the reasoning of an advised action
LEARNT: Final = frozenset({IntentSource.PLAN, IntentSource.ADVICE})


@dataclass(slots=True)
class _Action:
    """An action that has not ended: its inputs, and the last tick and state."""

    intent: Intent
    tick: int
    state: State
    steps: list[Step] = field(default_factory=list)


@dataclass(slots=True)
class ActionWatch:
    """Gives the observer each action; `place_of` names the place in which it began."""

    observer: ObserverMemory
    place_of: Callable[[State], str]
    _action: _Action | None = None

    def performed(self, call: Call, performed: Performed) -> None:
        """Record an action that has ended, or that another one has replaced."""
        intent: Intent = call.args[0]
        source, last = intent.source, self._action
        if performed.step.button is None and source in {IntentSource.IDLE, IntentSource.REFLEX}:
            return  # waiting is no action
        is_reflex = source is IntentSource.REFLEX
        is_next_press = is_reflex and last is not None and last.intent.name == intent.name
        if last is not None and last.intent is not intent and not is_next_press:
            was_reflex = last.intent.source is IntentSource.REFLEX
            ended = Outcome.DONE if was_reflex else Outcome.INTERRUPTED
            self._record(last, ended, learns=False)
            last = None
        tick, state = call.instance.tick, performed.state
        action = self._action = last or _Action(intent, tick, state)
        action.tick, action.state = tick, state
        action.steps.append(performed.step)
        if not is_reflex and performed.outcome is not Outcome.RUNNING:
            self._action = None
            self._record(action, performed.outcome, learns=source in LEARNT)

    def _record(self, action: _Action, outcome: Outcome, *, learns: bool) -> None:
        intent = action.intent
        reasoning = intent.active_goal.goal.label if intent.active_goal else intent.why
        record = ActionRecord(
            tick=action.tick,
            action_type=type_of(action.steps),
            action_value=intent.name,
            reasoning=ADVISED if intent.source is IntentSource.ADVICE else reasoning,
            confidence=intent.confidence,
            success=outcome is Outcome.DONE,
            outcome_summary=outcome.value,
            duration_ms=1000 * (action.state.frame - intent.began.frame) / FRAMES_PER_SECOND,
        )
        self.observer.add_action(
            record,
            learns=learns,
            game_s=game_seconds(action.state),
            location=self.place_of(intent.began),
            label=intent.why,
        )


def type_of(steps: Sequence[Step]) -> Literal["press", "hold", "batch", "sequence"]:
    """Return the type of an action: one press, a button held or a wait, the same press several times, or anything else."""
    presses = [step for step in steps if step.button is not None]
    if len({step.button for step in presses}) > 1:
        return "sequence"
    if all(step.settle == 0 for step in presses):
        return "hold"
    return "press" if len(presses) == 1 else "batch"
