"""A handful of kills through the same code as `scripts/chaos`, and files damaged on purpose: the oracle names each."""

import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from kills.image import Image
from kills.kill import Kill, Outcome
from kills.lane import Lane, Places
from kills.life import Aim, Death, phase_after
from kills.page import document
from kills.words import Phase

from memory import Checkpoint, KnowledgeStore, RunStore, open_knowledge_store, read_run_store
from memory.flow.flows import Flows

# Newer Pythons warn of it where a test runner has threads; a child here touches nothing of theirs.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")

GOALS = ("left_home", "starter")
SILENCE = Death((), Phase.STARTING, None, 0.0)
MOST_S = 20.0


def lane_in(folder: Path, *goals: str) -> Lane:
    places = Places(folder / "lane", folder / "scratch", folder / "failures")
    for each in places:
        each.mkdir()
    return Lane(places, 0, Random(1), goals or GOALS)


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Lane:
    """A memory with one run that was killed after lessons of it had been delivered."""
    lane = lane_in(tmp_path_factory.mktemp("killed"), "healed")
    kill = lane.live(Aim(Phase.DELIVERING, 5, 0.0, MOST_S))
    assert (kill.is_kill, kill.problems) == (True, ())
    return lane


@pytest.fixture
def damaged(killed: Lane) -> Iterator[Lane]:
    """The same, put back afterwards to what it was."""
    files = [*killed.run.glob("run.sqlite*"), *killed.folder.glob("memory.sqlite*")]
    before = {file: file.read_bytes() for file in files}
    yield killed
    for file in before:
        file.unlink(missing_ok=True)
    for file, content in before.items():
        file.write_bytes(content)


def test_b18_kills_at_any_instant_lose_nothing_and_count_nothing_twice(tmp_path: Path) -> None:
    lane = lane_in(tmp_path, "healed")
    told = [
        lane.live(Aim(phase, count, delay_s, MOST_S))
        for phase, count, delay_s in (
            (Phase.CHECKPOINTING, 1, 0.0),
            (Phase.KEPT, 2, 0.0),
            (Phase.REWINDING, 1, 0.0),
            (Phase.DELIVERING, 1, 0.0005),
            (Phase.CONSOLIDATING, 1, 0.0),
            (Phase.AGEING, 1, 0.0),
            (Phase.PLAYING, 1, 0.2),
        )
    ]
    assert [problem for kill in told for problem in kill.problems] == []
    assert all(kill.is_kill for kill in told)


def test_b18_a_run_killed_while_it_ends_tells_its_last_session_once(tmp_path: Path) -> None:
    lane = lane_in(tmp_path)
    aims = (Aim(Phase.CLOSING, 1, 0.0, MOST_S), Aim(Phase.ENDING, 1, 0.0, MOST_S))
    first, last = (lane.live(aim) for aim in aims)
    assert (first.where, first.is_kill) == (Phase.CLOSING.value, True)
    assert (last.ended, last.problems) == (True, ())
    with closing(open_knowledge_store(lane.memory, now=0.0)) as memory:
        assert memory.load_knowledge().total_sessions == 1


def test_what_a_kill_left_is_sound(killed: Lane) -> None:
    assert killed.examine(SILENCE) == []


RUN_DAMAGE = {
    "DELETE FROM outbox WHERE sequence = 1": "lessons: ",
    "DELETE FROM events WHERE id = 3": "events: ",
    "UPDATE events SET live = 0 WHERE id = 3": "events: row 3 is on a dead branch",
    "DELETE FROM steps WHERE tick = 7": "steps: ",
    "DELETE FROM observations WHERE id = 2": "observations: ",
    "UPDATE observations SET live = 0 WHERE id = 2": "observations: row 2 is on a dead branch",
    "UPDATE steps SET settle = settle + 1 WHERE tick = 7": "chain of digests does not hold at tick 7",
    "DELETE FROM entries WHERE dropped_after IS NULL": "entries: ",
    "DELETE FROM checkpoints WHERE id = (SELECT max(id) FROM checkpoints)": "checkpoints: ",
    "INSERT INTO entry_tags VALUES ('a tag', 'a scope', 1)": "index of tags: ",
    "INSERT INTO entry_text (entry_text) VALUES ('delete-all')": "index of words: ",
    "UPDATE parts SET data = '{}' WHERE name = 'blackboard'": "part blackboard is not the one",
}
MEMORY_DAMAGE = {
    "DELETE FROM deliveries": "memory: table deliveries lacks",
    "UPDATE successful_strategies SET total_uses = total_uses + 1": "wins of strategies",
    "UPDATE tactician_stats SET decayed_at = decayed_at + 1": "memory: table tactician_stats",
    "INSERT INTO deliveries VALUES ('another', 1)": "memory: table deliveries lacks 0 rows",
}


@pytest.mark.parametrize(("sql", "named"), RUN_DAMAGE.items(), ids=RUN_DAMAGE)
def test_damage_to_a_run_is_named(damaged: Lane, sql: str, named: str) -> None:
    with closing(sqlite3.connect(damaged.run / "run.sqlite", isolation_level=None)) as file:
        assert file.execute(sql).rowcount > 0
    problems = damaged.examine(SILENCE)
    assert any(named in problem for problem in problems), problems


@pytest.mark.parametrize(("sql", "named"), MEMORY_DAMAGE.items(), ids=MEMORY_DAMAGE)
def test_damage_to_what_outlives_runs_is_named(damaged: Lane, sql: str, named: str) -> None:
    with closing(sqlite3.connect(damaged.memory, isolation_level=None)) as file:
        assert file.execute(sql).rowcount > 0
    problems = damaged.examine(SILENCE)
    assert any(named in problem for problem in problems), problems


def test_a_lesson_delivered_twice_is_named(damaged: Lane) -> None:
    with closing(read_run_store(damaged.run / "run.sqlite")) as run:
        run_id, rows = run.run_id, run.outbox()[:1]
    with closing(sqlite3.connect(damaged.memory, isolation_level=None)) as file:
        ((now,),) = file.execute("SELECT decayed_at FROM tactician_stats")
        file.execute("DELETE FROM deliveries WHERE run_id = ?", (run_id,))
    with closing(open_knowledge_store(damaged.memory, now=now)) as memory:
        assert memory.deliver(run_id, rows) == 1
    problems = damaged.examine(SILENCE)
    assert any("were delivered" in problem for problem in problems), problems
    assert any("too many" in problem for problem in problems), problems


def half_a_commit(store: RunStore, *, checkpoint: Checkpoint | None = None) -> None:
    """Write what was appended, and die before the checkpoint of the same moment."""
    with store._database.transaction():
        store._flush()
    if checkpoint is not None:
        if checkpoint.tick > 0:
            os.kill(os.getpid(), signal.SIGKILL)
        with store._database.transaction():
            store._save(checkpoint, store._encoded_parts())
    store._clear()


# What each would do to memory, were it the program's: the oracle must see it.
BUGS: dict[str, tuple[type, str, Callable[..., object], str]] = {
    "edges begin again": (Flows, "restore", lambda *_: None, "were carried"),
    "lessons go up again": (KnowledgeStore, "delivered", lambda *_: 0, "were delivered"),
    "commits come in halves": (RunStore, "commit", half_a_commit, "checkpoints: "),
}


@pytest.mark.parametrize("bug", BUGS)
def test_a_bug_put_into_the_program_is_found(
    bug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, name, replaced, named = BUGS[bug]
    monkeypatch.setattr(owner, name, replaced)  # a life is a fork of this process
    lane = lane_in(tmp_path, "healed")
    problems = [
        problem
        for phase in (Phase.DELIVERING, Phase.CHECKPOINTING)
        for problem in lane.live(Aim(phase, 2, 0.0, MOST_S)).problems
    ]
    assert any(named in problem for problem in problems), problems


def commit(step: str, *, checkpoint: int | None = None) -> dict[str, Any]:
    mark = (
        None
        if checkpoint is None
        else {"tick": checkpoint, "why": "consolidation", "content": "", "parts": {}}
    )
    return {
        "steps": [step],
        "events": [],
        "lessons": [step],
        "observations": [step],
        "accepted": {"actions": [len(step)]},
        "puts": {"1": step},
        "drops": [],
        "checkpoint": mark,
    }


def test_what_comes_after_a_checkpoint_is_dead_once_it_was_gone_back_to() -> None:
    image = Image().committed(commit("a", checkpoint=1)).committed(commit("b", checkpoint=2))
    back = image.committed(commit("c")).rewound(1)
    assert [(row.content, row.live) for row in back.steps] == [
        ("a", True),
        ("b", False),
        ("c", False),
    ]
    assert (back.entries, [mark.id for mark in back.marks], back.covered) == ({"1": "a"}, [1], 2)
    assert back.committed(commit("d", checkpoint=1)).marks[-1].id == 3  # a number never comes again


@pytest.mark.parametrize(
    ("said", "phase"),
    [
        ([], Phase.STARTING),
        ([["in", "playing"], ["in", "delivery"]], Phase.DELIVERING),
        ([["in", "playing"], ["in", "delivery"], ["done"], ["out"]], Phase.PLAYING),
        ([["in", "playing"], ["out"], ["end"]], Phase.ENDING),
    ],
)
def test_a_life_is_where_it_said_last(said: list[list[Any]], phase: Phase) -> None:
    assert phase_after(said) is phase


def kill_with(problem: str) -> Kill:
    return Kill(
        lane=0,
        number=4,
        seed=9,
        aim="2.00 ms into delivery no. 1",
        where=Phase.DELIVERING.value,
        is_kill=True,
        life_s=0.5,
        oracle_s=0.1,
        ticks=70,
        restored=False,
        ended=False,
        begun="deliver",
        outcome=Outcome.DONE,
        problems=(problem,) if problem else (),
        kept_as="failure-4" if problem else "",
    )


def test_the_page_counts_kills_and_lists_what_was_wrong() -> None:
    page = document([kill_with(""), kill_with("events: row 3 is lost")], 5, None)
    assert "**2 kills, 1 with something lost" in page
    assert "| delivery | 2 | 1 | 0.50 | 0.10 |" in page
    assert "| delivery of lessons | 2 | 2 | 0 | 0 |" in page
    assert "lane 0, life 4, seed 9, killed 2.00 ms into delivery no. 1 (delivery)" in page
    assert "events: row 3 is lost" in page
    assert "What was wrong" not in document([kill_with("")], 5, None)
