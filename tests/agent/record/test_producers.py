"""Memory observes play: every hookable method can be watched, and play itself stores nothing."""

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
from agent.capabilities.context import GameContext
from agent.capabilities.registry import capabilities_for
from agent.loop import Loop
from agent.mind.mind import Mind
from agent.mind.progress import ProgressMonitor
from agent.mind.recovery import StuckRecovery
from agent.perception.percept import Perceiver
from agent.record.game_names import AGENT
from agent.record.producers import OUTSIDE
from agent.skills import Terrain
from agent.story.milestones import MilestoneLedger
from emulator import Font, PyBoyConsole
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
from tests.agent.demo import CARTRIDGE, DEX, STORY, WORLD
from tests.agent.record.stores import stores_in
from tests.agent.support import ROOT, Played

MAY_STORE: Final = (
    "app",  # builds memory and connects it to play
    "record",  # the producers themselves
    "lab",  # fills memory to measure it, and reads it after play
    "tools/overnight/repair.py",  # tries whether a folder can be written
    "tools/replay/operations.py",  # decides a run again in a temporary folder
    "tools/scenario/states.py",  # gives a run from a saved state the memory of that time
    "capabilities/memory_actions.py",  # offers memory actions to the planner
    "mind/advisor_tools.py",  # offers them to a model, whose entries are claims
    "advisor/money",  # books the cost of calls, which is no memory
    "fake_claude",  # a server that writes to its clients
)


def sources() -> list[Path]:
    folder = ROOT / "agent"
    found = (path.relative_to(folder) for path in folder.rglob("*.py"))
    return sorted(path for path in found if not path.as_posix().startswith(MAY_STORE))


def test_b01_code_of_play_stores_nothing() -> None:
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
def test_b01_stores_in_finds_code_that_stores(line: str, *, stores: bool) -> None:
    assert bool(stores_in(f"def walk(state):\n    yield state\n    {line}\n")) is stores


def methods() -> Iterator[Callable[..., object]]:
    """Yield every hookable method of the agent."""
    for info in pkgutil.walk_packages(agent.__path__, "agent."):
        if info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        for _, kind in inspect.getmembers(module, inspect.isclass):
            if kind.__module__ == module.__name__:
                yield from (each for each in vars(kind).values() if _is_hookable(each))


def _is_hookable(member: object) -> bool:
    try:
        method_of(member)  # type: ignore[arg-type]  # any member
    except NotHookable:
        return False
    return True


def test_b07_every_hookable_method_can_be_watched_by_itself() -> None:
    known: list[Method] = [method_of(each) for each in methods()]
    names = Counter(method.name for method in known)
    assert {"MilestoneLedger.observe", "Loop.perform", "Mind.decide", "Mind.learn"} <= names.keys()
    assert max(names.values()) == 1  # short names are unique
    for method in known:
        for glob in (method.name, method.full_name):
            pointcut = Pointcut.pattern(glob)
            assert [each for each in known if pointcut.verdict(each, object, None)] == [method]


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[Loop]:
    """The loop on the demo, from power-on, without hooks."""
    hooks = Hooks()
    ledger = MilestoneLedger(STORY.milestones, hooks)
    context = GameContext(STORY, Terrain(WORLD), DEX, ledger, 0)
    with (
        closing(open_run_store(tmp_path / "run.sqlite", run_id="run")) as store,
        closing(PyBoyConsole(CARTRIDGE)) as console,
    ):
        memory = open_memory(store, AGENT, session_id="run", started_at=0.0)
        recovery = StuckRecovery(ProgressMonitor(), 0)
        mind = Mind(capabilities_for(context), memory.recall, hooks, recovery)
        perceiver = Perceiver(console, Font.of(CARTRIDGE), WORLD, ledger.due)
        yield Loop(console, perceiver, mind, ledger, hooks)


def test_b07_hooks_watch_each_step_of_the_loop(loop: Loop) -> None:
    seen: Counter[str] = Counter()
    loop.hooks.after("*", lambda call, _result: seen.update([call.name]))
    loop.play(lambda _state: loop.tick >= 30, lambda _state: None)
    each_tick = {name for name, times in seen.items() if times >= 30}
    loop_and_mind = {"Loop.perceive", "Loop.perform", "Mind.decide", "Mind.learn"}
    assert each_tick == {"MilestoneLedger.observe", *loop_and_mind}
    assert seen["Mind.pursue"]  # a new goal takes no step


def test_b07_a_hookable_method_of_any_class_is_watched() -> None:
    class MapSurvey:
        """A class outside of actions and the loop."""

        def __init__(self, hooks: Hooks) -> None:
            self.hooks = hooks

        @hookable
        def survey(self, map_id: int) -> str:
            return f"map {map_id}"

    hooks = Hooks()
    seen: list[tuple[Call, object]] = []
    hooks.after(Pointcut.of_class(MapSurvey), lambda call, result: seen.append((call, result)))
    map_survey = MapSurvey(hooks)
    map_survey.survey(3)
    assert seen == [(Call("MapSurvey.survey", map_survey, (3,), {}), "map 3")]


@pytest.fixture
def store(played: Played, tmp_path: Path) -> Iterator[RunStore]:
    copy = shutil.copy(played.folder / "run.sqlite", tmp_path / "run.sqlite")
    with closing(open_run_store(Path(copy), run_id="a copy")) as opened:
        yield opened


@pytest.fixture
def memory(store: RunStore) -> AgentMemory:
    return open_memory(store, AGENT, session_id=store.run_id, started_at=0.0)


def test_e39_foundation_state_input_and_session_exist(memory: AgentMemory) -> None:
    assert memory.observer.current_state is not None
    assert memory.observer.sensory_input is not None
    assert memory.strategist.session_id.endswith("#2")  # the first one has ended


def test_e39_core_the_session_recorded_battles_places_and_items(
    store: RunStore, memory: AgentMemory
) -> None:
    saved = store.strategist_checkpoints.load(store.run_id)
    assert isinstance(saved, dict)
    for history in ("objectives", "battle_history", "locations_visited", "resource_history"):
        assert saved[history]
    assert memory.strategist.totals.total_battles == 0  # a new session has begun


def test_e39_persistence_knowledge_outlives_the_run(played: Played, memory: AgentMemory) -> None:
    with closing(read_knowledge_store(played.memory)) as knowledge:
        known = knowledge.load_knowledge()
    assert known.strategies
    assert known.total_sessions == 1
    assert known.strategies.keys() <= memory.tactician.knowledge().strategies.keys()


def test_e39_consolidation_made_patterns_and_strategies(memory: AgentMemory) -> None:
    history = memory.consolidator.consolidation_history
    assert [each.reason for each in history] == ["interval", "session_end"]
    assert sum(each.actions for each in history) > 0
    assert sum(each.patterns for each in history) > 0
    assert sum(each.strategies for each in history) > 0


def test_e39_integration_planner_and_model_get_recollections(
    store: RunStore, memory: AgentMemory
) -> None:
    assert list(store.record.events("recollection"))  # recalled before a trainer battle
    context = memory.observer.decision_context
    assert context["recent_outcomes"]


def test_e39_optimization_memory_is_ranked_and_maintained(memory: AgentMemory) -> None:
    ranked = memory.consolidator.prioritize_memories()
    assert ranked["tactician"]
    status = memory.consolidator.get_consolidation_status()
    assert status["pending_actions"] == 0
    assert memory.maintenance.run(forced=True)


def test_every_map_beside_a_named_one_has_a_name() -> None:
    headers = [(each, WORLD.map(each).header) for each in WORLD.map_ids]
    for map_id, header in headers:
        if STORY.called(map_id).startswith("map "):
            continue  # not of the story
        beside = {each.map_id for each in header.warps} - {OUTSIDE}
        beside |= {each.map_id for each in header.connections}
        unnamed = {each for each in beside if STORY.called(each).startswith("map ")}
        assert not unnamed, STORY.called(map_id)
