"""What the tiers take to answer, and how much each of them holds."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from agent.bench.figures import Spread
from agent.bench.memory.figures import Bound, MemoryFigure
from agent.bench.memory.fill import OBJECTIVES, STRATEGIES, Names
from agent.bench.memory.timing import timed
from memory import AgentMemory
from memory.codec import encode

OBSERVER: Final = Bound("observer query: all of a decision's context", 1.0, 0.05)
MOMENT: Final = Bound("observer query: the newest moment", 1.0, 0.05)
OBJECTIVE: Final = Bound("strategist objective query: one by its name", 5.0, 0.5)
ACTIVE: Final = Bound("strategist objective query: the active one", 5.0, 0.5)
STRATEGY: Final = Bound("tactician strategy query", 10.0, 1.0)
PATTERN: Final = Bound("tactician pattern query", 10.0, 1.0)
MISTAKE: Final = Bound("tactician mistake query", 10.0, 1.0)
OBSERVER_BYTES: Final = Bound("observer: a decision's context, as text", 2.0, 1.0, "KB")
STRATEGIST_BYTES: Final = Bound("strategist: a session at capacity, as text", 50.0, 50.0, "KB")
KILO: Final = 1_000
ASKED: Final = 20  # different questions, by turns


def queries(memory: AgentMemory, names: Names, often: int) -> Iterator[MemoryFigure]:
    """Yield the speed of each tier's questions; each kind is asked `often`, with others by turns."""
    observer, strategist, tactician = memory.observer, memory.strategist, memory.tactician
    numbers = range(ASKED)
    rounds = max(often // ASKED, 1)
    asked: dict[Bound, list[Callable[[], object]]] = {
        OBSERVER: [lambda: observer.decision_context],
        MOMENT: [lambda: observer.current_state],
        OBJECTIVE: [
            partial(strategist.objective, f"goal {each * OBJECTIVES // ASKED}") for each in numbers
        ],
        ACTIVE: [lambda: strategist.active_objective],
        STRATEGY: [
            partial(
                tactician.get_successful_strategies,
                names.whom(each * STRATEGIES // ASKED // 4),
                names.whom(each % 4),
            )
            for each in numbers
        ],
        PATTERN: [
            partial(tactician.get_relevant_patterns, {"location": names.where(each)})
            for each in numbers
        ],
        MISTAKE: [
            partial(
                tactician.get_mistakes_for_context,
                {"location": names.where(each), "enemy_type": names.whom(each)},
            )
            for each in numbers
        ],
    }
    for bound, works in asked.items():
        yield timed(bound, works, rounds * ASKED // len(works))


def budgets(memory: AgentMemory) -> Iterator[MemoryFigure]:
    """Yield how much the observer and the strategist hold."""
    yield size(OBSERVER_BYTES, len(encode(memory.observer.decision_context).encode()))
    yield size(STRATEGIST_BYTES, len(encode(memory.strategist.to_json()).encode()))


def size(bound: Bound, count: int) -> MemoryFigure:
    """Return the figure of so many bytes."""
    return MemoryFigure(bound, Spread.of([count / KILO]))
