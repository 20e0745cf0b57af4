"""Asking a model for advice where rules run out: when, about what, and for how long it counts.

Advised goals become more urgent, never more so than what the team needs. Advised actions are tried
in order, each once. Texts and names of the cartridge are quoted behind a bar, so that none is taken
for an instruction.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from agent.advisor.port import Advice, Advisor, Option, Purpose, Question, Silent
from agent.perception.percept import Percept
from agent.planning.domain import Action, Facts, Goal
from agent.planning.search import Plan
from agent.skills import Terrain
from agent.story.milestones import MilestoneLedger
from agent.story.story import Story
from emulator import FRAMES_PER_SECOND, Dex, GameMap, State
from memory import Hooks
from memory.codec import SavedAttributes
from memory.conversation.situation_format import Failure, Situation, situation

REST: Final = 300  # ticks before the same is asked again
LASTS: Final = 500  # ticks that advice counts
LIFTS: Final = (10, 6, 3)  # priority that the first goals of an answer gain
# The highest priority that advice lifts the first goal to: what heals comes before.
NEEDS: Final = 54
SURE: Final = 0.3  # the confidence below which an answer is only noted
MOST: Final = 20  # candidates offered
FAILED: Final = 2  # setbacks of a goal after which advice is asked
LOOKS: Final = 3  # ticks that one waits for a picture
TRIED: Final = frozenset({Purpose.NO_PLAN, Purpose.PLAN_FAILED, Purpose.STUCK})
AROUND_X: Final = 8  # squares to either side that are drawn
AROUND_Y: Final = 6
MOST_FAILURES: Final = 8
MOST_FACTS: Final = 60
MOST_ROWS: Final = 18  # of a screen
WIDEST: Final = 60  # characters of a row; some of the twenty squares say several
LEGEND: Final = "@ you, . floor, # wall, D door or stairs, P somebody, ! sign"


@dataclass(frozen=True, slots=True)
class QuestionAnswered:
    """What was asked, and what came of it."""

    question: Question
    answer: Advice | Silent


class QuestionContext(NamedTuple):
    """What a question is asked about: what is seen and true, what is wanted, what could be done.

    `failed` counts failures by action; `plan` is the plan that was followed last, in words; `plan_for` finds one.
    """

    percept: Percept
    facts: Facts
    goals: Sequence[Goal]
    actions: Sequence[Action]
    failed: Counter[str]
    plan: str
    plan_for: Callable[[Goal], Plan | None]


@dataclass(slots=True)
class CurrentMoment:
    """Returns, when called, the moment that is asked about; the mind says at each decision how to look at it."""

    look: Callable[[], QuestionContext] | None = None

    def __call__(self) -> QuestionContext:
        """Return it."""
        if self.look is None:
            raise RuntimeError(
                "nothing was looked at yet: the mind decides before a question is asked"
            )
        return self.look()


Describe = Callable[[Purpose, QuestionContext, str], str]  # the moment and what happened, in words


class Advising(SavedAttributes):
    """Asks `advisor`, and holds what is due to be asked and what was answered; part of a checkpoint.

    `every` is after how many ticks one asks without need, 0 for never. Questions are about the moment `now`.
    """

    SAVED = ("_due", "_asked", "lifted", "_candidates", "_until", "_routine", "_milestone")

    def __init__(
        self, advisor: Advisor, describe: Describe, now: CurrentMoment, hooks: Hooks, every: int = 0
    ) -> None:
        self.hooks = hooks
        self.now = now
        self._advisor = advisor
        self._describe = describe
        self._every = every
        self._due: dict[str, str] = {}  # for what one asks when play can spare it, and about what
        self._asked: dict[str, int] = {}  # when each thing was asked last
        self.lifted: dict[str, int] = {}  # goals by name, and how high in the answer they stood
        self._candidates: list[str] = []
        self._until = 0
        self._routine = every
        self._milestone = ""
        self.wants_picture = 0  # for so many ticks, before one asks without

    def reached(self, milestone: str) -> None:
        """Take note of a milestone: a moment to think about what comes next."""
        self._milestone = milestone
        self._due[Purpose.MILESTONE.value] = milestone

    def set_back(self, goal: str, times: int) -> None:
        """Take note of a failure on the way to a goal; what was advised of it is dropped."""
        self.lifted.pop(goal, None)
        if times >= FAILED:
            self._due[Purpose.PLAN_FAILED.value] = goal

    def stuck(self, reason: str) -> None:
        """Ask as soon as play can spare a moment, however lately one asked; words did not help, so a picture is wanted."""
        self._due[Purpose.STUCK.value] = reason
        self.wants_picture = LOOKS
        self._asked.pop(_key(Purpose.STUCK, reason), None)

    def lift(self, goal: Goal) -> int:
        """Return how much priority a goal gains by advice."""
        rank = self.lifted.get(goal.name)
        if rank is None:
            return 0
        return max(min(LIFTS[rank], NEEDS - rank - goal.priority), 0)

    def consult(self, tick: int) -> bool:
        """Ask the most pressing question that is due; return whether goals were lifted or let go by it."""
        changed = self._expire(tick)
        if self._every and tick >= self._routine:
            self._routine = tick + self._every
            self._due.setdefault(Purpose.ROUTINE.value, "")
        if not self._due:
            return changed
        purpose = next(each for each in Purpose if each.value in self._due)
        return self.ask(tick, purpose, self._due.pop(purpose.value)) or changed

    def ask(self, tick: int, purpose: Purpose, about: str) -> bool:
        """Ask now, unless the same was asked lately; return whether there is an answer to keep to."""
        key = _key(purpose, about)
        if purpose is not Purpose.ROUTINE and tick < self._asked.get(key, -REST) + REST:
            return False
        self._asked = {each: when for each, when in self._asked.items() if when + REST > tick}
        self._asked[key] = tick
        candidates = _candidates(self.now()) if purpose in TRIED else ()
        answer = self._answer(purpose, about, candidates)
        if answer is None:
            return False
        self.lifted = {name: rank for rank, name in enumerate(answer.goals[: len(LIFTS)])}
        self._candidates = list(answer.candidates)
        self._until = tick + LASTS
        return bool(self.lifted or self._candidates)

    def choose(self, about: str, ways: Mapping[int, str]) -> int | None:
        """Return which of several ways, each with its words, was advised; None where rules choose."""
        options = {str(way): Option(str(way), says) for way, says in ways.items()}
        answer = self._answer(Purpose.CHOICE, about, tuple(options.values()))
        return int(answer.candidates[0]) if answer is not None and answer.candidates else None

    def next_candidate(self, possible: Collection[str]) -> str | None:
        """Return the next advised action that is possible; each is tried once."""
        while self._candidates:
            name = self._candidates.pop(0)
            if name in possible:
                return name
        return None

    def _answer(
        self, purpose: Purpose, about: str, candidates: tuple[Option, ...]
    ) -> Advice | None:
        """Return an answer that is worth keeping to, or None."""
        moment = self.now()
        sight = moment.percept.sight
        question = Question(
            purpose=purpose,
            tick=moment.percept.tick,
            game_s=moment.percept.state.frame / FRAMES_PER_SECOND,
            situation=self._describe(purpose, moment, about),
            goals=tuple(Option(each.name, each.says) for each in moment.goals),
            candidates=candidates,
            milestone=self._milestone,
            picture=sight.screen.png() if sight is not None and purpose is Purpose.STUCK else b"",
        )
        answer = self._advisor.ask(question)
        self.hooks.emit(QuestionAnswered(question, answer))
        return None if isinstance(answer, Silent) or answer.confidence < SURE else answer

    def _expire(self, tick: int) -> bool:
        if tick < self._until or not (self.lifted or self._candidates):
            return False
        self.lifted.clear()
        self._candidates.clear()
        return True


def _key(purpose: Purpose, about: str) -> str:
    return f"{purpose.value}:{about}"


def _candidates(moment: QuestionContext) -> tuple[Option, ...]:
    """Return what could be done at once, and would change something."""
    could = [
        each
        for each in moment.actions
        if each.possible(moment.facts) and each.changes(moment.facts)
    ]
    return tuple(Option(each.name, each.says) for each in could[:MOST])


@dataclass(frozen=True, slots=True)
class Describing:
    """Tells moments of one game."""

    story: Story
    terrain: Terrain
    dex: Dex
    ledger: MilestoneLedger

    def __call__(self, purpose: Purpose, moment: QuestionContext, about: str) -> str:
        """Return the moment in words; `about` is what happened that made one ask."""
        return "\n\n".join(part for part in self._parts(purpose, moment, about) if part)

    def _parts(self, purpose: Purpose, moment: QuestionContext, about: str) -> Iterator[str]:
        percept, state = moment.percept, moment.percept.state
        yield str(self._heads(purpose, moment, about))
        yield f"The plan so far:\n{moment.plan}" if moment.plan else ""
        true = [f"{name} = {value}" for name, value in sorted(moment.facts.items()) if value]
        more = f", and {len(true) - MOST_FACTS} more" if len(true) > MOST_FACTS else ""
        yield f"Facts, all others being 0: {', '.join(true[:MOST_FACTS])}{more}"
        yield _section("Team", self.team(state))
        yield _section("Bag", self.bag(state))
        yield f"Money: {state.player.money}" if state.game_started else ""
        yield _section(f"The map around ({LEGEND})", self.around(state))
        yield _section("On the screen", seen(percept.text))

    def _heads(self, purpose: Purpose, moment: QuestionContext, about: str) -> Situation:
        state = moment.percept.state
        place = f"{self.story.place_of(state)} ({state.map.x}, {state.map.y})"
        why = f"{purpose.value}: {about}" if about else purpose.value
        worst = moment.failed.most_common(MOST_FAILURES)
        return replace(
            situation(why, moment.percept.tick, state.frame / FRAMES_PER_SECOND, place),
            goal=moment.goals[0].name if moment.goals else "",
            reached=tuple(each.id for each in self.ledger.reached),
            failed=tuple(Failure(name, times) for name, times in worst),
        )

    def team(self, state: State) -> Iterator[str]:
        """Yield a line for each mon of the team."""
        for mon in state.party.mons if state.game_started else ():
            kind = self.dex.all_species.get(mon.species)
            name = kind.name if kind is not None else f"species {mon.species}"
            moves = self.dex.all_moves
            known = [
                f"{moves[slot.move].name if slot.move in moves else slot.move} {slot.pp} PP"
                for slot in mon.moves
            ]
            hp = f"{mon.hp} of {mon.stats.hp} HP"
            yield barred(f"{name} level {mon.level}, {hp}, {', '.join(known)}")

    def bag(self, state: State) -> Iterator[str]:
        """Yield a line for each kind of thing in the bag."""
        for stack in state.bag.items if state.game_started else ():
            yield barred(f"{self.dex.item_name(stack.item)} x {stack.quantity}")

    def around(self, state: State) -> Iterator[str]:
        """Yield the rows of the map around the player, one character a square."""
        here = state.map
        if not state.game_started or here.map_id not in self.terrain.plain.map_ids:
            return
        drawn = self.terrain.world(state).map(here.map_id)
        marks = {(each.x, each.y): "!" for each in drawn.header.signs}
        marks |= {(each.x, each.y): "D" for each in drawn.warps}
        marks |= {each.position: "P" for each in state.people if each.on_screen}
        marks[here.position] = "@"
        for y in range(here.y - AROUND_Y, here.y + AROUND_Y + 1):
            columns = range(here.x - AROUND_X, here.x + AROUND_X + 1)
            yield "| " + "".join(marks.get((x, y)) or _ground(drawn, x, y) for x in columns)


def _ground(drawn: GameMap, x: int, y: int) -> str:
    if not drawn.contains(x, y):
        return " "
    return "." if drawn.passable(x, y) else "#"


def _section(head: str, rows: Iterable[str]) -> str:
    """Return rows below their head, '' where there are none."""
    told = list(rows)
    return "\n".join([f"{head}:", *told]) if told else ""


def seen(text: str) -> Iterator[str]:
    """Yield the rows of a screen, each behind a bar, so that none can be taken for one of ours.

    What no screen has room for is left out: it would cost tokens, and tell nothing.
    """
    for row in text.splitlines()[:MOST_ROWS]:
        yield f"| {row[:WIDEST]}"


def barred(words: str) -> str:
    """Return words with names of the cartridge among them as one row behind a bar, however they are spelled."""
    return f"| {' '.join(words.split())}"
