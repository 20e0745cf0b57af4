"""Playing the model: plan, carry out the next action, sense, and again, until the Hall of Fame."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from agent.planning import Action, Facts, Plan, plan
from agent.storyworld.atlas import Fact
from agent.storyworld.carrying import Model, Refused
from agent.storyworld.moment import Moment
from agent.storyworld.sensing import sense
from agent.storyworld.thinker import Thinker

FAME: Final = Fact("fame", 1)
LAST: Final = "task:beat_champion"
MOST_ACTIONS: Final = 1_500


class End(Enum):
    """How a game ended."""

    FAME = "the Hall of Fame"
    NO_PLAN = "no plan is known"
    REFUSED = "the world refused an action"
    TOO_LONG = "it did not come to an end"


@dataclass(slots=True)
class Game:
    """One game in the model: the moment it is at, and what was done so far."""

    model: Model
    thinker: Thinker
    moment: Moment
    done: list[Action] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)
    end: End | None = None
    why: str = ""
    _plan: Plan | None = None

    def play(self, watch: Callable[["Game"], None] = lambda _game: None) -> End:
        """Play to the end, and return which it was; `watch` is shown the game after every action."""
        while self.end is None:
            self._step()
            watch(self)
        return self.end

    def after(self, actions: int) -> Moment:
        """Return the moment when as many actions are done, or when the game is over before."""
        while self.end is None and len(self.done) < actions and not self._is_last():
            self._step()
        return self.moment

    def _is_last(self) -> bool:
        return self._plan is not None and any(each.name == LAST for each in self._plan.actions[:1])

    def facts(self) -> Facts:
        """Return what the sensors would tell now."""
        return sense(self.model, self.thinker.domain, self.moment)

    def _step(self) -> None:
        facts = self.facts()
        chosen = self._chosen(facts)
        if self.moment.holds(FAME):
            self.end = End.FAME
        elif chosen is None:
            self.end, self.why = End.NO_PLAN, f"at {self.moment.region}"
        elif len(self.done) >= MOST_ACTIONS:
            self.end, self.why = End.TOO_LONG, chosen.goal.says
        else:
            self._carry_out(chosen)

    def _carry_out(self, chosen: Plan) -> None:
        action = chosen.actions[0]
        try:
            self.moment = self.model.carry_out(action, self.moment)
        except Refused as refusal:
            self.end, self.why = End.REFUSED, f"{action.name} for {chosen.goal.name!r}: {refusal}"
            return
        self.done.append(action)
        self._plan = chosen.rest()

    def _chosen(self, facts: Facts) -> Plan | None:
        """Return the plan for the first open goal that has one; the plan under way is kept while it stands."""
        kept = (
            self._plan
            if self._plan is not None and self._plan.actions and self._plan.stands(facts)
            else None
        )
        for goal in self.thinker.domain.open_goals(facts):
            if kept is not None and kept.goal is goal:
                return kept
            found = plan(goal, facts, self.thinker.domain.actions)
            if found is not None and found.actions:
                self.plans.append(found)
                return found
        return None
