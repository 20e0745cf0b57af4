"""Memory operations as planned actions, none of which takes a step: recall, cleanup, and stock checks."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from agent.battle.odds import Foes
from agent.capabilities.capability import BoundAction, Capability, Sensor, recalling
from agent.capabilities.context import GameContext
from agent.capabilities.travel import at
from agent.perception.percept import Percept
from agent.planning.domain import Action, Effect, Goal, Require
from agent.skills import Outcome, Skill
from agent.story.interactions import Task
from agent.story.opponents import team_against, teams_of
from emulator import FRAMES_PER_SECOND, State
from memory import (
    BATTLE,
    RECOLLECTION,
    BlackboardEvent,
    Json,
    MemoryActions,
    MemoryQuery,
    Recall,
    scope_name,
)
from memory.recall import MAINTENANCE, is_open, recollection_of

UNTIDY: Final = "memory:untidy"
PRIORITY: Final = 90  # it takes no time
LATELY: Final = 8  # recollections that are searched
TIDY_AGAIN_S: Final = 300.0  # game seconds; younger entries stay in working memory in any case
STOCK: Final = "stock"  # the kind of entry, and its tag
DUE: Final = "memory:due"
# Game seconds between two stock checks; short-term memory keeps an entry for an hour.
EVERY_S: Final = 3_000.0
OUTDATED_S: Final = 2 * EVERY_S  # the age at which an earlier stock entry is forgotten
MOST_NAMED: Final = 10  # tags and gaps that a stock entry lists
STOCK_PRIORITY: Final = 89  # it takes no time; cleanup comes first


def capability(game: GameContext) -> Capability:
    """Recall what is known before a trainer battle, and clean up working memory when it is full."""
    memory = game.memory
    if memory is None:
        return Capability(name="recollect")
    opponents = [task for task in game.story.tasks if teams_of(game.story, game.dex, task)]
    working = scope_name(memory.agent_id, "working")

    def is_untidy(percept: Percept, recall: Recall) -> Mapping[str, int]:
        if recall.fullness(working) < 1.0:
            return {UNTIDY: 0}
        return {UNTIDY: int(_is_due(percept, recall, working, MAINTENANCE, TIDY_AGAIN_S))}

    def tidy(_state: State) -> None:
        memory.memory_ingest_now()  # first, so that no entry is removed before it is used
        memory.memory_deduplicate(scope=working)
        memory.memory_prune(scope=working)

    tidying = Action(
        name="tidy_memory",
        requires=(Require(UNTIDY, at_least=1),),
        effects=(Effect(UNTIDY, 0),),
        cost=1,
        label="remove entries that working memory has no room for",
    )
    return Capability(
        name="recollect",
        sensors=(_recalled_sensor(working, opponents), Sensor(frozenset({UNTIDY}), is_untidy)),
        actions=(
            *(_recall_action(game, memory, task) for task in opponents),
            _at_once(tidying, tidy),
        ),
        goals=(Goal(UNTIDY, (Require(UNTIDY, at_most=0),), PRIORITY, "keep memory tidy"),),
    )


def stock_of_memory(game: GameContext) -> Capability:
    """Record the stock of memory at intervals; the result is an entry itself and can be recalled."""
    memory = game.memory
    if memory is None:
        return Capability(name=STOCK)
    scope = scope_name(memory.agent_id, "stm")

    def is_due(percept: Percept, recall: Recall) -> Mapping[str, int]:
        begun = percept.state.frame >= EVERY_S * FRAMES_PER_SECOND
        return {DUE: int(begun and _is_due(percept, recall, scope, STOCK, EVERY_S))}

    def take_stock(_state: State) -> None:
        seen, stats, tags = memory.memory_map(), memory.memory_stats(), memory.memory_list_tags()
        commonest = sorted(tags, key=lambda tag: (-tags[tag], tag))[:MOST_NAMED]
        found: dict[str, Json] = {
            "gaps": list(seen.gaps[:MOST_NAMED]),
            "problems": list(seen.problems),
            "entries": stats.count,
            "closed": stats.closed,
            "statuses": dict(stats.statuses),
            "pending": sum(stats.pending.values()),
            "tags": {tag: tags[tag] for tag in commonest},
            # Earlier stock entries are outdated.
            "forgotten": memory.memory_forget(tags=(STOCK,), older_than_s=OUTDATED_S),
        }
        note: Mapping[str, Json] = {"scope": scope, "kind": STOCK, "status": "inferred"}
        memory.memory_store(found, tags=(STOCK,), metadata=note)

    action = Action(
        name="take_stock",
        requires=(Require(DUE, at_least=1),),
        effects=(Effect(DUE, 0),),
        cost=1,
        label="record what memory holds",
    )
    label = "know what memory holds"
    return Capability(
        name=STOCK,
        sensors=(Sensor(frozenset({DUE}), is_due),),
        actions=(_at_once(action, take_stock),),
        goals=(Goal(DUE, (Require(DUE, at_most=0),), STOCK_PRIORITY, label),),
    )


class RecallJudge:
    """Judges what was recalled before a battle by the outcome of the battle."""

    def __init__(self, game: GameContext, memory: MemoryActions) -> None:
        self._memory = memory
        tasks = [task for task in game.story.tasks if teams_of(game.story, game.dex, task)]
        self._first = {
            each.recalled: _names(game, teams_of(game.story, game.dex, each)[0])[:1]
            for each in tasks
        }

    def saw(self, event: BlackboardEvent) -> None:
        """Record a finished battle."""
        record = event.entry.data
        is_battle = event.action == "write" and event.entry.kind == BATTLE
        if not is_battle or record["outcome"] not in {"victory", "defeat"}:
            return
        first = (str(record["enemy_pokemon"]).partition(",")[0],)
        working = scope_name(self._memory.agent_id, "working")
        for entry in self._memory.blackboard.entries(working, kind=RECOLLECTION, limit=LATELY):
            if self._first.get(recollection_of(entry).why) == first:
                self._memory.memory_judge(entry, useful=record["outcome"] == "victory")


def _names(game: GameContext, team: Foes) -> tuple[str, ...]:
    """Return the names of a team's Pokemon."""
    known = (game.dex.all_species.get(each.species) for each in team)
    return tuple([each.name for each in known if each is not None])


def _recalled_sensor(working: str, opponents: Iterable[Task]) -> Sensor:
    names = frozenset(task.recalled for task in opponents)

    def read(recall: Recall) -> Mapping[str, int]:
        lately = recall.recent(working, RECOLLECTION, LATELY)
        recalled = {each.data["why"] for each in lately if is_open(each)}
        return {name: int(name in recalled) for name in names}

    return recalling(names, working, read)


def _recall_action(game: GameContext, memory: MemoryActions, task: Task) -> BoundAction:
    place = game.story.place(task.place).called

    def recall(state: State) -> None:
        names = _names(game, team_against(game.story, game.dex, task, state))
        query = MemoryQuery(text=" ".join(names), place=place, subject=", ".join(names))
        memory.memory_recall(query, task.recalled)

    action = Action(
        name=task.recalled,
        requires=(Require(at(task.place), at_least=1),),
        effects=(Effect(task.recalled, 1),),
        cost=1,
        label=f"recall what is known of this task: {task.label}",
    )
    return _at_once(action, recall)


def _at_once(action: Action, do: Callable[[State], object]) -> BoundAction:
    """Return an action that calls `do` and takes no step of the game."""

    def begin(state: State) -> Skill:
        do(state)
        yield from ()
        return Outcome.DONE

    return BoundAction(action, begin, at_once=True)


def _is_due(percept: Percept, recall: Recall, scope: str, kind: str, every_s: float) -> bool:
    """Return whether `every_s` game seconds have passed since the last entry of a kind."""
    now_s = percept.state.frame / FRAMES_PER_SECOND
    last = recall.recent(scope, kind, 1)
    return not last or now_s - last[0].game_s >= every_s
