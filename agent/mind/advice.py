"""Advice from a model where rules find no answer: when to ask, about what, and how long advice lasts.

Advised goals gain priority, but never above the needs of the team. Advised actions are tried in
order, each once. Texts and names of the cartridge are quoted behind a bar, so that the model cannot
take them for instructions.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from agent.advisor.port import Advice, Advisor, NoAnswer, Option, Purpose, Question
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

REST: Final = 300  # ticks before the same question is asked again
LASTS: Final = 500  # ticks for which advice is valid
LIFTS: Final = (10, 6, 3)  # priority gained by the first goals of an answer
# The highest priority that the first advised goal can reach: healing stays above it.
NEEDS: Final = 54
SURE: Final = 0.3  # an answer of lower confidence is recorded but not followed
MOST: Final = 20  # candidates offered
FAILED: Final = 2  # failures of a goal after which advice is requested
LOOKS: Final = 3  # ticks to wait for a picture
TRIED: Final = frozenset({Purpose.NO_PLAN, Purpose.PLAN_FAILED, Purpose.STUCK})
AROUND_X: Final = 8  # squares to either side that are level_map
AROUND_Y: Final = 6
MOST_FAILURES: Final = 8
MOST_FACTS: Final = 60
MOST_ROWS: Final = 18  # of a screen
WIDEST: Final = 60  # characters of a row; some of the twenty tiles decode to several
LEGEND: Final = "@ you, . floor, # wall, D door or stairs, P person, ! sign"


@dataclass(frozen=True, slots=True)
class QuestionAnswered:
    """A question was asked and answered."""

    question: Question
    answer: Advice | NoAnswer


class QuestionContext(NamedTuple):
    """The situation a question is about: percept, facts, open goals, possible actions.

    `failed` counts failures by action; `plan` is the last plan followed, in words; `plan_for` searches for a plan.
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
    """Returns the current `QuestionContext` when called; the mind sets `look` at each decision."""

    look: Callable[[], QuestionContext] | None = None

    def __call__(self) -> QuestionContext:
        """Return the current context; raises RuntimeError before the first decision."""
        if self.look is None:
            raise RuntimeError("no context yet: let the mind decide once before asking a question")
        return self.look()


Describe = Callable[[Purpose, QuestionContext, str], str]  # the context and the event, in words


class ModelAdvice(SavedAttributes):
    """Asks `advisor`, and holds the questions due and the current advice; part of a checkpoint.

    `every` is the interval of routine questions in ticks, 0 for never. Questions are about the context `now`.
    """

    SAVED = ("_due", "_asked", "advised_goals", "_candidates", "_until", "_routine", "_milestone")

    def __init__(
        self, advisor: Advisor, describe: Describe, now: CurrentMoment, hooks: Hooks, every: int = 0
    ) -> None:
        self.hooks = hooks
        self.now = now
        self._advisor = advisor
        self._describe = describe
        self._every = every
        self._due: dict[str, str] = {}  # questions due: the subject by purpose
        self._asked: dict[str, int] = {}  # the tick each question was last asked
        self.advised_goals: dict[str, int] = {}  # the rank of each advised goal, by name
        self._candidates: list[str] = []
        self._until = 0
        self._routine = every
        self._milestone = ""
        self.wants_picture = 0  # ticks left to wait for a picture before asking without one

    def reached(self, milestone: str) -> None:
        """Record a milestone, which makes a question about the next goals due."""
        self._milestone = milestone
        self._due[Purpose.MILESTONE.value] = milestone

    def note_failure(self, goal: str, times: int) -> None:
        """Record a failure for a goal, and drop the advice on that goal."""
        self.advised_goals.pop(goal, None)
        if times >= FAILED:
            self._due[Purpose.PLAN_FAILED.value] = goal

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
        changed = self._expire(tick)
        if self._every and tick >= self._routine:
            self._routine = tick + self._every
            self._due.setdefault(Purpose.ROUTINE.value, "")
        if not self._due:
            return changed
        purpose = next(each for each in Purpose if each.value in self._due)
        return self.ask(tick, purpose, self._due.pop(purpose.value)) or changed

    def ask(self, tick: int, purpose: Purpose, about: str) -> bool:
        """Ask now, unless the same was asked recently; return whether there is advice to follow."""
        key = _key(purpose, about)
        if purpose is not Purpose.ROUTINE and tick < self._asked.get(key, -REST) + REST:
            return False
        self._asked = {each: when for each, when in self._asked.items() if when + REST > tick}
        self._asked[key] = tick
        candidates = _candidates(self.now()) if purpose in TRIED else ()
        answer = self._answer(purpose, about, candidates)
        if answer is None:
            return False
        self.advised_goals = {name: rank for rank, name in enumerate(answer.goals[: len(LIFTS)])}
        self._candidates = list(answer.candidates)
        self._until = tick + LASTS
        return bool(self.advised_goals or self._candidates)

    def choose(self, about: str, ways: Mapping[int, str]) -> int | None:
        """Return which of several alternatives, by number with a label, was advised; None without advice."""
        options = {str(way): Option(str(way), label) for way, label in ways.items()}
        answer = self._answer(Purpose.CHOICE, about, tuple(options.values()))
        return int(answer.candidates[0]) if answer is not None and answer.candidates else None

    def next_candidate(self, possible: Collection[str]) -> str | None:
        """Return the next advised action that is possible; each is returned once."""
        while self._candidates:
            name = self._candidates.pop(0)
            if name in possible:
                return name
        return None

    def _answer(
        self, purpose: Purpose, about: str, candidates: tuple[Option, ...]
    ) -> Advice | None:
        """Return an answer that is confident enough to follow, or None."""
        moment = self.now()
        reading = moment.percept.reading
        question = Question(
            purpose=purpose,
            tick=moment.percept.tick,
            game_s=moment.percept.state.frame / FRAMES_PER_SECOND,
            situation=self._describe(purpose, moment, about),
            goals=tuple(Option(each.name, each.label) for each in moment.goals),
            candidates=candidates,
            milestone=self._milestone,
            picture=reading.screen.png()
            if reading is not None and purpose is Purpose.STUCK
            else b"",
        )
        answer = self._advisor.ask(question)
        self.hooks.emit(QuestionAnswered(question, answer))
        return None if isinstance(answer, NoAnswer) or answer.confidence < SURE else answer

    def _expire(self, tick: int) -> bool:
        if tick < self._until or not (self.advised_goals or self._candidates):
            return False
        self.advised_goals.clear()
        self._candidates.clear()
        return True


def _key(purpose: Purpose, about: str) -> str:
    return f"{purpose.value}:{about}"


def _candidates(moment: QuestionContext) -> tuple[Option, ...]:
    """Return the actions that are possible now and would change a fact."""
    useful = [
        each
        for each in moment.actions
        if each.possible(moment.facts) and each.changes(moment.facts)
    ]
    return tuple(Option(each.name, each.label) for each in useful[:MOST])


@dataclass(frozen=True, slots=True)
class SituationDescriber:
    """Describes situations of one game in words, for questions to a model."""

    story: Story
    terrain: Terrain
    dex: Dex
    ledger: MilestoneLedger

    def __call__(self, purpose: Purpose, moment: QuestionContext, about: str) -> str:
        """Return the situation in words; `about` is the event that caused the question."""
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
        yield _section("On the screen", screen_rows(percept.text))

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
        """Yield a line for each Pokemon of the team."""
        for mon in state.party.mons if state.game_started else ():
            kind = self.dex.all_species.get(mon.species)
            name = kind.name if kind is not None else f"species {mon.species}"
            moves = self.dex.all_moves
            known = [
                f"{moves[slot.move].name if slot.move in moves else slot.move} {slot.pp} PP"
                for slot in mon.moves
            ]
            hp = f"{mon.hp} of {mon.stats.hp} HP"
            yield quoted(f"{name} level {mon.level}, {hp}, {', '.join(known)}")

    def bag(self, state: State) -> Iterator[str]:
        """Yield a line for each stack of items in the bag."""
        for stack in state.bag.items if state.game_started else ():
            yield quoted(f"{self.dex.item_name(stack.item)} x {stack.quantity}")

    def around(self, state: State) -> Iterator[str]:
        """Yield the rows of the map around the player, one character a square."""
        here = state.map
        if not state.game_started or here.map_id not in self.terrain.plain.map_ids:
            return
        level_map = self.terrain.world(state).map(here.map_id)
        symbols = {(each.x, each.y): "!" for each in level_map.header.signs}
        symbols |= {(each.x, each.y): "D" for each in level_map.warps}
        symbols |= {each.position: "P" for each in state.people if each.on_screen}
        symbols[here.position] = "@"
        for y in range(here.y - AROUND_Y, here.y + AROUND_Y + 1):
            columns = range(here.x - AROUND_X, here.x + AROUND_X + 1)
            yield "| " + "".join(symbols.get((x, y)) or _ground(level_map, x, y) for x in columns)


def _ground(level_map: GameMap, x: int, y: int) -> str:
    if not level_map.contains(x, y):
        return " "
    return "." if level_map.passable(x, y) else "#"


def _section(head: str, rows: Iterable[str]) -> str:
    """Return rows below their heading, '' without rows."""
    lines = list(rows)
    return "\n".join([f"{head}:", *lines]) if lines else ""


def screen_rows(text: str) -> Iterator[str]:
    """Yield the rows of a screen, each behind a bar, so that none can be taken for program text.

    Rows and characters beyond the size of a screen are dropped to save tokens.
    """
    for row in text.splitlines()[:MOST_ROWS]:
        yield f"| {row[:WIDEST]}"


def quoted(words: str) -> str:
    """Return text that contains cartridge names as one row behind a bar, with white space collapsed."""
    return f"| {' '.join(words.split())}"
