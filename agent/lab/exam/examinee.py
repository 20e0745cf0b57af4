"""Answers read from memory through its public interface, and those that the last state of a game gives by itself."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from statistics import fmean
from typing import Any, Final, TypeAlias

from agent.app.memory_producers import AGENT
from agent.lab.exam.question import ExamAnswer, QuestionForm, QuestionTopic
from agent.story import Story
from emulator import Dex, State
from memory import (
    BATTLE,
    BLACKOUT,
    WAYPOINT,
    AgentMemory,
    Entry,
    Hooks,
    MemoryActions,
    MemoryQuery,
    milestones_of,
    open_memory,
    open_run,
    read_knowledge_store,
    scope_name,
)
from memory.recall import gather_context
from memory.store import KnowledgeReader
from memory.tiers import ACQUAINTANCE, BELONGING, TEAM

BUDGET: Final = 1_000  # tokens of context for one question
MOST: Final = 100
EPISODIC: Final = scope_name(AGENT, "ltm:episodic")


class ExamMemory:
    """Tiers, recall, context and gaps of one run's memory, and what outlives runs. All answers are structured."""

    def __init__(
        self, memory: AgentMemory, actions: MemoryActions, knowledge: KnowledgeReader, run: str
    ) -> None:
        self.strategist = memory.strategist
        self.knowledge = knowledge
        self.run = run
        self._memory = memory
        self._actions = actions

    @property
    def has_fought(self) -> bool:
        """Whether the session tells of any battle."""
        return bool(self.strategist.totals.total_battles)

    def is_known(self, name: str) -> bool:
        """Say whether memory has ever heard of a place, a species or a trainer."""
        return f"nothing is known of {name}" not in self._actions.memory_gaps(names=(name,))

    def acquaintance(self, name: str, run: str = "") -> Mapping[str, Any] | None:
        """Return what a run, by itself this one, had to do with `name`."""
        found = self.recalled(ACQUAINTANCE, name)
        return next((data for data in found if data["run"] == (run or self.run)), None)

    def told_of(self, name: str) -> Mapping[str, Any] | None:
        """Return the same from the lines that a prompt on the matter would hold."""
        query = MemoryQuery(kinds=(ACQUAINTANCE, BATTLE), subject=name)
        keys = gather_context(self._actions, query, BUDGET, "exam").keys
        semantic = self._memory.tactician.semantic
        entries = (self._memory.blackboard.get(semantic, key) for key in keys)
        found = (each.data for each in entries if each is not None and each.kind == ACQUAINTANCE)
        return next((data for data in found if data["run"] == self.run), None)

    def recalled(self, kind: str, name: str) -> Sequence[Mapping[str, Any]]:
        """Return what is recalled of `name` in entries of one kind, of whichever run."""
        query = MemoryQuery(kinds=(kind,), subject=name, max_results=MOST)
        return [each.data for each in self._actions.memory_recall(query, "exam")]

    def own(self, kind: str) -> list[Entry]:
        """Return what this run told of one kind, among what is kept as it was."""
        query = MemoryQuery(kinds=(kind,), scopes=(EPISODIC,), max_results=MOST)
        found = self._actions.memory_recall(query, "exam")
        return [each for each in found if run_of(each) == self.run]

    def defeats_in(self, place: str) -> Sequence[Mapping[str, Any]]:
        """Return the fights that this run lost in a place."""
        query = MemoryQuery(kinds=(BATTLE,), scopes=(EPISODIC,), place=place, max_results=MOST)
        found = (each.data for each in self._actions.memory_recall(query, "exam"))
        return [each for each in found if each["outcome"] == "defeat" and each["run"] == self.run]

    def team(self) -> dict[str, int]:
        """Return who is in the team, with their levels."""
        found = self._actions.memory_recall(MemoryQuery(kinds=(TEAM,), subject="team"), "exam")
        return members(found[0].data["team"]) if found else {}

    def lasting(self, kind: str) -> list[tuple[str, Mapping[str, Any]]]:
        """Return what outlives runs of one kind, with the run it tells of."""
        return [(run_of(each), each.data) for each in self.knowledge.entries() if each.kind == kind]


def members(team: Any) -> dict[str, int]:  # noqa: ANN401  # JSON as it was stored
    """Return the species of a team with their levels."""
    pairs = (str(each).rpartition(":") for each in team)
    return {name: int(level) for name, _, level in pairs}


def run_of(entry: Entry) -> str:
    """Return the run that an entry tells of."""
    return str(entry.data.get("run", ""))


@contextmanager
def notebook(run: Path, memory: Path, home: Path) -> Iterator[ExamMemory]:
    """Lend the doors of a run that has ended, opened on a copy in the folder `home`: looking must change nothing."""
    copy = home / "looked-at"
    copytree(run, copy)
    with ExitStack() as stack:
        folder = stack.enter_context(closing(open_run(copy)))
        knowledge = stack.enter_context(closing(read_knowledge_store(memory)))
        store = folder.store
        started_at = folder.settings["started"].timestamp()
        known = open_memory(store, AGENT, session_id=store.run_id, started_at=started_at)
        known.load_strategist_checkpoint(store, store.run_id)
        yield ExamMemory(known, known.actions(store, Hooks()), knowledge, store.run_id)


Recalling: TypeAlias = Callable[[ExamMemory, QuestionForm], ExamAnswer | None]


def _of(field: str, counted: str = "met") -> Recalling:
    """Return how to read a field of an acquaintance in which something was `counted` at all."""

    def recall(notes: ExamMemory, form: QuestionForm) -> ExamAnswer | None:
        known = notes.acquaintance(form.subject) if notes.is_known(form.subject) else None
        return _read(known, field, counted)

    return recall


def _told(field: str, counted: str) -> Recalling:
    """Return the same by way of the lines that are gathered for a prompt."""
    return lambda notes, form: _read(notes.told_of(form.subject), field, counted)


def _read(known: Mapping[str, Any] | None, field: str, counted: str) -> ExamAnswer | None:
    if known is None or not known[counted]:
        return None
    value = known[field]
    return tuple(value) if isinstance(value, list) else value


def _lost_there(notes: ExamMemory, form: QuestionForm) -> ExamAnswer | None:
    names = (str(battle["enemy_pokemon"]).split(", ") for battle in notes.defeats_in(form.subject))
    return frozenset(name for each in names for name in each) or None


def _money(notes: ExamMemory, _form: QuestionForm) -> ExamAnswer | None:
    owned = notes.strategist.resource_history
    return owned[-1].money if owned else None


def _items(notes: ExamMemory, form: QuestionForm) -> ExamAnswer | None:
    owned = notes.strategist.resource_history
    if not any(form.subject in each.items for each in owned):
        return None
    return owned[-1].items.get(form.subject, 0)


def _first_there(notes: ExamMemory, form: QuestionForm) -> int | None:
    if not notes.is_known(form.subject):
        return None
    place = notes.strategist.locations_visited.get(form.subject)
    return None if place is None else place.first_visit_tick


def _earlier(notes: ExamMemory, form: QuestionForm) -> ExamAnswer | None:
    one, other = _first_there(notes, form), _first_there(notes, QuestionForm(form.ask, form.other))
    if one is None or other is None:
        return None
    return form.subject if one < other else form.other


def _visits(notes: ExamMemory, form: QuestionForm) -> ExamAnswer | None:
    place = notes.strategist.locations_visited.get(form.subject)
    return None if place is None else place.visit_count


def _reached(notes: ExamMemory, form: QuestionForm) -> ExamAnswer | None:
    objective = notes.strategist.objective(f"reached:{form.subject}")
    return None if objective is None else objective.completed_tick


def _blacked_out_by(notes: ExamMemory, _form: QuestionForm) -> ExamAnswer | None:
    told = notes.own(BLACKOUT)
    return str(max(told, key=lambda each: each.tick).data["subject"]) if told else None


def _thing(field: str) -> Recalling:
    """Return how to read a field of what is known of a thing."""

    def recall(notes: ExamMemory, form: QuestionForm) -> ExamAnswer | None:
        if not notes.is_known(form.subject):
            return None
        known = notes.recalled(BELONGING, form.subject)
        return next((data[field] for data in known if data["run"] == notes.run), None)

    return recall


def _then(field: str) -> Recalling:
    """Return how to read what was noted at a milestone."""

    def recall(notes: ExamMemory, form: QuestionForm) -> ExamAnswer | None:
        told = (milestones_of(each.data) for each in notes.own(WAYPOINT))
        data = next((each[form.subject] for each in told if form.subject in each), None)
        if data is None:
            return None
        value: Any = data[field]
        return max(members(value).values(), default=None) if field == "team" else int(value)

    return recall


def _waypoints(notes: ExamMemory, milestone: str) -> dict[str, Mapping[str, Any]]:
    """Return how each run got to a milestone, by run."""
    told = ((run, milestones_of(data)) for run, data in notes.lasting(WAYPOINT))
    return {run: reached[milestone] for run, reached in told if milestone in reached}


def _starters(notes: ExamMemory) -> dict[str, str]:
    """Return with whom each run began, as far as it got anybody: a team's first, when it was first seen."""
    found: dict[str, str] = {}
    for run, data in notes.lasting(WAYPOINT):
        for reached in sorted(milestones_of(data).values(), key=lambda each: int(each["tick"])):
            team = members(reached.get("team", ()))
            if team:
                found[run] = next(iter(team))
                break
    return found


def _run_turns(notes: ExamMemory, form: QuestionForm) -> ExamAnswer | None:
    reached = _waypoints(notes, form.subject).get(form.run)
    return None if reached is None else int(reached["turns"])


def _run_meetings(notes: ExamMemory, form: QuestionForm) -> ExamAnswer | None:
    known = notes.acquaintance(form.subject, form.run)
    return None if known is None else int(known["met"])


def _run_caught(notes: ExamMemory, form: QuestionForm) -> ExamAnswer | None:
    met = (data for _, data in notes.lasting(ACQUAINTANCE) if data["run"] == form.run)
    return frozenset(data["subject"] for data in met if data["caught"]) or None


def _runs_lost(notes: ExamMemory, form: QuestionForm) -> ExamAnswer | None:
    known = notes.recalled(ACQUAINTANCE, form.subject)
    return frozenset(data["run"] for data in known if data["lost"]) or None


def _quickest(notes: ExamMemory, form: QuestionForm) -> ExamAnswer | None:
    reached = _waypoints(notes, form.subject)
    return min(reached, key=lambda run: reached[run]["tick"], default=None)


def _best_starter(notes: ExamMemory, form: QuestionForm) -> ExamAnswer | None:
    turns = defaultdict[str, list[int]](list)
    starters = _starters(notes)
    for run, data in _waypoints(notes, form.subject).items():
        if run in starters:
            turns[starters[run]].append(data["turns"])
    return min(turns, key=lambda name: fmean(turns[name]), default=None)


KNOWING: Final[Mapping[QuestionTopic, Recalling]] = {
    QuestionTopic.LOST_IN: _of("lost_in", "lost"),
    QuestionTopic.LOST_AT: _of("lost_at", "lost"),
    QuestionTopic.LOST_BY: _of("lost_by", "lost"),
    QuestionTopic.LOST_THERE: _lost_there,
    QuestionTopic.WON_BY: _told("won_by", "won"),
    QuestionTopic.WON_WITH: _told("won_with", "won"),
    QuestionTopic.MONEY: _money,
    QuestionTopic.ITEMS: _items,
    QuestionTopic.LEVEL: lambda notes, form: notes.team().get(form.subject),
    QuestionTopic.FOUND_IN: _thing("place"),
    QuestionTopic.MOST: _thing("most"),
    QuestionTopic.MONEY_AT: _then("money"),
    QuestionTopic.LEVEL_AT: _then("team"),
    QuestionTopic.BLACKED_OUT_BY: _blacked_out_by,
    QuestionTopic.HERE: lambda notes, _: next(
        reversed([*notes.strategist.locations_visited]), None
    ),
    QuestionTopic.FIRST_THERE: _first_there,
    QuestionTopic.FIRST_MET: _of("first_tick"),
    QuestionTopic.MET_IN: _of("place"),
    QuestionTopic.REACHED: _reached,
    QuestionTopic.EARLIER: _earlier,
    QuestionTopic.VISITS: _visits,
    QuestionTopic.MEETINGS: _of("met"),
    QuestionTopic.WINS: _of("won"),
    QuestionTopic.DEFEATS: lambda notes, _: (
        notes.strategist.totals.defeats if notes.has_fought else None
    ),
    QuestionTopic.BLACKOUTS: lambda notes, _: (
        len(notes.own(BLACKOUT)) if notes.has_fought else None
    ),
    QuestionTopic.RUN_STARTER: lambda notes, form: _starters(notes).get(form.run),
    QuestionTopic.RUN_TURNS: _run_turns,
    QuestionTopic.RUN_MEETINGS: _run_meetings,
    QuestionTopic.RUN_CAUGHT: _run_caught,
    QuestionTopic.RUNS_LOST: _runs_lost,
    QuestionTopic.QUICKEST: _quickest,
    QuestionTopic.BEST_STARTER: _best_starter,
}


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What the last state of a game tells of itself to who remembers nothing."""

    state: State
    story: Story
    dex: Dex

    def answer(self, form: QuestionForm) -> ExamAnswer | None:
        """Return what can be seen, or None."""
        match form.ask:
            case QuestionTopic.MONEY:
                return self.state.player.money
            case QuestionTopic.ITEMS:
                carried = self.state.bag.items
                named = (s for s in carried if self.dex.item(s.item).name == form.subject)
                return sum(stack.quantity for stack in named) or None
            case QuestionTopic.LEVEL:
                team = {self.dex.species(m.species).name: m.level for m in self.state.party.mons}
                return team.get(form.subject)
            case QuestionTopic.HERE:
                return self.story.place_of(self.state)
            case _:
                return None


def recall(notes: ExamMemory, form: QuestionForm) -> ExamAnswer | None:
    """Return what memory answers, or None for not knowing."""
    return KNOWING[form.ask](notes, form)
