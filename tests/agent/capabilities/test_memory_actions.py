"""Memory actions of the planner, which take no step of the game."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import cast

import pytest

from agent.capabilities.capability import BoundAction, Capability, Sensor, domain_of, recalling
from agent.capabilities.memory_actions import (
    DUE,
    EVERY_S,
    OUTDATED_S,
    STOCK,
    TIDY_AGAIN_S,
    UNTIDY,
    RecallJudge,
    capability,
    stock_of_memory,
)
from agent.capabilities.registry import capabilities_for
from agent.mind.intent import Intent
from agent.mind.mind import Mind
from agent.mind.progress import ProgressMonitor
from agent.mind.recovery import StuckRecovery
from agent.perception.percept import Percept
from agent.planning.domain import Action, Effect, Goal, Require
from agent.record.game_names import AGENT
from agent.skills import Outcome, Skill, wait
from emulator import FRAMES_PER_SECOND, State
from memory import (
    BATTLE,
    RECOLLECTION,
    AgentMemory,
    Call,
    Entry,
    Hooks,
    Json,
    MemoryActions,
    Producers,
    Recall,
    open_memory,
    open_run_store,
    read_run,
    scope_name,
)
from memory.recall.actions import recollection_of, register_recall_producers
from tests.agent.demo import STORY, game_context
from tests.agent.support import Played, game_at

WORKING, STM = scope_name(AGENT, "working"), scope_name(AGENT, "stm")
SEMANTIC = scope_name(AGENT, "ltm:semantic")
LEADER = next(task for task in STORY.tasks if task.id == "challenge_leader")
FIRST = "PEBBLIN"  # the leader's first Pokemon
FACTS = frozenset({"thought", "near", "open", "there", "in_battle"})
THERE = Goal("there", (Require("there", at_least=1),), 10, "be there")


@pytest.fixture(scope="module")
def percept(played: Played) -> Iterator[Percept]:
    with game_at(played.folder, lambda state: state.in_control) as game:
        yield Percept(1, game.state, "", 1.0, (), None, None)


class MemoryWorld:
    """The memory of an agent, with the memory actions of its capabilities."""

    def __init__(self, path: Path) -> None:
        self.store = open_run_store(path, run_id="run-1")
        self.hooks = Hooks()
        self.memory: AgentMemory = open_memory(
            self.store, AGENT, session_id="run-1", started_at=0.0
        )
        self.actions: MemoryActions = self.memory.actions(self.store, self.hooks)
        register_recall_producers(Producers(self.hooks, self.memory.blackboard), AGENT)
        self.game_context = game_context(memory=self.actions)

    def facts(self, percept: Percept) -> dict[str, int]:
        facts: dict[str, int] = {}
        for sensor in capability(self.game_context).sensors:
            facts.update(sensor.read(percept, self.memory.recall))
        return facts

    def do(self, name: str, state: State) -> None:
        """Perform an action to its end, which must take no step."""
        (bound,) = (
            each for each in capability(self.game_context).actions if each.action.name == name
        )
        with pytest.raises(StopIteration) as ended:
            next(bound.begin(state))
        assert ended.value.value is Outcome.DONE
        assert bound.at_once


@pytest.fixture
def world(tmp_path: Path) -> Iterator[MemoryWorld]:
    opened = MemoryWorld(tmp_path / "run.sqlite")
    yield opened
    opened.store.close()


def walk(_state: State) -> Skill:
    yield wait(1)
    yield wait(1)
    return Outcome.DONE


def thinker(hooks: Hooks, thoughts: list[int], facts: dict[str, int]) -> Mind:
    """Return a mind with the goal `there` that must think first."""

    def think(_state: State) -> Skill:
        thoughts.append(1)
        yield from ()
        return Outcome.DONE

    thought = Require("thought", at_least=1)
    first = Action("think", (), (Effect("thought", 1),), 1, "think")
    go = Action("go", (thought,), (Effect("there", 1),), 3, "go there")
    return mind_of(hooks, facts, BoundAction(first, think, at_once=True), BoundAction(go, walk))


def mind_of(hooks: Hooks, facts: dict[str, int], *actions: BoundAction) -> Mind:
    """Return a mind with the goal `there` and these actions."""
    sensor = Sensor(FACTS, lambda _p, _r: dict(facts))
    everything = Capability("all", sensors=(sensor,), actions=actions, goals=(THERE,))
    return Mind(
        (everything,), cast("Recall", None), hooks, StuckRecovery(ProgressMonitor(), seed=0)
    )


def decide(mind: Mind, percept: Percept) -> Intent:
    intent = mind.decide(percept, mind.sense(percept))
    mind.learn(intent, {}, intent.skill_run.resume(percept.state))
    return intent


def test_b11_an_action_without_a_step_and_the_next_one_share_a_decision(percept: Percept) -> None:
    thoughts: list[int] = []
    mind = thinker(Hooks(), thoughts, dict.fromkeys(FACTS, 0))
    assert decide(mind, percept).name == "go"
    assert thoughts == [1]


@pytest.mark.parametrize(("learns", "then"), [(True, "bridge"), (False, "swim")])
def test_b16_new_long_term_knowledge_makes_the_mind_plan_again(
    world: MemoryWorld,
    percept: Percept,
    learns: bool,  # noqa: FBT001
    then: str,
) -> None:
    facts = dict.fromkeys(FACTS, 0)
    mind = river(world.hooks, facts)
    blackboard = world.memory.blackboard
    blackboard.subscribe("agent:*:ltm:*", mind.remembered)

    assert [decide(mind, percept).name for _ in range(2)] == ["wade", "wade"]
    facts |= {"near": 1, "open": 1}  # the plan to swim is still valid
    if learns:
        blackboard.write(SEMANTIC, "lesson", {"says": "the bridge is open"}, tick=1, game_s=1.0)
    assert decide(mind, percept).name == then


def river(hooks: Hooks, facts: dict[str, int]) -> Mind:
    """Return a mind with the goal `there`: by wading and swimming, or over the bridge once that is open."""
    there = Effect("there", 1)
    near, is_open = Require("near", at_least=1), Require("open", at_least=1)
    ways = (
        Action("wade", (), (Effect("near", 1),), 3, "wade in"),
        Action("swim", (near,), (there,), 3, "swim"),
        Action("bridge", (is_open,), (there,), 1, "take the bridge"),
    )
    return mind_of(hooks, facts, *(BoundAction(each, walk) for each in ways))


def test_knowledge_is_recalled_once_before_a_trainer_battle(
    world: MemoryWorld, percept: Percept
) -> None:
    assert world.facts(percept)[LEADER.recalled] == 0
    world.do(LEADER.recalled, percept.state)
    assert world.facts(percept)[LEADER.recalled] == 1
    (entry,) = world.memory.blackboard.entries(WORKING, kind=RECOLLECTION)
    assert recollection_of(entry).why == LEADER.recalled


@pytest.mark.parametrize(("outcome", "utility"), [("victory", 0.55), ("defeat", 0.45)])
def test_b17_recalled_entries_are_judged_by_the_next_battle(
    world: MemoryWorld, percept: Percept, outcome: str, utility: float
) -> None:
    blackboard = world.memory.blackboard
    judge = RecallJudge(world.game_context, world.actions)
    blackboard.subscribe(STM, judge.saw)
    known = blackboard.write(
        SEMANTIC, "lesson", {"subject": FIRST, "says": "weak to water"}, tick=1, game_s=1.0
    )
    world.do(LEADER.recalled, percept.state)
    for enemy in ("MOTH", FIRST):
        record = battle(enemy, outcome)
        blackboard.write(STM, BATTLE, record, tick=9, game_s=9.0)

    entry = blackboard.get(SEMANTIC, known.key)
    assert entry is not None
    assert entry.utility == pytest.approx(utility)
    assert world.facts(percept)[LEADER.recalled] == 0  # due again before the next trainer battle


def battle(enemy: str, outcome: str) -> dict[str, Json]:
    return {
        "battle_id": f"9:{enemy}",
        "start_tick": 2,
        "end_tick": 9,
        "enemy_pokemon": enemy,
        "enemy_level": 9,
        "player_pokemon": "TOASTNUT",
        "player_level": 9,
        "outcome": outcome,
        "turns_taken": 3,
        "player_hp_remaining": 50.0,
        "moves_used": [],
        "items_used": [],
        "key_decisions": [],
    }


def test_working_memory_is_tidied_over_its_budget_and_then_not_for_a_while(
    world: MemoryWorld, percept: Percept
) -> None:
    blackboard = world.memory.blackboard
    assert world.facts(percept)[UNTIDY] == 0
    for number in range(50):
        words = " ".join(f"word{number % 7}x{each}" for each in range(100))
        blackboard.write(WORKING, "note", {"says": words}, tick=1, game_s=1.0)
    assert world.memory.recall.fullness(WORKING) > 1.0
    assert world.facts(percept)[UNTIDY] == 1

    world.do("tidy_memory", percept.state)
    assert len(blackboard.entries(WORKING, kind="note")) == 7  # each once
    assert world.memory.recall.fullness(WORKING) < 1.0

    for number in range(50):
        words = " ".join(f"other{number}x{each}" for each in range(100))
        blackboard.write(WORKING, "note", {"says": words}, tick=1, game_s=1.0)
    soon, later = (replace(percept, state=at(percept.state, s)) for s in (2.0, 2 + TIDY_AGAIN_S))
    assert [world.facts(each)[UNTIDY] for each in (soon, later)] == [0, 1]


def at(state: State, seconds: float) -> State:
    return replace(state, frame=round(seconds * FRAMES_PER_SECOND))


def test_a_recalling_sensor_queries_again_only_after_changes_in_its_scope(
    world: MemoryWorld, percept: Percept
) -> None:
    asked = []

    def read(recall: Recall) -> dict[str, int]:
        asked.append(1)
        return {"known": len(recall.recent(WORKING, "note", 9))}

    sensor, recall = recalling(frozenset({"known"}), WORKING, read), world.memory.recall
    blackboard = world.memory.blackboard
    assert [sensor.read(percept, recall) for _ in range(3)] == [{"known": 0}] * 3
    note = blackboard.write(WORKING, "note", {"n": 1}, tick=1, game_s=0.0)
    blackboard.write(STM, "note", {"n": 2}, tick=1, game_s=0.0)
    assert [sensor.read(percept, recall) for _ in range(3)] == [{"known": 1}] * 3
    blackboard.revise(note, utility=0.9)
    assert sensor.read(percept, recall) == {"known": 1}
    blackboard.forget(WORKING, kind="note")
    assert sensor.read(percept, recall) == {"known": 0}
    assert len(asked) == 4


def test_the_domain_with_memory_is_valid(world: MemoryWorld) -> None:
    domain = domain_of(capabilities_for(world.game_context))
    domain.validate()
    (challenge,) = (each for each in domain.actions if each.name == f"task:{LEADER.id}")
    assert Require(LEADER.recalled, at_least=1) in challenge.requires


def test_without_memory_there_are_no_recall_actions(world: MemoryWorld) -> None:
    without_memory = replace(world.game_context, memory=None)
    assert capability(without_memory).actions == ()
    domain = domain_of(capabilities_for(without_memory))
    assert not [each for each in domain.actions if each.name.startswith("recalled")]


def test_b17_in_play_knowledge_is_recalled_before_the_leader(played: Played) -> None:
    with closing(read_run(played.folder)) as folder:
        recalls = list(folder.store.record.events(RECOLLECTION))
        steps = sum(1 for _ in folder.store.record.steps())
    assert LEADER.recalled in {each.payload["why"] for each in recalls}
    assert any(each.payload["keys"] for each in recalls)
    assert steps == played.summary.ticks  # recalling took no tick


ORDER = ["memory_map", "memory_stats", "memory_list_tags", "memory_forget", "memory_store"]


class UpkeepWorld(MemoryWorld):
    """A mind whose only action is the stock check, and the memory actions it called."""

    def __init__(self, path: Path, percept: Percept) -> None:
        super().__init__(path)
        self.called: list[str] = []
        self.hooks.after("MemoryActions.*", self._saw)
        recovery = StuckRecovery(ProgressMonitor(), seed=0)
        self.mind = Mind(
            (stock_of_memory(self.game_context),), self.memory.recall, self.hooks, recovery
        )
        self._percept = percept

    def decide(self, seconds: float) -> str:
        """Decide at a game time, and return the name of the intent that takes a step."""
        frame = ceil(seconds * FRAMES_PER_SECOND)
        percept = replace(self._percept, state=replace(self._percept.state, frame=frame))
        self.memory.blackboard.write(STM, "note", {"s": seconds}, tick=1, game_s=seconds)
        intent = self.mind.decide(percept, self.mind.sense(percept))
        self.mind.learn(intent, {}, intent.skill_run.resume(percept.state))
        return intent.name

    def stocks(self) -> list[Entry]:
        return self.memory.blackboard.entries(STM, kind=STOCK)

    def _saw(self, call: Call, _result: object) -> None:
        self.called.append(call.name.rpartition(".")[2])


@pytest.fixture
def upkeep(tmp_path: Path, percept: Percept) -> Iterator[UpkeepWorld]:
    made = UpkeepWorld(tmp_path / "run.sqlite", percept)
    with closing(made.store):
        yield made


def test_b11_a_stock_check_calls_five_memory_actions_in_one_decision(upkeep: UpkeepWorld) -> None:
    blackboard = upkeep.memory.blackboard
    for tags in (("ford",), ("ford", "toll")):
        blackboard.write(STM, "note", {}, tick=1, game_s=1.0, tags=tags)
    assert upkeep.decide(EVERY_S) == "wait"
    assert upkeep.called == ORDER
    (stock,) = upkeep.stocks()
    assert stock.status == "inferred"
    there = [each for scope in blackboard.scopes() for each in blackboard.entries(scope)]
    assert stock.data["entries"] == len([each for each in there if each.seq < stock.seq])
    assert stock.data["tags"].items() >= {"ford": 2, "toll": 1}.items()  # type: ignore[union-attr]
    assert stock.data["forgotten"] == 0
    assert "no battle is known" in stock.data["gaps"]  # type: ignore[operator]


def test_b11_stock_checks_run_at_their_interval(upkeep: UpkeepWorld) -> None:
    for seconds in (10.0, EVERY_S - 1):
        upkeep.decide(seconds)
    assert upkeep.called == []
    for seconds in (EVERY_S, EVERY_S + 1, 2 * EVERY_S - 1):
        upkeep.decide(seconds)
    assert len(upkeep.stocks()) == 1
    upkeep.decide(2 * EVERY_S + 1)
    assert upkeep.called == 2 * ORDER


def test_b11_outdated_stock_entries_are_forgotten(upkeep: UpkeepWorld) -> None:
    blackboard = upkeep.memory.blackboard
    old = blackboard.write(
        scope_name(AGENT, "working"), STOCK, {"gaps": []}, tick=1, game_s=1.0, tags=(STOCK,)
    )
    upkeep.decide(OUTDATED_S + 2.0)
    (stock,) = upkeep.stocks()
    assert stock.data["forgotten"] == 1
    assert blackboard.get(old.scope, old.key) is None


def test_the_stock_goal_has_a_label(upkeep: UpkeepWorld) -> None:
    (goal,) = upkeep.mind.domain.goals
    assert goal.name == DUE
    assert goal.label == "know what memory holds"
