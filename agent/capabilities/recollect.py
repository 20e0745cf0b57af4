"""Remembering on purpose: what is known of a trainer is called to mind before the challenge, and memory is kept tidy.

None of it takes a step of the game. What was recalled is judged by the battle that followed.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from agent.capabilities.capability import Capability, Deed, Sensor, recalling
from agent.capabilities.kit import Kit
from agent.capabilities.readiness import team_of
from agent.capabilities.story import Task
from agent.capabilities.travel import at
from agent.perception import Percept
from agent.planning import Action, Effect, Goal, Require
from agent.skills import Outcome, Skill
from emulator import FRAMES_PER_SECOND, State
from memory import (
    BATTLE,
    RECOLLECTION,
    UPKEEP,
    BlackboardEvent,
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


def capability(kit: Kit) -> Capability:
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


class Hindsight:
    """Judges what was recalled before a challenge by how the battle went."""

    def __init__(self, kit: Kit, memory: MemoryActions) -> None:
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


def _opponents(kit: Kit) -> Iterator[tuple[Task, tuple[str, ...]]]:
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


def _recall_deed(kit: Kit, memory: MemoryActions, task: Task, names: tuple[str, ...]) -> Deed:
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
    return Deed(action, begin, at_once=True)


def _untidy_sensor(memory: MemoryActions) -> Sensor:
    working = scope_name(memory.agent_id, "working")

    def read(percept: Percept, recall: Recall) -> Mapping[str, int]:
        if recall.fullness(working) < 1.0:
            return {UNTIDY: 0}
        last = recall.recent(working, UPKEEP, 1)
        now_s = percept.state.frame / FRAMES_PER_SECOND
        return {UNTIDY: int(not last or now_s - last[0].game_s >= TIDY_AGAIN_S)}

    return Sensor(frozenset({UNTIDY}), read)


def _tidy_deed(memory: MemoryActions) -> Deed:
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
    return Deed(action, begin, at_once=True)
