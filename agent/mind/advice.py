"""Advice from a model where rules find no answer: when to ask, about what, how long advice lasts, and what came of it.

Advised goals gain priority, but never above the needs of the team. Advised actions are tried in
order, each once.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agent.advisor.port import Advice, Advisor, NoAnswer, Option, Purpose, Question
from agent.experience.run_times import WayVerdict
from agent.mind.situation import TRIED, QuestionContext, SituationDescriber
from agent.planning.domain import Facts, Goal, after
from agent.planning.search import Plan
from emulator import FRAMES_PER_SECOND
from memory import Hooks
from memory.codec import SavedAttributes

REST: Final = 300  # ticks before the same question is asked again
LASTS: Final = 500  # ticks for which advice is valid
LIFTS: Final = (10, 6, 3)  # priority gained by the first goals of an answer
# The highest priority that the first advised goal can reach: healing stays above it.
NEEDS: Final = 54
SURE: Final = 0.3  # an answer of lower confidence is recorded but not followed
MOST: Final = 20  # candidates offered
MOST_PLANNED: Final = 8  # open goals that are planned for to see whether their order matters
FAILED: Final = 2  # failures of a goal after which advice is requested
LOOKS: Final = 3  # ticks to wait for a picture
NO_RESULT: Final = "no result before the next advice"


@dataclass(frozen=True, slots=True)
class QuestionAnswered:
    """A question was asked and answered."""

    question: Question
    answer: Advice | NoAnswer


@dataclass(frozen=True, slots=True)
class AdviceEnded:
    """What came of one piece of advice that was followed: what it was, the tick of the question, and the result.

    `by` is the name that the reply gave its model.
    """

    advised: str
    tick: int
    result: str
    success: bool
    by: str = ""

    def __str__(self) -> str:
        return f"you advised at tick {self.tick} to {self.advised}: {self.result}"


class CurrentMoment:
    """Returns the current `QuestionContext` when called; the mind sets `look` before it asks."""

    look: Callable[[], QuestionContext]

    def __call__(self) -> QuestionContext:
        """Return the current context."""
        return self.look()


class ModelAdvice(SavedAttributes):
    """Asks `advisor`, and holds the questions due and the current advice; part of a checkpoint.

    `every` is the interval of routine questions in ticks, 0 for never. Questions are about the context `now`.
    """

    SAVED = (
        "_due", "_asked", "advised_goals", "_candidates", "_until", "_routine", "_milestone",
        "_pending", "_results", "_learnt", "_by",
    )  # fmt: skip

    def __init__(
        self,
        advisor: Advisor,
        describer: SituationDescriber,
        now: CurrentMoment,
        hooks: Hooks,
        every: int = 0,
    ) -> None:
        self.hooks = hooks
        self.now = now
        self._advisor = advisor
        self._describer = describer
        self._every = every
        self._due: dict[str, str] = {}  # questions due: the subject by purpose
        self._asked: dict[str, int] = {}  # the tick each question was last asked
        self.advised_goals: dict[str, int] = {}  # the rank of each advised goal, by name
        self._candidates: list[str] = []
        self._by = ""  # the model that advised the candidates
        self._until = 0
        self._routine = every
        self._milestone = ""
        # Advice without a result: by the name of the goal or action, the tick of the question, the words and the model.
        self._pending: dict[str, tuple[int, str, str]] = {}
        self._results: list[str] = []  # of advice, to be said with the next question
        self._learnt = ""  # what earlier games taught, in the last question
        # Asks about choices of the game that matter now, and returns whether one was changed.
        self.settle_choices: Callable[[], bool] = lambda: False
        self.wants_picture = 0  # ticks left to wait for a picture before asking without one

    def restore(self, data: Mapping[str, Any]) -> None:
        """Take over what `to_json` returned; a checkpoint of an older version names no model."""
        super().restore({"by": "", **data})
        self._pending = {name: (*each, "")[:3] for name, each in self._pending.items()}

    def reached(self, milestone: str) -> None:
        """Record a milestone, which makes a question about the next goals due."""
        self._milestone = milestone
        self._due[Purpose.MILESTONE.value] = milestone

    def note_failure(self, goal: str, times: int) -> None:
        """Record a failure for a goal, and drop the advice on that goal."""
        if self.advised_goals.pop(goal, None) is not None:
            self.ended(goal, "a plan for it failed")
        if times >= FAILED:
            self._due[Purpose.PLAN_FAILED.value] = goal

    def ended(self, name: str, result: str, *, success: bool = False) -> None:
        """Report what came of a piece of advice; nothing for one that has a result already."""
        if name in self._pending:
            (at, words, by), tick = self._pending.pop(name), self.now().percept.tick
            ended = AdviceEnded(words, at, f"{result} after {tick - at} ticks", success, by)
            self._results.append(str(ended))
            self.hooks.emit(ended)

    def stuck(self, reason: str) -> None:
        """Make a question about being stuck due, even if it was asked recently; it needs a picture."""
        self._due[Purpose.STUCK.value] = reason
        self.wants_picture = LOOKS
        self._asked.pop(_key(Purpose.STUCK, reason), None)

    def lift(self, goal: Goal) -> int:
        """Return the priority a goal gains by advice."""
        rank = self.advised_goals.get(goal.name)
        if rank is None:
            return 0
        return max(min(LIFTS[rank], NEEDS - rank - goal.priority), 0)

    def ask_if_due(self, tick: int) -> bool:
        """Ask the most urgent question that is due; return whether advice was gained or has expired."""
        self._close_reached()
        changed = self._expire(tick)
        if self._every and tick >= self._routine:
            self._routine = tick + self._every
            self._due.setdefault(Purpose.ROUTINE.value, "")
        if not self._due:
            return changed
        purpose = next(each for each in Purpose if each.value in self._due)
        return self.ask(tick, purpose, self._due.pop(purpose.value)) or changed

    def ask(self, tick: int, purpose: Purpose, about: str) -> bool:
        """Ask now, unless the same was asked recently or no answer could change anything; return whether there is advice."""
        key = _key(purpose, about)
        if purpose is not Purpose.ROUTINE and tick < self._asked.get(key, -REST) + REST:
            return False
        moment = self.now()
        goals = _alternatives(moment) if purpose is Purpose.MILESTONE else moment.goals
        options = self._options(moment) if purpose in TRIED else ()
        # Without a plan for any goal, their order changes nothing.
        if len(options) < 2 and (purpose is Purpose.NO_PLAN or len(goals) < 2):
            return False
        self._asked = {each: when for each, when in self._asked.items() if when + REST > tick}
        self._asked[key] = tick
        by_rules = _by_rules(moment, {each.name for each in goals})
        answer = self._answer(purpose, about, options, by_rules, goals=goals)
        if answer is None:
            return False
        for name in tuple(self._pending):
            self.ended(name, NO_RESULT)
        self.advised_goals = {name: rank for rank, name in enumerate(answer.goals[: len(LIFTS)])}
        labels = {each.name: each.label for each in moment.goals}
        for name in answer.goals[:1]:  # the others only follow it
            self._pending[name] = tick, labels[name], answer.by
        self._by = answer.by
        self._candidates = list(answer.candidates)
        self._until = tick + LASTS
        return bool(self.advised_goals or self._candidates)

    def choose(
        self, about: str, ways: Mapping[int, str], known: Mapping[int, WayVerdict], taken: int
    ) -> int | None:
        """Return which of several alternatives, by number with a label, was advised; None without advice.

        What is `known` stands beside each; one that takes clearly longer than another is not offered. `taken` is the one
        that is taken without advice.
        """
        labels = {way: f"{ways[way]}; memory: {known[way].words}" for way in known}
        offered = {
            way: label for way, label in ways.items() if way not in known or not known[way].is_worse
        }
        if len(offered) < 2:
            return None
        options = tuple(Option(str(way), labels.get(way, label)) for way, label in offered.items())
        excluded = [f"not offered: {labels[way]}" for way in known if way not in offered]
        answer = self._answer(Purpose.CHOICE, about, options, (str(taken),), known=excluded)
        if answer is None or not answer.candidates:
            return None
        way = answer.candidates[0]
        self._pending[way] = self.now().percept.tick, f"{about}, {ways[int(way)]}", answer.by
        self.ended(way, "taken", success=True)
        return int(way)

    def next_candidate(self, possible: Mapping[str, str]) -> str | None:
        """Return the next advised action of those that are possible, by name with their labels; each is returned once."""
        while self._candidates:
            name = self._candidates.pop(0)
            if name in possible:
                self._pending[name] = self._until - LASTS, possible[name], self._by
                return name
        return None

    def _options(self, moment: QuestionContext) -> tuple[Option, ...]:
        """Return the actions that are possible now and would change a fact, each with what is known against it."""
        facts = moment.facts
        useful = [each for each in moment.actions if each.possible(facts) and each.changes(facts)]
        notes = [self._describer.verdict(moment, each) for each in useful[:MOST]]
        return tuple(
            Option(each.name, f"{each.label} ({note})" if note else each.label)
            for each, note in zip(useful, notes, strict=False)
        )

    def _answer(
        self,
        purpose: Purpose,
        about: str,
        candidates: tuple[Option, ...],
        by_rules: tuple[str, ...],
        *,
        goals: Sequence[Goal] = (),
        known: Sequence[str] = (),
    ) -> Advice | None:
        """Return an answer that is confident enough to follow, or None."""
        moment = self.now()
        reading, tick = moment.percept.reading, moment.percept.tick
        waiting = [
            str(AdviceEnded(words, at, f"no result yet, after {tick - at} ticks", success=False))
            for at, words, _ in self._pending.values()
        ]
        learnt = self._describer.learnt(purpose, moment, known)
        question = Question(
            purpose=purpose,
            tick=tick,
            game_s=moment.percept.state.frame / FRAMES_PER_SECOND,
            situation=self._describer.describe(purpose, moment, (*self._results, *waiting)),
            goals=tuple(Option(each.name, each.label) for each in goals),
            candidates=candidates,
            milestone=self._milestone,
            picture=reading.screen.png() if reading and purpose is Purpose.STUCK else b"",
            about=about,
            learnt=learnt if learnt != self._learnt else "",  # the last question said it already
            by_rules=by_rules,
        )
        answer = self._advisor.ask(question)
        if isinstance(answer, Advice):
            self._results, self._learnt = [], learnt
        self.hooks.emit(QuestionAnswered(question, answer))
        return None if isinstance(answer, NoAnswer) or answer.confidence < SURE else answer

    def _close_reached(self) -> None:
        """Note the advised goals that are reached."""
        for name in tuple(self.advised_goals) if self._pending else ():
            if name in self._pending and self.now().is_reached(name):
                self.ended(name, "reached", success=True)

    def _expire(self, tick: int) -> bool:
        if tick < self._until or not (self.advised_goals or self._candidates):
            return False
        for name in self.advised_goals:
            self.ended(name, "not reached")
        self.advised_goals.clear()
        self._candidates.clear()
        return True


def _by_rules(moment: QuestionContext, offered: Collection[str]) -> tuple[str, ...]:
    """Return the goal that rules alone would pursue, and their next action; () without a plan, or if it is not offered."""
    plan = next(filter(None, map(moment.plan_for, moment.goals_by_rules())), None)
    is_offered = plan is not None and plan.goal.name in offered
    return (plan.goal.name, plan.actions[0].name) if plan is not None and is_offered else ()


def _key(purpose: Purpose, about: str) -> str:
    return f"{purpose.value}:{about}"


def _alternatives(moment: QuestionContext) -> list[Goal]:
    """Return the goals that can be pursued in any order: each has a plan now that leads through none of the others."""
    found = [(goal, moment.plan_for(goal)) for goal in moment.goals[:MOST_PLANNED]]
    plans = [plan for _, plan in found if plan is not None]
    return [plan.goal for plan in plans if not _leads_through(plan, plans, moment.facts)]


def _leads_through(plan: Plan, plans: Collection[Plan], facts: Facts) -> bool:
    """Return whether another one of `plans` comes to its last action on the way of `plan`, or is done by it."""
    others = [each for each in plans if each is not plan and not each.actions[-1].possible(facts)]
    for action in plan.actions:
        facts = after(facts, action.effects)
        if any(each.actions[-1].possible(facts) or each.goal.reached(facts) for each in others):
            return True
    return False
