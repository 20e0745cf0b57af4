"""bench memory measures at full capacity, and judges every figure by its 99th percentile."""

import json
from dataclasses import replace

import pytest

from agent.lab.bench.limits import BoundedFigure, BoundVerdict, FigureBound
from agent.lab.bench.memory import MemoryEffort, measure_memory
from agent.lab.bench.memory_fill import dated, stretch_of_play
from agent.lab.publish import Findings, as_json
from agent.lab.stats import Distribution
from emulator import demo_cartridge_path, load_cartridge
from memory import Blackboard
from tests.agent.support import Agent

CARTRIDGE = load_cartridge(demo_cartridge_path())
TICKS = 100


@pytest.fixture(scope="module")
def figures() -> Findings:
    effort = MemoryEffort(observations=600, often=20, seldom=2, games=1, ticks=TICKS)
    return measure_memory(CARTRIDGE, lambda _: None, effort)


def test_it_is_measured_at_full_capacity(figures: Findings) -> None:
    assert figures.figures["held"] == {
        "patterns": 500,
        "strategies": 100,
        "mistakes": 200,
        "events of the session": 1_000,
        "observations": 600,
    }


def test_every_figure_of_the_design_is_there(figures: Findings) -> None:
    told = {each["bound"]["what"].partition(":")[0] for each in figures.figures["figures"]}
    assert told == {
        "observer query",
        "observer",
        "strategist objective query",
        "strategist",
        "tactician strategy query",
        "tactician pattern query",
        "tactician mistake query",
        "consolidation of 1,000 ticks, all tiers full",
        "overhead of consolidation in between, 1,000 ticks",
        "play watched and remembered, 1,000 ticks",
        "tactician save",
        "tactician load",
        "tactician",
        "recall",
        "recall, worst case",
        "prompt block",
        "a disabled hook, a call",
    }
    assert all(each["values"]["p99"] > 0 for each in figures.figures["figures"])


def test_the_observer_has_a_moment_and_ten_actions_to_tell_of(figures: Findings) -> None:
    told = {each["bound"]["what"]: each["values"] for each in figures.figures["figures"]}
    moment = told["observer: a decision's context, as text"]
    assert moment["p50"] > 0.5  # KB: the game, the screen, and how the last actions ended


def test_the_table_and_the_object_have_every_figure(figures: Findings) -> None:
    told = json.loads(as_json(figures.figures))
    for row, figure in zip(figures.tables[0], told["figures"], strict=True):
        assert (row["what"], row["verdict"]) == (figure["bound"]["what"], figure["verdict"])


@pytest.mark.parametrize(
    ("p99", "verdict"),
    [(1.0, "within the aim"), (5.0, "within the limit"), (5.1, "ABOVE THE LIMIT")],
)
def test_the_99th_percentile_is_judged(p99: float, verdict: BoundVerdict) -> None:
    bound = FigureBound("something", limit=5.0, aim=1.0)
    assert BoundedFigure(bound, Distribution(0.1, 0.1, p99, 90.0)).verdict == verdict
    assert (
        BoundedFigure(replace(bound, limit=None), Distribution(0.1, 0.1, p99, 90.0)).verdict
        == "no limit"
    )


def test_what_play_writes_is_heard_as_it_is_handed_in_and_dated_anew() -> None:
    written = Blackboard.write
    stretch = stretch_of_play(CARTRIDGE, 0, TICKS)
    assert Blackboard.write is written  # nobody listens any more
    assert {each.kind for each in stretch} >= {"tick_state", "sensory_input", "action"}
    assert all(0 < each.tick <= TICKS for each in stretch)
    states = [each for each in stretch if each.kind == "tick_state"]
    assert all(each.data["tick"] == each.tick for each in states)
    assert dated({"tick": 3, "what": "3"}, 10) == {"tick": 13, "what": "3"}


def test_the_command_refuses_a_page_that_cannot_be_written(agent: Agent) -> None:
    ended = agent("bench", "memory", "--write", "/nowhere/at/all.json")
    assert ended.code == 2
    assert "names no file" in ended.err
