"""The mind: decides by reflexes first, then the plan, then waiting."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from agent.advisor.port import Purpose
from agent.capabilities.capability import PEACE, BoundAction, Capability, Reflex, Senses, domain_of
from agent.errors import Stuck, StuckReason
from agent.experience.action_costs import ActionCosts, with_note
from agent.mind.advice import LIFTS, ModelAdvice
from agent.mind.intent import ActionEnded, ActiveGoal, Intent, IntentSource
from agent.mind.recovery import EpisodeReport, RecoveryStep, StuckRecovery
from agent.mind.situation import QuestionContext
from agent.perception.percept import Percept
from agent.planning.domain import Facts, Goal, after
from agent.planning.search import Plan, explain, plan
from agent.skills import Outcome, SkillRun, once, wait
from emulator import State
from memory import BlackboardEvent, Hooks, Json, Recall, hookable
from memory.codec import SavedAttributes

IDLE_FRAMES: Final = 30
LEISURE: Final = 60  # frames to wait when no goal is open
PAUSE: Final = 7  # frames added per failure before the same action is tried again
LONGEST_PAUSE: Final = 60
DEMOTION: Final = 5  # priority that a goal loses for each failed action of its plans


class Mind(SavedAttributes):
    """Chooses actions from facts, continues them while they work, and learns from their outcomes."""

    SAVED = ("_failures", "_setbacks", "_begun", "_held_up", "_recovery")

    def __init__(
        self,
        capabilities: Sequence[Capability],
        recall: Recall,
        hooks: Hooks,
        recovery: StuckRecovery,
        costs: ActionCosts | None = None,
        model_advice: ModelAdvice | None = None,
    ) -> None:
        self.hooks = hooks
        self._model_advice = model_advice
        self.domain = domain_of(capabilities)
        self._senses = Senses(capabilities)
        self._recall = recall
        self._costs = costs or ActionCosts()
        self._here: State | None = None
        self._bound = {bound.action.name: bound for each in capabilities for bound in each.actions}
        self._goals = {goal.name: goal for goal in self.domain.goals}
        self._reflexes = [reflex for each in capabilities for reflex in each.reflexes]
        self._recovery = recovery
        self._progress = recovery.progress
        # While one of these is possible, no other action is.
        recovery.never_cooling = {
            name
            for name, bound in self._bound.items()
            if bound.at_once or bound.while_true is not PEACE
        }
        for exit_action in (recovery.escape, recovery.inquiry.action if recovery.inquiry else None):
            if exit_action is not None:
                self._bound[exit_action.action.name] = exit_action
                recovery.never_cooling.add(exit_action.action.name)
        self._failures: Counter[str] = Counter()  # of actions
        self._setbacks: Counter[str] = Counter()  # of goals; each gain takes one from every goal
        self._gained = self._progress.gained
        self._ranked: tuple[Facts, list[Goal]] | None = None  # the open goals, for these facts
        self._intent: Intent | None = None
        self._active_goal: ActiveGoal | None = None
        self._begun: dict[str, int] = {}  # goals begun and not reached, by the tick they began
        self._plan: Plan | None = None
        self._last_action: str | None = None  # the last one completed
        self._doing: Intent | None = None  # the last one decided
        self._map_id = -1  # where the player was last in control
        self._held_up = False  # whether a reflex decided the last tick

    @property
    def goal(self) -> str | None:
        """The name of the active goal, if any."""
        return self._active_goal.goal.name if self._active_goal else None

    @property
    def plan(self) -> Plan | None:
        """The plan that is followed, with the action in progress."""
        return self._plan

    @property
    def goal_label(self) -> str:
        """The label of the active goal, or ''."""
        return self._active_goal.goal.label if self._active_goal else ""

    def open_goals(self, facts: Facts) -> list[Goal]:
        """Return the goals not reached, the most urgent first; failures lower the priority of a goal."""
        # While nothing changes, the facts are the same object and the goals are not sorted again.
        if self._ranked is None or self._ranked[0] is not facts:
            self._ranked = facts, self._rank(facts, self._lifts(facts))
        return self._ranked[1]

    def _rank(self, facts: Facts, lifts: Mapping[str, int]) -> list[Goal]:
        demotions = {name: DEMOTION * times for name, times in self._setbacks.items()}
        for name, lift in lifts.items():
            demotions[name] = demotions.get(name, 0) - lift
        return self.domain.open_goals(facts, demotions)

    def _lifts(self, facts: Facts) -> Mapping[str, int]:
        """Return the priority goals gain by advice; goals one action away always gain the maximum."""
        if self._model_advice is None or not self._model_advice.advised_goals:
            return {}
        lifts = {goal.name: self._model_advice.lift(goal) for goal in self.domain.goals}
        at_hand = [action for action in self.domain.actions if action.possible(facts)]
        for goal in self.domain.goals:
            if any(goal.reached(after(facts, action.effects)) for action in at_hand):
                lifts[goal.name] = LIFTS[0]
        return lifts

    def sense(self, percept: Percept) -> Facts:
        """Return every sensed fact of this tick."""
        self._here = percept.state
        return self._senses.read(percept, self._recall)

    @hookable
    def decide(self, percept: Percept, facts: Facts) -> Intent:
        """Return what to do now: a firing reflex, else the current action, else the next of the plan.

        Raises Stuck when play makes no progress and no recovery step is left to try from here.
        """
        self._watch_progress(percept)
        self._close(percept, facts)
        # The condition of the current action may have ended; the plan may become valid again later.
        if self._intent is not None and not self._bound[self._intent.name].while_true.holds(facts):
            self._intent = None
        if self._is_overtaken(percept, facts):
            self._intent = None
        if self._model_advice is not None:
            self._model_advice.now.look = partial(self._question_context, percept, facts)
        intent = (
            self._reflex(percept)
            or self._intent
            # Between two parts of a scene the player is free for up to a dozen frames, as in Oak's
            # lab: an action begun then rests on facts that the next part changes.
            or (self._idle(percept, "the scene may go on") if self._held_up else None)
            or self._exit_action(percept)
            or self._advised(percept, facts)
            or self._next(percept, facts)
        )
        self._held_up = intent.source is IntentSource.REFLEX
        if self._held_up and self._intent is not None:
            self._progress.dropped(self._intent.name, intent.name)
        self._intent = None if self._held_up else intent
        self._doing = intent
        if intent.active_goal is None:
            self._progress.rest()
        return intent

    def _is_overtaken(self, percept: Percept, facts: Facts) -> bool:
        """Return whether a map was entered where something is more urgent, as an item beside a long way."""
        here, intent = percept.state, self._intent
        if not here.in_control or here.map.map_id == self._map_id:
            return False
        self._map_id = here.map.map_id
        if intent is None or intent.source is not IntentSource.PLAN or intent.active_goal is None:
            return False
        goals, own = self.open_goals(facts), intent.active_goal.goal
        if own not in goals:
            return bool(goals)
        # A goal without a plan is no reason: the action would be dropped on every map of a long way.
        return any(self._plan_to(goal, facts) for goal in goals[: goals.index(own)])

    def _plan_to(self, goal: Goal, facts: Facts) -> Plan | None:
        """Return the plan that there would be for a goal, which is not followed."""
        if self._plan is not None and self._plan.goal is goal and self._plan.stands(facts):
            return self._plan
        offered = self._recovery.offered(self.domain.actions)
        return plan(goal, facts, self._costs.current_costs(offered, self._failures, self._here))

    @hookable
    def learn(self, intent: Intent, facts: Facts, outcome: Outcome) -> None:
        """Record the outcome of a step of `intent`, which was decided on `facts`."""
        if outcome is Outcome.RUNNING or intent is not self._intent:
            return
        self._intent = None
        if intent.source is not IntentSource.IDLE:
            self.hooks.emit(ActionEnded(intent, outcome, self._here or intent.began))
        if intent.source is IntentSource.ADVICE and self._model_advice is not None:
            is_done = outcome is Outcome.DONE
            self._model_advice.ended(intent.name, outcome.value, success=is_done)
        match outcome:
            case Outcome.DONE:
                self._progress.ended_well(intent.name)
                self._done(intent)
            case Outcome.INTERRUPTED:
                self._plan = None  # not a failure, but the situation has changed
                self._progress.failed(intent.name, "is interrupted")
            case _:
                self._failed(intent)

    def to_json(self) -> dict[str, Json]:
        """Return the part of a checkpoint for the mind; current actions are not saved and start again."""
        model_advice = self._model_advice.to_json() if self._model_advice is not None else None
        return {**super().to_json(), "active_goal": self.goal, "model_advice": model_advice}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Take over what `to_json` returned."""
        super().restore(data)
        self._ranked, self._gained = None, self._progress.gained
        self._begun = {name: since for name, since in self._begun.items() if name in self._goals}
        if self._model_advice is not None and data.get("model_advice") is not None:
            self._model_advice.restore(data["model_advice"])
        name = data["active_goal"]
        if name in self._begun:
            self._active_goal = ActiveGoal(self._goals[name], self._begun[name])

    def resume_after_restore(self, died: Mapping[str, Any], tick: int) -> None:
        """Resume at the checkpoint of `tick`, with the recovery state of the abandoned branch."""
        self._recovery.resume_after_restore(died["recovery"], tick)

    def remembered(self, event: BlackboardEvent) -> None:
        """Drop the plan when memory changed, so that a new one is made after the current action."""
        if event.action == "write":
            self._plan = None

    def _watch_progress(self, percept: Percept) -> None:
        """Watch for progress, and take a recovery step when there is none."""
        for episode in self._recovery.saw(percept):
            self.hooks.emit(EpisodeReport(episode, percept))
        if self._progress.gained != self._gained:
            self._gained, self._ranked = self._progress.gained, None
            self._setbacks -= Counter(dict.fromkeys(self._setbacks, 1))
        if (reason := self._progress.verdict) is not None:
            self._recover(reason, percept)

    def _recover(self, reason: StuckReason, percept: Percept) -> None:
        recovery = self._recovery
        outcomes = self._recall.recent_outcomes()
        recent = [str(each["action"]) for each in outcomes if each["action"] in self._bound]
        if self._intent is not None:
            recent.append(self._intent.name)
        may_ask = self._model_advice is not None
        step = recovery.escalate(reason, percept, self.goal, recent, may_ask=may_ask)
        if step is RecoveryStep.ASK_ADVICE and self._model_advice is not None:
            self._model_advice.stuck(reason.value)
        if step not in {RecoveryStep.RESTORE, RecoveryStep.GIVE_UP}:
            self._intent = self._plan = None
            return
        if step is RecoveryStep.GIVE_UP:
            self.hooks.emit(EpisodeReport(recovery.close(), percept))
        here = percept.place
        where = f"map {here.map_id} ({here.x},{here.y})"
        doing = f"{self._doing.name}, because {self._doing.why}" if self._doing else ""
        raise Stuck(reason, where, doing, may_restore=step is RecoveryStep.RESTORE)

    def firing(self, percept: Percept) -> Reflex | None:
        """Return the reflex that preempts everything else in this tick, if any fires."""
        bound = self._bound.get(self._intent.name) if self._intent else None
        suppresses = bound.suppresses if bound else frozenset[str]()
        awake = (reflex for reflex in self._reflexes if reflex.name not in suppresses)
        return next((reflex for reflex in awake if reflex.fires(percept)), None)

    def _reflex(self, percept: Percept) -> Intent | None:
        if (reflex := self.firing(percept)) is None:
            return None
        skill_run = SkillRun(once(reflex.step))
        return self._intend(IntentSource.REFLEX, reflex.name, reflex.label, skill_run, percept)

    def _exit_action(self, percept: Percept) -> Intent | None:
        """Do what recovery asks for: wait a different time, ask people or leave the map."""
        if frames := self._recovery.pause():
            return self._idle(percept, "a different wait changes what follows", frames)
        bound = self._recovery.exit_action(percept)
        return self._carry_out(bound, IntentSource.RECOVERY, percept) if bound else None

    def _advised(self, percept: Percept, facts: Facts) -> Intent | None:
        """Ask for advice when a question is due, and begin the next advised action that is possible."""
        model_advice = self._model_advice
        if model_advice is None or not percept.state.in_control:
            return None
        if model_advice.wants_picture:
            model_advice.wants_picture -= 1
            if percept.reading is None:
                return self._idle(percept, "waiting for a picture", 1)
            model_advice.wants_picture = 0
        if model_advice.settle_choices():
            return self._idle(percept, "a choice was made", 1)
        if model_advice.ask_if_due(percept.tick):
            self._plan = self._ranked = None
        offered = self._recovery.offered(self.domain.actions)
        possible = {each.name: each.label for each in offered if each.possible(facts)}
        name = model_advice.next_candidate(possible)
        if name is None:
            return None
        intent = self._carry_out(self._bound[name], IntentSource.ADVICE, percept)
        if intent is None:
            model_advice.ended(name, "there was nothing to do")
        return intent

    def _question_context(self, percept: Percept, facts: Facts) -> QuestionContext:
        actions = self._recovery.offered(self.domain.actions)

        return QuestionContext(
            percept=percept,
            facts=facts,
            goals=self.open_goals(facts),
            actions=actions,
            failed=self._failures,
            # What is only asked about is not counted as a decision that memory changed.
            plan_for=lambda goal: self._plan_to(goal, facts),
            is_reached=lambda name: self._goals[name].reached(facts),
            goals_by_rules=lambda: self._rank(facts, {}),
        )

    def _carry_out(
        self, bound: BoundAction, source: IntentSource, percept: Percept
    ) -> Intent | None:
        """Begin an action outside any plan; None when it has nothing to do."""
        skill_run = SkillRun(bound.begin(percept.state))
        intent = self._intend(source, bound.action.name, bound.action.label, skill_run, percept)
        return intent if intent.skill_run.outcome is Outcome.RUNNING else None

    @hookable
    def pursue(self, goal: Goal, percept: Percept) -> ActiveGoal:
        """Make another goal the active one."""
        self._active_goal = ActiveGoal(goal, self._begun.setdefault(goal.name, percept.tick))
        return self._active_goal

    @hookable
    def reach(self, active_goal: ActiveGoal, percept: Percept) -> ActiveGoal:
        """Close a goal that facts show reached."""
        if self._active_goal is not None and self._active_goal.goal is active_goal.goal:
            self._active_goal = None
        return active_goal

    def _next(self, percept: Percept, facts: Facts) -> Intent:
        goals = self.open_goals(facts)
        if not goals:
            self._active_goal = self._last_action = None
            return self._idle(percept, self.no_plan(goals), LEISURE)
        chosen = self.plan_for(goals, facts)
        goal = chosen.goal if chosen is not None else goals[0]
        if self._active_goal is None or goal is not self._active_goal.goal:
            self.pursue(goal, percept)
        if chosen is None:
            self._recovery.no_plan()
            return self._ask_now(goal, percept, facts) or self._idle(percept, self.no_plan(goals))
        self._plan = chosen
        return self._begin(chosen, percept, facts)

    def _ask_now(self, goal: Goal, percept: Percept, facts: Facts) -> Intent | None:
        """Ask for advice when no plan is known, and begin the first advised action at once."""
        if self._model_advice is None or not percept.state.in_control:
            return None
        about = f"{goal.name} on map {percept.place.map_id}"
        if self._model_advice.ask(percept.tick, Purpose.NO_PLAN, about):
            self._ranked = None
            return self._advised(percept, facts)
        return None

    @hookable
    def plan_for(self, goals: Sequence[Goal], facts: Facts) -> Plan | None:
        """Return the plan for the first of `goals` that has one; the current plan is kept while valid."""
        kept = self._plan if self._plan is not None and self._plan.stands(facts) else None
        offered = self._recovery.offered(self.domain.actions)
        find = self._costs.search(offered, self._failures, self._here)
        for goal in goals:
            found = kept if kept is not None and kept.goal is goal else find(goal, facts)
            if found is not None:
                return self._with_note(found)
        return None

    def _with_note(self, chosen: Plan) -> Plan:
        """Return a plan with the note that memory has on its first action, if any."""
        note = self._bound[chosen.actions[0].name].note
        words = note(self._here) if note is not None and self._here is not None else ""
        return with_note(chosen, words) if words else chosen

    @staticmethod
    def no_plan(goals: Sequence[Goal]) -> str:
        """Return the reason for waiting when none of `goals` has a plan."""
        return f"no plan is known to {goals[0].label}" if goals else "every goal is reached"

    def _close(self, percept: Percept, facts: Facts) -> None:
        """Close begun goals that are reached now, also if an action for another goal reached them."""
        for name in tuple(self._begun):
            goal = self._goals[name]
            if goal.reached(facts):
                active_goal = ActiveGoal(goal, self._begun.pop(name))
                if self._recall.objective_status(name) != "completed":
                    self.reach(active_goal, percept)  # otherwise its last action already closed it

    def _begin(self, chosen: Plan, percept: Percept, facts: Facts) -> Intent:
        action = chosen.actions[0]
        if action.name == self._last_action:
            # Facts outrank claims: an action planned again right after it was done had no effect.
            self._failures[action.name] += 1
            self._progress.failed(action.name, "changes nothing")
            self._last_action = None
            # The same inputs on the same frames end the same; a short wait can change the outcome.
            pause = IDLE_FRAMES + PAUSE * self._failures[action.name] % LONGEST_PAUSE
            return self._idle(percept, f"{action.label} changed nothing", pause)
        self._last_action = None
        self._progress.begun()
        skill_run = SkillRun(self._bound[action.name].begin(percept.state))
        intent = replace(
            self._intend(IntentSource.PLAN, action.name, action.label, skill_run, percept),
            plan=explain(chosen, facts),
        )
        if intent.skill_run.outcome is not Outcome.RUNNING:
            self.hooks.emit(ActionEnded(intent, intent.skill_run.outcome, percept.state))
        match intent.skill_run.outcome:
            case Outcome.RUNNING:
                return intent
            case Outcome.DONE:
                self._done(intent)  # nothing to do, as when the player stands on the target square
                if self._bound[action.name].at_once:
                    return self._next(percept, after(facts, action.effects))
            case _:
                # The first time it may be the moment, as when a door has just been passed.
                self._failed(intent, is_setback=self._failures[action.name] > 0)
        return self._idle(percept, f"{action.label} ended before it began")

    def _done(self, intent: Intent) -> None:
        """Continue with the rest of the plan; the next facts show whether the action had its effect."""
        if intent.source is IntentSource.PLAN and self._plan is not None:
            self._plan = self._plan.rest()
            self._last_action = intent.name

    def _failed(self, intent: Intent, *, is_setback: bool = True) -> None:
        """Raise the cost of the failed action, lower the priority of its goal after a setback, and plan again."""
        self._plan = None
        if intent.source is not IntentSource.PLAN:
            return
        self._progress.failed(intent.name)
        self._failures[intent.name] += 1
        if intent.active_goal is not None and is_setback:
            goal = intent.active_goal.goal.name
            self._setbacks[goal] += 1
            if self._model_advice is not None:
                self._model_advice.note_failure(goal, self._setbacks[goal])
            self._ranked = None

    def _idle(self, percept: Percept, why: str, frames: int = IDLE_FRAMES) -> Intent:
        return self._intend(IntentSource.IDLE, "wait", why, SkillRun(once(wait(frames))), percept)

    def _intend(
        self, source: IntentSource, name: str, why: str, skill_run: SkillRun, percept: Percept
    ) -> Intent:
        confidence = 1 / (1 + self._failures[name])
        return Intent(source, name, why, self._active_goal, skill_run, percept.state, confidence)
