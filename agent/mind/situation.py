"""The situation of a question in words: what the cartridge shows, what memory knows of it, and what the goals still need.

Texts and names of the cartridge are quoted behind a bar, so that the model cannot take them for instructions.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from agent.advisor.port import Purpose
from agent.experience.uses import Experience
from agent.perception.percept import Percept
from agent.planning.domain import Action, Facts, Goal
from agent.planning.search import Plan
from agent.skills import Terrain
from agent.story.milestones import MilestoneLedger
from agent.story.opponents import ahead, team_against
from agent.story.story import Story
from emulator import FRAMES_PER_SECOND, Dex, GameMap, State
from memory import Json
from memory.conversation import Failure, Situation, clock_words
from memory.tiers import MemoryAIIntegration, SectionName

TRIED: Final = frozenset({Purpose.NO_PLAN, Purpose.PLAN_FAILED, Purpose.STUCK})
AROUND_X: Final = 8  # squares to either side that are level_map
AROUND_Y: Final = 6
MOST_FAILURES: Final = 8
MOST_STEPS: Final = 6  # of the plan
MOST_NEEDY: Final = 4  # goals of which the needs are listed
MOST_LABEL: Final = 60  # characters of a label among the last actions
MOST_ROWS: Final = 18  # of a screen
WIDEST: Final = 60  # characters of a row; some of the twenty tiles decode to several
LEGEND: Final = "@ you, . floor, # wall, D door or stairs, P person, ! sign"
FACT_WORDS: Final = {  # by the kind of a fact: words around what it is about
    "at": "being at {}",
    "visited": "having been at {}",
    "supplied": "what {} sells",
    "ready": "a team ready for this: {}",
    "strong_against": "a Pokemon fit for this: {}",
    "reached": "this done: {}",
    "able": "a Pokemon that knows {}",
    "party": "{} of the team",
}


class QuestionContext(NamedTuple):
    """The situation a question is about: percept, facts, open goals, possible actions.

    `failed` counts failures by action; `plan_for` searches for a plan, and changes nothing; `is_reached` says whether the
    goal of a name is reached. `goals_by_rules` returns the open goals in the order that they have without advice.
    """

    percept: Percept
    facts: Facts
    goals: Sequence[Goal]
    actions: Sequence[Action]
    failed: Counter[str]
    plan_for: Callable[[Goal], Plan | None]
    is_reached: Callable[[str], bool]
    goals_by_rules: Callable[[], Sequence[Goal]]


@dataclass(frozen=True, slots=True)
class SituationDescriber:
    """Describes situations of one game in words, for questions to a model."""

    story: Story
    terrain: Terrain
    dex: Dex
    ledger: MilestoneLedger
    experience: Experience
    memory: MemoryAIIntegration

    def describe(
        self, purpose: Purpose, moment: QuestionContext, happened: Sequence[str] = ()
    ) -> str:
        """Return the situation in words; `happened` are the results of earlier advice."""
        return "\n\n".join(part for part in self._parts(purpose, moment, happened) if part)

    def learnt(self, purpose: Purpose, moment: QuestionContext, known: Sequence[str] = ()) -> str:
        """Return what earlier games taught about what is ahead, with the lines `known` first; '' if nothing."""
        return self._memory(("tactical",), purpose, moment, known)

    def verdict(self, moment: QuestionContext, action: Action) -> str:
        """Return what this game and earlier ones know against an action here; '' if nothing."""
        place = self.story.place_of(moment.percept.state)
        known, failed = self.experience.failing(place).get(action.name), moment.failed[action.name]
        words = [f"memory: {known.outcome} here"] if known is not None else []
        words += [f"failed {failed} times in this game"] if failed else []
        return "; ".join(words)

    def _parts(
        self, purpose: Purpose, moment: QuestionContext, happened: Sequence[str]
    ) -> Iterator[str]:
        state = moment.percept.state
        yield str(self._heads(moment, happened))
        yield self._plan(moment)
        if purpose in TRIED:
            yield _section("What the goals still need", self._needs(moment))
            yield self._memory(("recent_actions",), purpose, moment)
        elif purpose is not Purpose.CHOICE:
            yield self._memory(("strategic",), purpose, moment)
        yield _section("Team", self.team(state))
        yield _section("Bag", self.bag(state))
        yield f"Money: {state.player.money}" if state.game_started else ""
        if purpose in TRIED:
            yield _section(f"The map around ({LEGEND})", self.around(state))
        yield _section("On the screen", screen_rows(moment.percept.text))

    def _heads(self, moment: QuestionContext, happened: Sequence[str]) -> Situation:
        state = moment.percept.state
        place = f"{self.story.place_of(state)} ({state.map.x}, {state.map.y})"
        labels = {each.name: each.label for each in moment.actions}
        worst = moment.failed.most_common(MOST_FAILURES)
        return Situation(
            game_time=clock_words(state.frame / FRAMES_PER_SECOND),
            place=place,
            goal=moment.goals[0].label if moment.goals else "",
            reached=tuple(each.id for each in self.ledger.reached),
            happened=tuple(happened),
            failed=tuple(Failure(labels.get(name, name), times) for name, times in worst),
        )

    def _plan(self, moment: QuestionContext) -> str:
        """Return the plan that is followed from here in words, '' when there is none."""
        plan = next(filter(None, map(moment.plan_for, moment.goals)), None)
        if plan is None:
            return ""
        steps = [each.label for each in plan.actions[:MOST_STEPS]]
        left = len(plan.actions) - len(steps)
        more = f", then {left} more" if left else ""
        return _flat(f"The plan being followed, to {plan.goal.label}: {', '.join(steps)}{more}")

    def _needs(self, moment: QuestionContext) -> Iterator[str]:
        """Yield for each goal the action that is closest to reaching it, and what this one still needs."""
        for goal in moment.goals[:MOST_NEEDY]:
            missing = [each for each in goal.requires if not each.holds(moment.facts)]
            ways = [
                (sum(not need.holds(moment.facts) for need in each.requires), each.name, each)
                for each in moment.actions
                if any(map(each.helps, missing))
            ]
            if ways:
                action = min(ways, key=lambda way: way[:2])[2]
                needs = [each for each in action.requires if not each.holds(moment.facts)]
                words = ", ".join(self._fact(each.fact) for each in needs) or "nothing more"
                yield _flat(f"- {goal.label}: {action.label} needs {words}")

    def _fact(self, fact: str) -> str:
        """Return the words for a fact."""
        kind, _, name = fact.partition(":")
        known = self.story.milestones if kind == "reached" else self.story.tasks
        labels = {each.id: each.label for each in known}
        made_by = [each.label for each in self.story.tasks if fact in (each.sets, *each.gives)]
        if made_by:
            return made_by[0]
        about = labels.get(name) or (name or kind).replace("_", " ")
        return FACT_WORDS[kind].format(about) if kind in FACT_WORDS and name else about

    def _memory(
        self,
        wanted: Sequence[SectionName],
        purpose: Purpose,
        moment: QuestionContext,
        known: Sequence[str] = (),
    ) -> str:
        labels = {each.name: _flat(each.label)[:MOST_LABEL] for each in moment.actions}
        context = self._ahead(moment.percept.state)
        # Where a way was tried in vain, what keeps failing here stands beside each candidate.
        about = "place" if purpose in TRIED else "location"
        context[about] = self.story.place_of(moment.percept.state)
        found = self.memory.inject_memory_context(wanted, context, known, labels)
        return "\n\n".join(found.values())

    def _ahead(self, state: State) -> dict[str, Json]:
        """Return the next trainer of the story and the team, by the names that memory gives them."""
        for task in ahead(self.story, state) if state.game_started else ():
            team = team_against(self.story, self.dex, task, state)
            if task.against is not None and team:
                opponents = task.against.opponents()
                who = opponents[self.story.rival_choice(state) % len(opponents)]
                names = dict.fromkeys(self.dex.species(each.species).name for each in team)
                opponent = self.dex.opponent(who.trainer_class, who.number)
                return {"opponent": opponent, "enemy_pokemon": ", ".join(names)}
        return {}

    def team(self, state: State) -> Iterator[str]:
        """Yield a line for each Pokemon of the team."""
        for mon in state.party.mons if state.game_started else ():
            kind = self.dex.all_species.get(mon.species)
            name = kind.name if kind is not None else f"species {mon.species}"
            moves = self.dex.all_moves
            known = [(moves.get(each.move), each) for each in mon.moves]
            left = [f"{move.name if move else each.move} {each.pp} PP" for move, each in known]
            hp = f"{mon.hp} of {mon.stats.hp} HP"
            yield quoted(f"{name} level {mon.level}, {hp}, {', '.join(left)}")

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
    return f"| {_flat(words)}"


def _flat(words: str) -> str:
    """Return words that may contain text of the cartridge as one row."""
    return " ".join(words.split())
