"""Questions about recorded games, answered from memory alone through its public interface, and what is right.

The topics were written together with the kinds of memory entries: they test that memory keeps what it promises, and
do not measure whether it understands language.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from shutil import copytree
from typing import Any, Final, NamedTuple, TypeAlias

from agent.record.game_names import AGENT
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
from tests.proofs.game_truth import PROOF_DELAY, CartridgeNames, FightOutcome, GameTruth

BUDGET: Final = 1_000  # tokens of context for one question
MOST: Final = 100
EPISODIC: Final = scope_name(AGENT, "ltm:episodic")
COUNTS: Final = {
    "met": None,
    "won": FightOutcome.WON,
    "lost": FightOutcome.LOST,
    "caught": FightOutcome.CAUGHT,
}

Answer: TypeAlias = str | int | frozenset[str] | tuple[str, ...] | None
Data: TypeAlias = Mapping[str, Any]


class Question(NamedTuple):
    """A question about a subject in the game that has ended, or in that of `run`.

    `right` is a value, any tick of a range, or None for what never happened: then memory must not answer.
    """

    topic: str
    subject: str = ""
    right: Answer | range = None
    run: str = ""

    def is_answered_by(self, answer: Answer) -> bool:
        """Return whether an answer is right; values of different types are different, even if Python calls them equal."""
        if isinstance(self.right, range):
            return type(answer) is int and answer in self.right
        return type(answer) is type(self.right) and answer == self.right


def questions(truths: Sequence[GameTruth], there: CartridgeNames) -> Iterator[Question]:
    """Yield the questions about the last of some games, and about those before it that memory knows from it."""
    truth = truths[-1]
    yield from _about_fights(truth)
    yield from _about_things(truth)
    yield from _about_places(truth)
    for each in truths:
        yield from _about_a_run(each)
    yield from _never_happened(truths, there)


def _about_fights(truth: GameTruth) -> Iterator[Question]:
    for name in truth.met:
        fights = truth.against(name)
        yield from (
            Question(field, name, len(truth.against(name, end))) for field, end in COUNTS.items()
        )
        ticks = range(fights[0].first_tick, fights[0].last_tick + 1)
        yield Question("first met at", name, ticks)
        yield Question("first met in", name, fights[0].place)
        for last in truth.against(name, FightOutcome.LOST)[-1:]:
            yield Question("lost in", name, last.place)
            yield Question("lost at level", name, last.own_level)
            yield Question("lost by", name, last.own)
        for last in truth.against(name, FightOutcome.WON)[-1:]:
            yield Question("won by", name, last.finisher)
            if last.moves:
                yield Question("won with", name, last.moves)
    lost = truth.ended(FightOutcome.LOST)
    for last in [fight for fight in lost if fight.blacked_out][-1:]:
        yield Question("blacked out by", "", last.opponent or ", ".join(last.enemies))
    for place in dict.fromkeys(fight.place for fight in lost):
        names = frozenset(n for fight in lost if fight.place == place for n in fight.enemies)
        yield Question("lost there", place, names)
    yield Question("battles lost", "", len(lost))
    yield Question("blackouts", "", sum(each.blacked_out for each in lost))


def _about_things(truth: GameTruth) -> Iterator[Question]:
    yield Question("money", "", truth.money[-1].value)
    for name, held in truth.items.items():
        yield Question("number", name, held[-1].value)
        yield Question("highest number", name, max(each.value for each in held))
        yield Question("first owned in", name, truth.found_in[name])
    names = [name for name, _ in truth.team]
    for name, level in truth.team:
        if names.count(name) == 1:
            yield Question("level", name, level)
    for name, tick in truth.milestones.items():
        yield Question("reached at", name, range(tick, tick + PROOF_DELAY + 1))
        money, level = truth.money_at(tick), truth.level_at(tick)
        if money == truth.money_at(tick + PROOF_DELAY):
            yield Question("money then", name, money)
        if level and level == truth.level_at(tick + PROOF_DELAY):
            yield Question("level then", name, level)


def _about_places(truth: GameTruth) -> Iterator[Question]:
    yield Question("here", "", truth.visits[-1].place)
    for place in truth.places:
        visits = [each.tick for each in truth.visits if each.place == place]
        yield Question("first visit", place, visits[0])
        yield Question("visits", place, len(visits))


def _about_a_run(truth: GameTruth) -> Iterator[Question]:
    """Yield what the memory file has of each run."""
    yield Question("starter of run", "", truth.starter, truth.run)
    for name, tick in truth.milestones.items():
        turns = truth.turns_to(tick + PROOF_DELAY)
        if turns == truth.turns_to(tick):  # otherwise a battle ends too close to the milestone
            yield Question("turns of run", name, turns, truth.run)
    for name in truth.met:
        for field, end in COUNTS.items():
            yield Question(f"{field} in run", name, len(truth.against(name, end)), truth.run)


def _never_happened(truths: Sequence[GameTruth], there: CartridgeNames) -> Iterator[Question]:
    """Yield questions about what never happened in the last game, as if it had."""
    truth = truths[-1]
    lost, won = (
        {name for fight in truth.ended(end) for name in fight.names}
        for end in (FightOutcome.LOST, FightOutcome.WON)
    )
    opponents = (*there.species, *there.trainers)
    never: tuple[tuple[Iterable[str], Iterable[str], Sequence[str]], ...] = (
        (opponents, truth.met, (*COUNTS, "first met at", "first met in")),
        (opponents, lost, ("lost in",)),
        (opponents, won, ("won by", "won with")),
        (there.places, truth.places, ("first visit", "visits", "lost there")),
        (there.milestones, truth.milestones, ("reached at",)),
        (there.items, truth.items, ("number",)),
        (there.species, truth.levels, ("level",)),
    )
    for names, known, topics in never:
        absent = [name for name in names if name not in known]
        yield from (Question(topic, name) for name in absent for topic in topics)
    for each in truths[:-1]:
        names = [name for name in truth.met if name not in each.met]
        yield from (Question("met in run", name, run=each.run) for name in names)


class GameMemory:
    """The memory of one run (tiers, recall, context, gaps) and the memory file. All answers are structured."""

    def __init__(
        self, memory: AgentMemory, actions: MemoryActions, knowledge: KnowledgeReader, run: str
    ) -> None:
        self.tiers = memory
        self.run = run
        self._knowledge = knowledge
        self._actions = actions

    def answer(self, question: Question) -> Answer:
        """Return the answer, or None when it is not known."""
        return READERS[question.topic](self, question)

    def is_known(self, name: str) -> bool:
        """Return whether memory knows a place, a species or a trainer."""
        return f"nothing is known of {name}" not in self._actions.memory_gaps(names=(name,))

    def known(self, kind: str, name: str) -> Data | None:
        """Return the record of this run about `name`, or None when memory does not know it."""
        return self._of_run(self.recalled(kind, name)) if self.is_known(name) else None

    def from_context(self, name: str) -> Data | None:
        """Return the record of this run about an opponent, from the entries selected for a prompt about it."""
        query = MemoryQuery(kinds=(OPPONENT_MET, BATTLE), subject=name)
        keys = gather_context(self._actions, query, BUDGET, "exam").keys
        semantic = self.tiers.tactician.semantic
        entries = (self.tiers.blackboard.get(semantic, key) for key in keys)
        found = (each.data for each in entries if each is not None and each.kind == OPPONENT_MET)
        return self._of_run(found)

    def recalled(self, kind: str, name: str = "") -> Sequence[Data]:
        """Return the data of entries of one kind, about `name` if it is given, from any run."""
        return [each.data for each in self._recall(kind, subject=name)]

    def own(self, kind: str, place: str = "") -> list[Data]:
        """Return the episodic entries of this run of one kind, optionally in one place."""
        found = self._recall(kind, scopes=(EPISODIC,), place=place)
        return [each.data for each in found if each.data.get("run") == self.run]

    def met(self) -> list[Data]:
        """Return the records of this run about all opponents."""
        return [each for each in self.recalled(OPPONENT_MET) if each["run"] == self.run]

    def reported(self, kind: str, run: str) -> Iterator[Data]:
        """Yield what a run reported to the memory file of one kind."""
        for each in self._knowledge.entries():
            if each.kind == kind:
                reports = self._knowledge.contributions(each.scope, each.key)
                yield from (reports[name].content["data"] for name in reports if name == run)

    def _recall(self, kind: str, **wanted: Any) -> Sequence[Entry]:  # noqa: ANN401  # fields of a query
        query = MemoryQuery(kinds=(kind,), max_results=MOST, **wanted)
        return self._actions.memory_recall(query, "exam")

    def _of_run(self, found: Iterable[Data]) -> Data | None:
        return next((data for data in found if data["run"] == self.run), None)


@contextmanager
def open_game_memory(run: Path, memory: Path, home: Path) -> Iterator[GameMemory]:
    """Open the memory of a finished run on a copy in the folder `home`, because reading must not change it."""
    copy = copytree(run, home / f"copy-of-{run.name}")
    with ExitStack() as stack:
        folder = stack.enter_context(closing(open_run(copy)))
        knowledge = stack.enter_context(closing(read_knowledge_store(memory)))
        store = folder.store
        started_at = folder.settings["started"].timestamp()
        known = open_memory(store, AGENT, session_id=store.run_id, started_at=started_at)
        known.load_strategist_checkpoint(store, store.run_id)
        yield GameMemory(known, known.actions(store, Hooks()), knowledge, store.run_id)


Reader: TypeAlias = Callable[[GameMemory, Question], Answer]


def _members(team: Iterable[Any]) -> dict[str, int]:
    """Return the species of a team with their levels."""
    pairs = (str(each).rpartition(":") for each in team)
    return {name: int(level) for name, _, level in pairs}


def _field(find: Callable[[GameMemory, str], Data | None], field: str, counted: str = "") -> Reader:
    """Return a reader of a field of the record about the subject; None if its field `counted` is zero."""

    def read(notes: GameMemory, asked: Question) -> Answer:
        known = find(notes, asked.subject)
        if known is None or (counted and not known[counted]):
            return None
        value: Answer | list[str] = known[field]
        return tuple(value) if isinstance(value, list) else value

    return read


def _met(field: str, counted: str = "met") -> Reader:
    return _field(lambda notes, name: notes.known(OPPONENT_MET, name), field, counted)


def _owned(field: str) -> Reader:
    return _field(lambda notes, name: notes.known(ITEM_OWNED, name), field)


def _visited(field: str) -> Reader:
    def read(notes: GameMemory, asked: Question) -> Answer:
        is_known = notes.is_known(asked.subject)
        place = notes.tiers.strategist.locations_visited.get(asked.subject) if is_known else None
        return None if place is None else int(getattr(place, field))

    return read


def _then(notes: GameMemory, asked: Question) -> Data | None:
    """Return what was recorded at a milestone."""
    entries = (milestones_of(data) for data in notes.own(MILESTONE_TIME))
    return next((each[asked.subject] for each in entries if asked.subject in each), None)


def _money_then(notes: GameMemory, asked: Question) -> Answer:
    then = _then(notes, asked)
    return None if then is None else int(then["money"])


def _level_then(notes: GameMemory, asked: Question) -> Answer:
    then = _then(notes, asked)
    return None if then is None else max(_members(then["team"]).values(), default=None)


def _level(notes: GameMemory, asked: Question) -> Answer:
    teams = notes.recalled(TEAM, "team")
    return _members(teams[0]["team"]).get(asked.subject) if teams else None


def _lost_there(notes: GameMemory, asked: Question) -> Answer:
    battles = notes.own(BATTLE, asked.subject)
    lost = (str(each["enemy_pokemon"]) for each in battles if each["outcome"] == "defeat")
    return frozenset(name for names in lost for name in names.split(", ")) or None


def _blacked_out_by(notes: GameMemory, _asked: Question) -> Answer:
    costly = [each for each in notes.met() if each["blackouts"]]
    return str(max(costly, key=lambda each: int(each["last_tick"]))["subject"]) if costly else None


def _number(notes: GameMemory, asked: Question) -> Answer:
    owned = notes.tiers.strategist.resource_history
    was_owned = any(asked.subject in each.items for each in owned)
    return owned[-1].items.get(asked.subject, 0) if was_owned else None


def _reached(notes: GameMemory, asked: Question) -> Answer:
    objective = notes.tiers.strategist.objective(f"reached:{asked.subject}")
    return None if objective is None else objective.completed_tick


def _starter(notes: GameMemory, asked: Question) -> Answer:
    """Return the first of the team when it was first seen."""
    reached = [
        each
        for data in notes.reported(MILESTONE_TIME, asked.run)
        for each in milestones_of(data).values()
    ]
    teams = (each.get("team") for each in sorted(reached, key=lambda each: int(each["tick"])))
    return next((next(iter(_members(team))) for team in teams if team), None)


def _turns(notes: GameMemory, asked: Question) -> Answer:
    found = (milestones_of(data) for data in notes.reported(MILESTONE_TIME, asked.run))
    return next(
        (int(each[asked.subject]["turns"]) for each in found if asked.subject in each), None
    )


def _in_run(field: str) -> Reader:
    def read(notes: GameMemory, asked: Question) -> Answer:
        met = notes.reported(OPPONENT_MET, asked.run)
        return next((int(data[field]) for data in met if data["subject"] == asked.subject), None)

    return read


READERS: Final[Mapping[str, Reader]] = {
    **{field: _met(field) for field in COUNTS},
    "first met at": _met("first_tick"),
    "first met in": _met("place"),
    "lost in": _met("lost_in", "lost"),
    "lost at level": _met("lost_at", "lost"),
    "lost by": _met("lost_by", "lost"),
    "won by": _field(GameMemory.from_context, "won_by", "won"),
    "won with": _field(GameMemory.from_context, "won_with", "won"),
    "blacked out by": _blacked_out_by,
    "lost there": _lost_there,
    "battles lost": lambda notes, _: notes.tiers.strategist.totals.defeats,
    "blackouts": lambda notes, _: sum(each["blackouts"] for each in notes.met()),
    "money": lambda notes, _: notes.tiers.strategist.resource_history[-1].money,
    "number": _number,
    "highest number": _owned("most"),
    "first owned in": _owned("place"),
    "level": _level,
    "reached at": _reached,
    "money then": _money_then,
    "level then": _level_then,
    "here": lambda notes, _: next(reversed([*notes.tiers.strategist.locations_visited])),
    "first visit": _visited("first_visit_tick"),
    "visits": _visited("visit_count"),
    "starter of run": _starter,
    "turns of run": _turns,
    **{f"{field} in run": _in_run(field) for field in COUNTS},
}
