"""Answers read from memory through its public interface, and answers from the last state of a game alone."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from shutil import copytree
from statistics import fmean
from typing import Any, Final, TypeAlias

from agent.record.game_names import AGENT
from agent.story.story import Story
from emulator import Dex, State
from memory import (
    BATTLE,
    MILESTONE_TIME,
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
from memory.recall.context import gather_context
from memory.store.lasting import KnowledgeReader
from memory.tiers.encounters import ITEM_OWNED, OPPONENT_MET
from memory.tiers.strategist import TEAM
from tests.proofs.exam.question import ExamAnswer, ExamQuestion, QuestionTopic

BUDGET: Final = 1_000  # tokens of context for one question
MOST: Final = 100
EPISODIC: Final = scope_name(AGENT, "ltm:episodic")


class ExamMemory:
    """The memory of one run (tiers, recall, context, gaps) and the memory file. All answers are structured."""

    def __init__(
        self, memory: AgentMemory, actions: MemoryActions, knowledge: KnowledgeReader, run: str
    ) -> None:
        self.strategist = memory.strategist
        self.knowledge = knowledge
        self.run = run
        self.memory = memory
        self._actions = actions

    def is_known(self, name: str) -> bool:
        """Return whether memory knows a place, a species or a trainer."""
        return f"nothing is known of {name}" not in self._actions.memory_gaps(names=(name,))

    def known(self, kind: str, name: str) -> Mapping[str, Any] | None:
        """Return the record of this run about `name`, or None when memory does not know it."""
        return self.of_run(self.recalled(kind, name)) if self.is_known(name) else None

    def from_context(self, name: str) -> Mapping[str, Any] | None:
        """Return the record of this run about `name`, from the entries selected for a prompt about it."""
        query = MemoryQuery(kinds=(OPPONENT_MET, BATTLE), subject=name)
        keys = gather_context(self._actions, query, BUDGET, "exam").keys
        semantic = self.memory.tactician.semantic
        entries = (self.memory.blackboard.get(semantic, key) for key in keys)
        found = (each.data for each in entries if each is not None and each.kind == OPPONENT_MET)
        return self.of_run(found)

    def recalled(self, kind: str, name: str = "") -> Sequence[Mapping[str, Any]]:
        """Return the data of entries of one kind, about `name` if it is given, from any run."""
        return [each.data for each in self._recall(kind, subject=name)]

    def own(self, kind: str, place: str = "") -> list[Entry]:
        """Return the episodic entries of this run of one kind, optionally in one place."""
        found = self._recall(kind, scopes=(EPISODIC,), place=place)
        return [each for each in found if run_of(each) == self.run]

    def reported(self, kind: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield what each run reported to the memory file of one kind, with the run."""
        for each in self.knowledge.entries():
            if each.kind == kind:
                reports = self.knowledge.contributions(each.scope, each.key)
                yield from ((run, report.content["data"]) for run, report in reports.items())

    def met(self) -> list[Mapping[str, Any]]:
        """Return the records of this run about all opponents."""
        return [each for each in self.recalled(OPPONENT_MET) if each["run"] == self.run]

    def _recall(self, kind: str, **wanted: Any) -> Sequence[Entry]:  # noqa: ANN401  # fields of a query
        query = MemoryQuery(kinds=(kind,), max_results=MOST, **wanted)
        return self._actions.memory_recall(query, "exam")

    def of_run(self, found: Iterable[Mapping[str, Any]], run: str = "") -> Mapping[str, Any] | None:
        """Return the first of the recalled entries that is from a run, by default this one."""
        return next((data for data in found if data["run"] == (run or self.run)), None)


def members(team: Any) -> dict[str, int]:  # noqa: ANN401  # JSON as it was stored
    """Return the species of a team with their levels."""
    pairs = (str(each).rpartition(":") for each in team)
    return {name: int(level) for name, _, level in pairs}


def run_of(entry: Entry) -> str:
    """Return the run of an entry."""
    return str(entry.data.get("run", ""))


@contextmanager
def open_exam_memory(run: Path, memory: Path, home: Path) -> Iterator[ExamMemory]:
    """Open the memory of a finished run on a copy in the folder `home`, because reading must not change it."""
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


AnswerReader: TypeAlias = Callable[[ExamMemory, ExamQuestion], ExamAnswer | None]


def _field(
    find: Callable[[ExamMemory, str], Mapping[str, Any] | None], field: str, counted: str = ""
) -> AnswerReader:
    """Return a reader of a field of the record about the subject; None if its field `counted` is zero."""

    def recall(notes: ExamMemory, form: ExamQuestion) -> ExamAnswer | None:
        known = find(notes, form.subject)
        if known is None or (counted and not known[counted]):
            return None
        value: ExamAnswer | list[str] = known[field]
        return tuple(value) if isinstance(value, list) else value

    return recall


def _met(notes: ExamMemory, name: str) -> Mapping[str, Any] | None:
    return notes.known(OPPONENT_MET, name)


def _owned(notes: ExamMemory, name: str) -> Mapping[str, Any] | None:
    return notes.known(ITEM_OWNED, name)


def _level(notes: ExamMemory, form: ExamQuestion) -> ExamAnswer | None:
    teams = notes.recalled(TEAM, "team")
    return members(teams[0]["team"]).get(form.subject) if teams else None


def _once_fought(count: Callable[[ExamMemory], int]) -> AnswerReader:
    """Return a reader that counts battles, or None if the session has none."""
    return lambda notes, _: count(notes) if notes.strategist.totals.total_battles else None


def _lost_there(notes: ExamMemory, form: ExamQuestion) -> ExamAnswer | None:
    battles = (each.data for each in notes.own(BATTLE, form.subject))
    lost = (str(each["enemy_pokemon"]) for each in battles if each["outcome"] == "defeat")
    return frozenset(name for names in lost for name in names.split(", ")) or None


def _money(notes: ExamMemory, _form: ExamQuestion) -> ExamAnswer | None:
    owned = notes.strategist.resource_history
    return owned[-1].money if owned else None


def _items(notes: ExamMemory, form: ExamQuestion) -> ExamAnswer | None:
    owned = notes.strategist.resource_history
    was_owned = any(form.subject in each.items for each in owned)
    return owned[-1].items.get(form.subject, 0) if was_owned else None


def _first_there(notes: ExamMemory, form: ExamQuestion) -> int | None:
    if not notes.is_known(form.subject):
        return None
    place = notes.strategist.locations_visited.get(form.subject)
    return None if place is None else place.first_visit_tick


def _earlier(notes: ExamMemory, form: ExamQuestion) -> ExamAnswer | None:
    one = _first_there(notes, form)
    other = _first_there(notes, ExamQuestion(form.topic, form.other))
    if one is None or other is None:
        return None
    return form.subject if one < other else form.other


def _visits(notes: ExamMemory, form: ExamQuestion) -> ExamAnswer | None:
    place = notes.strategist.locations_visited.get(form.subject)
    return None if place is None else place.visit_count


def _reached(notes: ExamMemory, form: ExamQuestion) -> ExamAnswer | None:
    objective = notes.strategist.objective(f"reached:{form.subject}")
    return None if objective is None else objective.completed_tick


def _blacked_out_by(notes: ExamMemory, _form: ExamQuestion) -> ExamAnswer | None:
    costly = [each for each in notes.met() if each["blackouts"]]
    return str(max(costly, key=lambda each: int(each["last_tick"]))["subject"]) if costly else None


def _then(field: str) -> AnswerReader:
    """Return a reader of a field recorded at a milestone."""

    def recall(notes: ExamMemory, form: ExamQuestion) -> ExamAnswer | None:
        entries = (milestones_of(each.data) for each in notes.own(MILESTONE_TIME))
        data = next((each[form.subject] for each in entries if form.subject in each), None)
        if data is None:
            return None
        value: Any = data[field]
        return max(members(value).values(), default=None) if field == "team" else int(value)

    return recall


def _milestone_times(notes: ExamMemory, milestone: str) -> dict[str, Mapping[str, Any]]:
    """Return the record of a milestone by run."""
    entries = ((run, milestones_of(data)) for run, data in notes.reported(MILESTONE_TIME))
    return {run: reached[milestone] for run, reached in entries if milestone in reached}


def _starters(notes: ExamMemory) -> dict[str, str]:
    """Return the starter of each run that got one: the first of the team when it was first seen."""
    found: dict[str, str] = {}
    for run, data in notes.reported(MILESTONE_TIME):
        for reached in sorted(milestones_of(data).values(), key=lambda each: int(each["tick"])):
            team = members(reached.get("team", ()))
            if team:
                found[run] = next(iter(team))
                break
    return found


def _run_turns(notes: ExamMemory, form: ExamQuestion) -> ExamAnswer | None:
    reached = _milestone_times(notes, form.subject).get(form.run)
    return None if reached is None else int(reached["turns"])


def _run_meetings(notes: ExamMemory, form: ExamQuestion) -> ExamAnswer | None:
    met = notes.reported(OPPONENT_MET)
    found = (d["met"] for run, d in met if (run, d["subject"]) == (form.run, form.subject))
    return next(map(int, found), None)


def _run_caught(notes: ExamMemory, form: ExamQuestion) -> ExamAnswer | None:
    met = (data for run, data in notes.reported(OPPONENT_MET) if run == form.run)
    return frozenset(data["subject"] for data in met if data["caught"]) or None


def _runs_lost(notes: ExamMemory, form: ExamQuestion) -> ExamAnswer | None:
    met = notes.reported(OPPONENT_MET)
    return frozenset(run for run, d in met if d["subject"] == form.subject and d["lost"]) or None


def _quickest(notes: ExamMemory, form: ExamQuestion) -> ExamAnswer | None:
    reached = _milestone_times(notes, form.subject)
    return min(reached, key=lambda run: reached[run]["tick"], default=None)


def _best_starter(notes: ExamMemory, form: ExamQuestion) -> ExamAnswer | None:
    turns = defaultdict[str, list[int]](list)
    starters = _starters(notes)
    for run, data in _milestone_times(notes, form.subject).items():
        if run in starters:
            turns[starters[run]].append(data["turns"])
    return min(turns, key=lambda name: fmean(turns[name]), default=None)


READERS: Final[Mapping[QuestionTopic, AnswerReader]] = {
    QuestionTopic.LOST_IN: _field(_met, "lost_in", "lost"),
    QuestionTopic.LOST_AT: _field(_met, "lost_at", "lost"),
    QuestionTopic.LOST_BY: _field(_met, "lost_by", "lost"),
    QuestionTopic.LOST_THERE: _lost_there,
    QuestionTopic.WON_BY: _field(ExamMemory.from_context, "won_by", "won"),
    QuestionTopic.WON_WITH: _field(ExamMemory.from_context, "won_with", "won"),
    QuestionTopic.MONEY: _money,
    QuestionTopic.ITEMS: _items,
    QuestionTopic.LEVEL: _level,
    QuestionTopic.FOUND_IN: _field(_owned, "place"),
    QuestionTopic.MOST: _field(_owned, "most"),
    QuestionTopic.MONEY_AT: _then("money"),
    QuestionTopic.LEVEL_AT: _then("team"),
    QuestionTopic.BLACKED_OUT_BY: _blacked_out_by,
    QuestionTopic.HERE: lambda notes, _: next(
        reversed([*notes.strategist.locations_visited]), None
    ),
    QuestionTopic.FIRST_THERE: _first_there,
    QuestionTopic.FIRST_MET: _field(_met, "first_tick", "met"),
    QuestionTopic.MET_IN: _field(_met, "place", "met"),
    QuestionTopic.REACHED: _reached,
    QuestionTopic.EARLIER: _earlier,
    QuestionTopic.VISITS: _visits,
    QuestionTopic.MEETINGS: _field(_met, "met", "met"),
    QuestionTopic.WINS: _field(_met, "won", "met"),
    QuestionTopic.DEFEATS: _once_fought(lambda notes: notes.strategist.totals.defeats),
    QuestionTopic.BLACKOUTS: _once_fought(
        lambda notes: sum(each["blackouts"] for each in notes.met())
    ),
    QuestionTopic.RUN_STARTER: lambda notes, form: _starters(notes).get(form.run),
    QuestionTopic.RUN_TURNS: _run_turns,
    QuestionTopic.RUN_MEETINGS: _run_meetings,
    QuestionTopic.RUN_CAUGHT: _run_caught,
    QuestionTopic.RUNS_LOST: _runs_lost,
    QuestionTopic.QUICKEST: _quickest,
    QuestionTopic.BEST_STARTER: _best_starter,
}


def guess(form: ExamQuestion, state: State, story: Story, dex: Dex) -> ExamAnswer | None:
    """Return the answer from the last state of a game without memory, or None."""
    match form.topic:
        case QuestionTopic.MONEY:
            return state.player.money
        case QuestionTopic.ITEMS:
            named = (s for s in state.bag.items if dex.item(s.item).name == form.subject)
            return sum(stack.quantity for stack in named) or None
        case QuestionTopic.LEVEL:
            team = {dex.species(mon.species).name: mon.level for mon in state.party.mons}
            return team.get(form.subject)
        case QuestionTopic.HERE:
            return story.place_of(state)
        case _:
            return None


def recall(notes: ExamMemory, form: ExamQuestion) -> ExamAnswer | None:
    """Return the answer from memory, or None if it does not know."""
    return READERS[form.topic](notes, form)
