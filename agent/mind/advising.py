"""Asking for advice where rules run out, and keeping to it while it lasts. Rules alone decide everything else.

Goals that were advised become somewhat more urgent, never more so than what the team needs; candidates are tried
in the order of the answer, each once. What an answer notes is a claim, and nothing here counts on it.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from agent.advisor import Advice, Advisor, Option, Purpose, Question, Silent
from agent.perception import Percept
from agent.planning import Action, Facts, Goal
from emulator import FRAMES_PER_SECOND
from memory import Hooks, Json, hookable

REST: Final = 300  # ticks before the same is asked again
LASTS: Final = 500  # ticks that advice counts
LIFTS: Final = (10, 6, 3)  # priority that the first goals of an answer gain
NEEDS: Final = (
    54  # the highest priority that advice lifts the first goal to: what heals comes before
)
SURE: Final = 0.3  # the confidence below which an answer is only noted
MOST: Final = 20  # candidates offered
FAILED: Final = 2  # setbacks of a goal after which advice is asked
LOOKS: Final = 3  # ticks that one waits for a picture
TRIED: Final = frozenset({Purpose.NO_PLAN, Purpose.PLAN_FAILED, Purpose.STUCK})


class Moment(NamedTuple):
    """What a question is asked about: what is seen and true, what is wanted, what could be done.

    `failed` counts failures by action; `plan` is the plan that was followed last, in words.
    """

    percept: Percept
    facts: Facts
    goals: Sequence[Goal]
    actions: Sequence[Action]
    failed: Counter[str]
    plan: str


Describe = Callable[[Purpose, Moment, str], str]  # the moment and what happened, in words


class Advising:
    """Asks `advisor`, and holds what is due to be asked and what was answered; part of a checkpoint.

    `every` is after how many ticks one asks without need, 0 for never. `look` returns the moment that is asked about;
    the mind keeps it up to date.
    """

    def __init__(
        self,
        advisor: Advisor,
        describe: Describe,
        hooks: Hooks,
        every: int = 0,
    ) -> None:
        self.hooks = hooks
        self._advisor = advisor
        self._describe = describe
        self._every = every
        self._due: dict[
            Purpose, str
        ] = {}  # what is asked when play can spare a moment, and about what
        self._asked: dict[str, int] = {}  # when each thing was asked last
        self._lifted: dict[str, int] = {}  # goals by name, and how high in the answer they stood
        self._candidates: list[str] = []
        self._until = 0
        self._routine = every
        self._milestone = ""
        self.wants_picture = 0  # for so many ticks, before one asks without
        self.look: Callable[[], Moment] = _blind

    def reached(self, milestone: str) -> None:
        """Take note of a milestone: a moment to think about what comes next."""
        self._milestone = milestone
        self._due[Purpose.MILESTONE] = milestone

    def set_back(self, goal: str, times: int) -> None:
        """Take note of a failure on the way to a goal; what was advised of it is dropped."""
        self._lifted.pop(goal, None)
        if times >= FAILED:
            self._due[Purpose.PLAN_FAILED] = goal

    def stuck(self, reason: str) -> None:
        """Ask as soon as play can spare a moment, however lately one asked; words did not help, so a picture is wanted."""
        self._due[Purpose.STUCK] = reason
        self.wants_picture = LOOKS
        self._asked.pop(_key(Purpose.STUCK, reason), None)

    @property
    def lifted(self) -> bool:
        """Whether any goal gains by advice."""
        return bool(self._lifted)

    def lift(self, goal: Goal) -> int:
        """Return how much priority a goal gains by advice."""
        rank = self._lifted.get(goal.name)
        if rank is None:
            return 0
        return max(min(LIFTS[rank], NEEDS - rank - goal.priority), 0)

    def consult(self, tick: int) -> bool:
        """Ask the most pressing question that is due; return whether goals were lifted or let go by it."""
        changed = self._expire(tick)
        if self._every and tick >= self._routine:
            self._routine = tick + self._every
            self._due.setdefault(Purpose.ROUTINE, "")
        if not self._due:
            return changed
        purpose = next(each for each in Purpose if each in self._due)
        return self.ask(tick, purpose, self._due.pop(purpose)) or changed

    def ask(self, tick: int, purpose: Purpose, about: str) -> bool:
        """Ask now, unless the same was asked lately; return whether there is an answer to keep to."""
        key = _key(purpose, about)
        if purpose is not Purpose.ROUTINE and tick < self._asked.get(key, -REST) + REST:
            return False
        self._asked = {each: when for each, when in self._asked.items() if when + REST > tick}
        self._asked[key] = tick
        candidates = _candidates(self.look()) if purpose in TRIED else ()
        answer = self._answer(purpose, about, candidates)
        if answer is None:
            return False
        self._lifted = {name: rank for rank, name in enumerate(answer.goals[: len(LIFTS)])}
        self._candidates = list(answer.candidates)
        self._until = tick + LASTS
        return bool(self._lifted or self._candidates)

    def choose(self, about: str, ways: Mapping[int, str]) -> int | None:
        """Return which of several ways, each with its words, was advised; None where rules choose."""
        options = {str(way): Option(str(way), says) for way, says in ways.items()}
        answer = self._answer(Purpose.CHOICE, about, tuple(options.values()))
        return int(answer.candidates[0]) if answer is not None and answer.candidates else None

    def next_candidate(self, can_be: Callable[[str], bool]) -> str | None:
        """Return the next thing to try that can be done; each is tried once."""
        while self._candidates:
            name = self._candidates.pop(0)
            if can_be(name):
                return name
        return None

    @hookable
    def answered(self, question: Question, answer: Advice | Silent) -> Advice | Silent:
        """Say what was asked, and what came of it."""
        return answer

    def to_json(self) -> dict[str, Json]:
        """Return what a checkpoint keeps of it."""
        return {
            "due": {purpose.value: about for purpose, about in self._due.items()},
            "asked": dict(self._asked),
            "lifted": dict(self._lifted),
            "candidates": list(self._candidates),
            "until": self._until,
            "routine": self._routine,
            "milestone": self._milestone,
        }

    def restore(self, data: Mapping[str, Any]) -> None:
        """Take over what `to_json` returned."""
        self._due = {Purpose(purpose): about for purpose, about in data["due"].items()}
        self._asked, self._lifted = dict(data["asked"]), dict(data["lifted"])
        self._candidates, self._until = list(data["candidates"]), data["until"]
        self._routine, self._milestone = data["routine"], data["milestone"]

    def _answer(
        self, purpose: Purpose, about: str, candidates: tuple[Option, ...]
    ) -> Advice | None:
        """Return an answer that is worth keeping to, or None."""
        moment = self.look()
        question = Question(
            purpose=purpose,
            tick=moment.percept.tick,
            game_s=moment.percept.state.frame / FRAMES_PER_SECOND,
            situation=self._describe(purpose, moment, about),
            goals=tuple(Option(each.name, each.says) for each in moment.goals),
            candidates=candidates,
            milestone=self._milestone,
            picture=_picture(moment.percept) if purpose is Purpose.STUCK else b"",
        )
        answer = self._advisor.ask(question)
        self.answered(question, answer)
        return None if isinstance(answer, Silent) or answer.confidence < SURE else answer

    def _expire(self, tick: int) -> bool:
        if tick < self._until or not (self._lifted or self._candidates):
            return False
        self._lifted.clear()
        self._candidates.clear()
        return True


def _picture(percept: Percept) -> bytes:
    """Return the frame of a moment as a PNG, b"" where none was drawn."""
    return percept.sight.screen.png() if percept.sight is not None else b""


def _blind() -> Moment:
    raise RuntimeError("nothing was looked at yet: the mind decides before anybody asks")


def _key(purpose: Purpose, about: str) -> str:
    return f"{purpose.value}:{about}"


def _candidates(moment: Moment) -> tuple[Option, ...]:
    """Return what could be done at once, and would change something."""
    could = [
        each
        for each in moment.actions
        if each.possible(moment.facts) and each.changes(moment.facts)
    ]
    return tuple(Option(each.name, each.says) for each in could[:MOST])
