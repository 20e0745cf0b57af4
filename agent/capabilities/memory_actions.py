"""Memory as planned actions: recall before a challenge, tidying up, taking stock.

None of them takes a step of the game.
"""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from agent.capabilities.capability import BoundAction, Capability, Sensor, recalling
from agent.capabilities.context import GameContext
from agent.capabilities.readiness import team_of
from agent.capabilities.travel import at
from agent.perception import Percept
from agent.planning import Action, Effect, Goal, Require
from agent.skills import Outcome, Skill
from agent.story.story import Task
from emulator import FRAMES_PER_SECOND, State
from memory import (
    BATTLE,
    RECOLLECTION,
    UPKEEP,
    BlackboardEvent,
    Json,
    MemoryActions,
    MemoryQuery,
    Recall,
    is_open,
    recollection_of,
    scope_name,
)

UNTIDY: Final = "memory:untidy"
PRIORITY: Final = 90  # it takes no time
LATELY: Final = 8  # recollections that are looked through
TIDY_AGAIN_S: Final = 300.0  # game seconds; what is younger stays in working memory in any case


def capability(kit: GameContext) -> Capability:
    """Call to mind what is known before challenging somebody, and let go of what working memory has no room for."""
    memory = kit.memory
    if memory is None:
        return Capability(name="recollect")
    opponents = dict(_opponents(kit))
    return Capability(
        name="recollect",
        sensors=(_recalled_sensor(memory, opponents), _untidy_sensor(memory)),
        deeds=(
            *(_recall_deed(kit, memory, task, names) for task, names in opponents.items()),
            _tidy_deed(memory),
        ),
        goals=(Goal(UNTIDY, (Require(UNTIDY, at_most=0),), PRIORITY, "keep memory tidy"),),
    )


class RecallJudge:
    """Judges what was recalled before a challenge by how the battle went."""

    def __init__(self, kit: GameContext, memory: MemoryActions) -> None:
        self._memory = memory
        self._first = {task.recalled: names[:1] for task, names in _opponents(kit)}

    def saw(self, event: BlackboardEvent) -> None:
        """Take note of a battle that is over."""
        record = event.entry.data
        if event.action != "write" or event.entry.kind != BATTLE:
            return
        if record["outcome"] not in {"victory", "defeat"}:
            return
        first = (str(record["enemy_pokemon"]).partition(",")[0],)
        working = scope_name(self._memory.agent_id, "working")
        for entry in self._memory.blackboard.entries(working, kind=RECOLLECTION, limit=LATELY):
            if self._first.get(recollection_of(entry).why) == first:
                self._memory.memory_judge(entry, useful=record["outcome"] == "victory")


def _opponents(kit: GameContext) -> Iterator[tuple[Task, tuple[str, ...]]]:
    """Yield the tasks that are against somebody, and the names of whom those fight with."""
    species = kit.dex.all_species
    for task in kit.story.tasks:
        if task.against is not None and (team := team_of(kit.dex, task.against)):
            known = (species.get(each.species) for each in team)
            yield task, tuple(each.name for each in known if each is not None)


def _recalled_sensor(memory: MemoryActions, opponents: Mapping[Task, tuple[str, ...]]) -> Sensor:
    working = scope_name(memory.agent_id, "working")
    names = frozenset(task.recalled for task in opponents)

    def read(recall: Recall) -> Mapping[str, int]:
        lately = recall.recent(working, RECOLLECTION, LATELY)
        called_to_mind = {each.data["why"] for each in lately if is_open(each)}
        return {name: int(name in called_to_mind) for name in names}

    return recalling(names, working, read)


def _recall_deed(
    kit: GameContext, memory: MemoryActions, task: Task, names: tuple[str, ...]
) -> BoundAction:
    place = next(each.called for each in kit.story.places if each.name == task.place)
    query = MemoryQuery(text=" ".join(names), place=place, subject=", ".join(names))

    def begin(_state: State) -> Skill:
        memory.memory_recall(query, task.recalled)
        yield from ()
        return Outcome.DONE

    action = Action(
        name=task.recalled,
        requires=(Require(at(task.place), at_least=1),),
        effects=(Effect(task.recalled, 1),),
        cost=1,
        says=f"call to mind what is known of it: {task.says}",
    )
    return BoundAction(action, begin, at_once=True)


def _untidy_sensor(memory: MemoryActions) -> Sensor:
    working = scope_name(memory.agent_id, "working")

    def read(percept: Percept, recall: Recall) -> Mapping[str, int]:
        if recall.fullness(working) < 1.0:
            return {UNTIDY: 0}
        last = recall.recent(working, UPKEEP, 1)
        now_s = percept.state.frame / FRAMES_PER_SECOND
        return {UNTIDY: int(not last or now_s - last[0].game_s >= TIDY_AGAIN_S)}

    return Sensor(frozenset({UNTIDY}), read)


def _tidy_deed(memory: MemoryActions) -> BoundAction:
    working = scope_name(memory.agent_id, "working")

    def begin(_state: State) -> Skill:
        memory.memory_ingest_now()  # first, so that nothing goes that taught nobody anything
        memory.memory_deduplicate(scope=working)
        memory.memory_prune(scope=working)
        yield from ()
        return Outcome.DONE

    action = Action(
        name="tidy_memory",
        requires=(Require(UNTIDY, at_least=1),),
        effects=(Effect(UNTIDY, 0),),
        cost=1,
        says="let go of what working memory has no room for",
    )
    return BoundAction(action, begin, at_once=True)


STOCK: Final = "stock"  # the kind of entry, and its tag
DUE: Final = "memory:due"
MAPPED: Final = "memory:mapped"
COUNTED: Final = "memory:counted"
LISTED: Final = "memory:listed"
LIGHTENED: Final = "memory:lightened"
STEPS: Final = (MAPPED, COUNTED, LISTED, LIGHTENED)
IDLE: Final = MappingProxyType(dict.fromkeys((DUE, *STEPS), 0))
EVERY_S: Final = (
    3_000.0  # game seconds between two of them; short-term memory keeps one for an hour
)
OUTDATED_S: Final = 2 * EVERY_S  # the age at which an earlier one has nothing to say any more
MOST_NAMED: Final = 10  # tags and gaps that are worth keeping
STOCK_PRIORITY: Final = 89  # it takes no time; tidying comes first


def stock_of_memory(kit: GameContext) -> Capability:
    """Look memory over: map, numbers and tags; forget what is outdated, and store what was found."""
    memory = kit.memory
    if memory is None:
        return Capability(name=STOCK)
    taking = MemoryReview(memory)
    deeds = (
        _stock_action("memory_map", taking.map, DUE, MAPPED, "look at the map of memory"),
        _stock_action("memory_stats", taking.count, MAPPED, COUNTED, "count what there is"),
        _stock_action(
            "memory_list_tags", taking.list_tags, COUNTED, LISTED, "see what it is about"
        ),
        _stock_action(
            "memory_forget", taking.lighten, LISTED, LIGHTENED, "forget what is outdated"
        ),
        _stock_action("memory_store", taking.store, LIGHTENED, DUE, "keep what was found"),
    )
    goal = Goal(DUE, (Require(DUE, at_most=0),), STOCK_PRIORITY, "know what there is to remember")
    return Capability(
        name=STOCK, sensors=(_stock_sensor(memory, taking),), deeds=deeds, goals=(goal,)
    )


class MemoryReview:
    """One look at memory, as far as it got; a look that was cut short is begun anew."""

    def __init__(self, memory: MemoryActions) -> None:
        self._memory = memory
        self._found: dict[str, Json] = {}
        self._done: set[str] = set()

    def facts(self, *, due: bool) -> Mapping[str, int]:
        """Return whether one is due, and which steps of it are done."""
        if not due and not self._done:
            return IDLE  # nearly always
        return {DUE: int(due), **{step: int(step in self._done) for step in STEPS}}

    def map(self) -> None:
        """Note what memory does not know, and what is wrong with how it hangs together."""
        seen = self._memory.memory_map()
        self._found = {"gaps": list(seen.gaps[:MOST_NAMED]), "problems": list(seen.problems)}
        self._done = {MAPPED}

    def count(self) -> None:
        """Note how much there is, and how far it is to be trusted."""
        seen = self._memory.memory_stats()
        self._found |= {"entries": seen.count, "closed": seen.closed}
        self._found |= {"statuses": dict(seen.statuses), "pending": sum(seen.pending.values())}
        self._done.add(COUNTED)

    def list_tags(self) -> None:
        """Note what most of it is about."""
        tags = self._memory.memory_list_tags()
        commonest = sorted(tags, key=lambda tag: (-tags[tag], tag))[:MOST_NAMED]
        self._found |= {"tags": {tag: tags[tag] for tag in commonest}}
        self._done.add(LISTED)

    def lighten(self) -> None:
        """Let go of what earlier looks found: memory is no longer as it was then."""
        self._found |= {
            "forgotten": self._memory.memory_forget(tags=(STOCK,), older_than_s=OUTDATED_S)
        }
        self._done.add(LIGHTENED)

    def store(self) -> None:
        """Keep it. The rules made it of what memory holds, so it is inferred."""
        scope = scope_name(self._memory.agent_id, "stm")
        note: Mapping[str, Json] = {"scope": scope, "kind": STOCK, "status": "inferred"}
        self._memory.memory_store(self._found, tags=(STOCK,), metadata=note)
        self._done.clear()


def _stock_sensor(memory: MemoryActions, taking: MemoryReview) -> Sensor:
    scope = scope_name(memory.agent_id, "stm")

    def read(percept: Percept, recall: Recall) -> Mapping[str, int]:
        now_s = percept.state.frame / FRAMES_PER_SECOND
        due = now_s >= EVERY_S
        if due:
            last = recall.recent(scope, STOCK, 1)
            due = not last or now_s - last[0].game_s >= EVERY_S
        return taking.facts(due=due)

    return Sensor(frozenset({DUE, *STEPS}), read)


def _stock_action(
    name: str, do: Callable[[], None], after: str, brings: str, says: str
) -> BoundAction:
    def begin(_state: State) -> Skill:
        do()
        yield from ()
        return Outcome.DONE

    effects = (
        (Effect(DUE, 0), *(Effect(step, 0) for step in STEPS))
        if brings == DUE
        else (Effect(brings, 1),)
    )
    action = Action(
        name=name, requires=(Require(after, at_least=1),), effects=effects, cost=1, says=says
    )
    return BoundAction(action, begin, at_once=True)
