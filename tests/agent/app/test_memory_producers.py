"""Memory observes play: whatever is hookable can be watched, and nobody in play stores anything."""

import importlib
import inspect
import pkgutil
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

import agent
from agent.app.memory_producers import AGENT
from agent.capabilities.context import GameContext
from agent.capabilities.registry import capabilities_for
from agent.loop import Loop
from agent.mind.mind import Mind
from agent.mind.progress import ProgressMonitor
from agent.mind.recovery import Ladder
from agent.perception.percept import Perceiver
from agent.skills import Terrain
from agent.story.milestones import MilestoneLedger
from agent.story.story import Story
from emulator import Dex, Font, PyBoyConsole, World, demo_cartridge_path, load_cartridge
from memory import (
    AgentMemory,
    Call,
    Hooks,
    RunStore,
    hookable,
    open_memory,
    open_run_store,
    read_knowledge_store,
)
from memory.errors import NotHookable
from memory.hooks.pointcut import Method, Pointcut, method_of
from tests.agent.app.stores import stores_in
from tests.agent.support import ROOT, Played

MAY_STORE: Final = (
    "app",  # where memory is built and wired to play
    "lab",  # where it is filled to be measured, and opened to be asked when play is over
    "tools/replay/operations.py",  # where a run is decided again in a folder that is gone afterwards
    "tools/scenario/history.py",  # where a run that begins at a saved moment gets what was known then
    "capabilities/memory_actions.py",  # where the planner is offered the actions of memory
    "mind/advisor_tools.py",  # and where a model is, whose word is a claim
    "advisor/money",  # where a call is booked, which is money and no memory
    "fake_claude",  # a server, which writes to whoever asks it
)


def sources() -> list[Path]:
    folder = ROOT / "agent"
    found = (path.relative_to(folder) for path in folder.rglob("*.py"))
    return sorted(path for path in found if not path.as_posix().startswith(MAY_STORE))


def test_b01_nobody_in_play_stores_anything() -> None:
    for path in sources():
        assert stores_in((ROOT / "agent" / path).read_text(encoding="utf-8")) == [], path


@pytest.mark.parametrize(
    ("line", "stores"),
    [
        ("self._blackboard.write('agent:play:stm', 'x', {}, tick=1, game_s=0.0)", True),
        ("getattr(blackboard, 'write')('agent:play:stm')", True),
        ("from memory import Recall, TacticianMemory as Recaller", True),
        ("import memory.blackboard as board", True),
        ("recall.recent('agent:play:stm', 'battle', 3)", False),
        ("turn.commander.forget(move)", False),
    ],
)
def test_b01_a_line_that_stores_something_is_found(line: str, *, stores: bool) -> None:
    assert bool(stores_in(f"def walk(state):\n    yield state\n    {line}\n")) is stores


def methods() -> Iterator[Callable[..., object]]:
    """Yield every hookable method of the agent."""
    for info in pkgutil.walk_packages(agent.__path__, "agent."):
        if info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        for _, kind in inspect.getmembers(module, inspect.isclass):
            if kind.__module__ == module.__name__:
                yield from (each for each in vars(kind).values() if _is_open(each))


def _is_open(member: object) -> bool:
    try:
        method_of(member)  # type: ignore[arg-type]  # whatever it is
    except NotHookable:
        return False
    return True


def test_b07_every_hookable_method_can_be_watched_by_itself() -> None:
    known: list[Method] = [method_of(each) for each in methods()]
    names = Counter(method.name for method in known)
    assert {"MilestoneLedger.observe", "Loop.perform", "Mind.decide", "Mind.learn"} <= names.keys()
    assert max(names.values()) == 1  # a short name says which
    for method in known:
        for glob in (method.name, method.full_name):
            pointcut = Pointcut.pattern(glob)
            assert [each for each in known if pointcut.verdict(each, object, None)] == [method]


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[Loop]:
    """The loop on the demo, from power-on, with nothing wired to its hooks."""
    cartridge = load_cartridge(demo_cartridge_path())
    world, story, hooks = World.of(cartridge), Story.of(cartridge.kind), Hooks()
    ledger = MilestoneLedger(story.milestones, hooks)
    kit = GameContext(story, Terrain(world), Dex.of(cartridge), ledger, 0)
    with (
        closing(open_run_store(tmp_path / "run.sqlite", run_id="run")) as store,
        closing(PyBoyConsole(cartridge)) as console,
    ):
        memory = open_memory(store, AGENT, session_id="run", started_at=0.0)
        mind = Mind(capabilities_for(kit), memory.recall, hooks, Ladder(ProgressMonitor(), 0))
        eyes = Perceiver(console, Font.of(cartridge), world, ledger.due)
        yield Loop(console, eyes, mind, ledger, hooks)


def test_b07_play_is_watched_from_outside_and_not_its_actions_alone(loop: Loop) -> None:
    seen: Counter[str] = Counter()
    loop.hooks.after("*", lambda call, _result: seen.update([call.name]))
    loop.play(lambda _state: loop.tick >= 30, lambda _state: None)
    each_tick = {name for name, times in seen.items() if times >= 30}
    assert each_tick == {
        "MilestoneLedger.observe",
        "Loop.perceive",
        "Loop.perform",
        "Mind.decide",
        "Mind.learn",
    }
    assert seen["Mind.pursue"]  # a goal turned to, where no step is taken


def test_b07_a_capability_opens_a_method_of_its_own_and_it_is_seen() -> None:
    class Cartography:
        """Neither an action nor a part of the loop."""

        def __init__(self, hooks: Hooks) -> None:
            self.hooks = hooks

        @hookable
        def survey(self, map_id: int) -> str:
            return f"map {map_id}"

    hooks = Hooks()
    seen: list[tuple[Call, object]] = []
    hooks.after(Pointcut.of_class(Cartography), lambda call, result: seen.append((call, result)))
    cartography = Cartography(hooks)
    cartography.survey(3)
    assert seen == [(Call("Cartography.survey", cartography, (3,), {}), "map 3")]


@pytest.fixture
def store(played: Played, tmp_path: Path) -> Iterator[RunStore]:
    copy = shutil.copy(played.folder / "run.sqlite", tmp_path / "run.sqlite")
    with closing(open_run_store(Path(copy), run_id="a copy")) as opened:
        yield opened


@pytest.fixture
def memory(store: RunStore) -> AgentMemory:
    return open_memory(store, AGENT, session_id=store.run_id, started_at=0.0)


def test_e39_foundation_moments_and_sessions_are_there(memory: AgentMemory) -> None:
    assert memory.observer.current_state is not None
    assert memory.observer.sensory_input is not None
    assert memory.strategist.session_id.endswith("#2")  # the first one has ended


def test_e39_core_the_session_told_of_battles_places_and_belongings(
    store: RunStore, memory: AgentMemory
) -> None:
    kept = store.load_strategist_checkpoint(store.run_id)
    assert isinstance(kept, dict)
    for history in ("objectives", "battle_history", "locations_visited", "resource_history"):
        assert kept[history]
    assert memory.strategist.totals.total_battles == 0  # a new session has begun


def test_e39_persistence_knowledge_outlives_the_run(played: Played, memory: AgentMemory) -> None:
    with closing(read_knowledge_store(played.memory)) as knowledge:
        known = knowledge.load_knowledge()
    assert known.strategies
    assert known.total_sessions == 1
    assert known.strategies.keys() <= memory.tactician.knowledge().strategies.keys()


def test_e39_consolidation_patterns_and_strategies_were_drawn(memory: AgentMemory) -> None:
    history = memory.consolidator.consolidation_history
    assert [each.reason for each in history] == ["interval", "session_end"]
    assert sum(each.actions for each in history) > 0
    assert sum(each.patterns for each in history) > 0
    assert sum(each.strategies for each in history) > 0


def test_e39_integration_the_planner_and_a_model_are_given_what_is_known(
    store: RunStore, memory: AgentMemory
) -> None:
    assert list(store.events("recollection"))  # called to mind before a challenge
    context = memory.observer.decision_context
    assert context["recent_outcomes"]


def test_e39_optimization_memory_is_ranked_and_lets_go(memory: AgentMemory) -> None:
    ranked = memory.consolidator.prioritize_memories()
    assert ranked["tactician"]
    status = memory.consolidator.get_consolidation_status()
    assert status["pending_actions"] == 0
    assert memory.maintenance.run(asked=True)
