"""Taking stock of memory now and then: what there is, what it is about, what it does not know, and what can go.

None of it takes a step of the game. What came of it is an entry itself, so that it can be recalled and told.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from agent.capabilities.capability import Capability, Deed, Sensor
from agent.capabilities.kit import Kit
from agent.perception import Percept
from agent.planning import Action, Effect, Goal, Require
from agent.skills import Outcome, Skill
from emulator import FRAMES_PER_SECOND, State
from memory import Json, MemoryActions, Recall, scope_name

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
PRIORITY: Final = 89  # it takes no time; tidying comes first


def capability(kit: Kit) -> Capability:
    """Look memory over: map, numbers and tags; forget what is outdated, and store what was found."""
    memory = kit.memory
    if memory is None:
        return Capability(name=STOCK)
    taking = Stocktaking(memory)
    deeds = (
        _deed("memory_map", taking.map, DUE, MAPPED, "look at the map of memory"),
        _deed("memory_stats", taking.count, MAPPED, COUNTED, "count what there is"),
        _deed("memory_list_tags", taking.list_tags, COUNTED, LISTED, "see what it is about"),
        _deed("memory_forget", taking.lighten, LISTED, LIGHTENED, "forget what is outdated"),
        _deed("memory_store", taking.store, LIGHTENED, DUE, "keep what was found"),
    )
    goal = Goal(DUE, (Require(DUE, at_most=0),), PRIORITY, "know what there is to remember")
    return Capability(name=STOCK, sensors=(_sensor(memory, taking),), deeds=deeds, goals=(goal,))


class Stocktaking:
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


def _sensor(memory: MemoryActions, taking: Stocktaking) -> Sensor:
    scope = scope_name(memory.agent_id, "stm")

    def read(percept: Percept, recall: Recall) -> Mapping[str, int]:
        now_s = percept.state.frame / FRAMES_PER_SECOND
        due = now_s >= EVERY_S
        if due:
            last = recall.recent(scope, STOCK, 1)
            due = not last or now_s - last[0].game_s >= EVERY_S
        return taking.facts(due=due)

    return Sensor(frozenset({DUE, *STEPS}), read)


def _deed(name: str, do: Callable[[], None], after: str, brings: str, says: str) -> Deed:
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
    return Deed(action, begin, at_once=True)
