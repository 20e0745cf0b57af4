"""The oracle reports data lost or doubled in the files of a game, and bugs installed in the program."""

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from memory import KnowledgeStore
from memory.flow.flows import Flows
from memory.tiers.knowledge import ConsolidationConfig
from tests.proofs.channel import Aim, Phase
from tests.proofs.faults import KILLED, Planned
from tests.proofs.game import Games, loaded, milestones
from tests.proofs.ledger import Ledger
from tests.proofs.memory_oracle import delivered_problems
from tests.proofs.oracle import Files, run_problems
from tests.proofs.played import played

# The child processes do not use threads of the test runner.
pytestmark = [
    pytest.mark.proof,
    pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning"),
]
CARTRIDGE = loaded()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("short")
    played(folder, seed=3, until="rival")
    return folder


@pytest.fixture
def files(home: Path, tmp_path: Path) -> Files:
    (tmp_path / "scratch").mkdir()
    shutil.copytree(home / "run", tmp_path / "run")
    shutil.copyfile(home / "memory.sqlite", tmp_path / "memory.sqlite")
    return Files(tmp_path / "run", tmp_path / "memory.sqlite", tmp_path / "scratch")


def of_run(files: Files) -> Iterator[str]:
    return run_problems(files, CARTRIDGE, milestones(), "rival")


def of_memory(files: Files) -> list[str]:
    ledger = Ledger()
    with closing(sqlite3.connect(files.run / "run.sqlite")) as run:
        ((run_id,),) = run.execute("SELECT run_id FROM run")
        rows = run.execute("SELECT sequence, tick, kind, payload FROM outbox ORDER BY 1")
        ledger.note("deliver", run_id, 0, [[*row[:3], json.loads(row[3])] for row in rows])
    ledger.note("delivered", len(ledger._begun))
    return list(delivered_problems(files, ledger, ConsolidationConfig()))


def change(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        assert file.execute(sql).rowcount > 0


def test_an_ordinary_game_has_no_problems(files: Files) -> None:
    assert [*of_run(files), *of_memory(files)] == []


BATTLES = "FROM events WHERE kind = 'battle' AND live"
RUN = {
    f"DELETE FROM events WHERE id = (SELECT max(id) {BATTLES})": "battles: there were",
    f"INSERT INTO events (tick, kind, payload) SELECT tick, kind, payload {BATTLES} LIMIT 1": "events: battle of tick",
    f"UPDATE events SET payload = json_set(payload, '$.outcome', 'defeat') WHERE id = (SELECT min(id) {BATTLES})": "battles: no. 1 was",
    "DELETE FROM events WHERE id = (SELECT min(id) FROM events WHERE kind = 'location')": "places: no. 1 was",
    "UPDATE steps SET settle = settle + 1 WHERE tick = 7": "replay: ",
    "UPDATE steps SET live = 0 WHERE tick = (SELECT max(tick) FROM steps)": "branches: 1 steps are dead, 0 are recorded",
    "DELETE FROM events WHERE kind = 'milestone' AND tick < 80": "milestones: ['starter'",
    "UPDATE trail SET tick = 150 WHERE id = 5": "trail: ",
    "INSERT INTO entry_tags VALUES ('a tag', 'a scope', 1)": "index of tags: ",
    "INSERT INTO entry_text (entry_text) VALUES ('delete-all')": "index of words: ",
}
MEMORY = {
    "UPDATE contributions SET contribution = json_set(contribution, '$.record.data.battles', 99) WHERE key = 'totals:all'": "totals are",
    "UPDATE deliveries SET sequence = sequence - 1": "lessons: 1 were never delivered",
    "UPDATE ltm_entries SET data = json_set(data, '$.total_uses', 99) WHERE kind = 'strategy'": "total_uses is",
    "UPDATE ltm_entries SET count = 99 WHERE id = (SELECT max(id) FROM ltm_entries WHERE kind = 'opponent_met')": "counts 99, the lessons have it",
}


@pytest.mark.parametrize(("sql", "named"), RUN.items(), ids=RUN.values())
def test_the_oracle_reports_damage_in_a_run(files: Files, sql: str, named: str) -> None:
    change(files.run / "run.sqlite", sql)
    assert any(named in each for each in of_run(files))


@pytest.mark.parametrize(("sql", "named"), MEMORY.items(), ids=MEMORY.values())
def test_the_oracle_reports_damage_in_a_memory(files: Files, sql: str, named: str) -> None:
    change(files.memory, sql)
    assert any(named in each for each in of_memory(files))


BUGS: dict[str, tuple[type, str, Callable[..., object], str]] = {
    "edges restart after a restore": (Flows, "restore", lambda *_: None, "were carried"),
    "lessons are sent twice": (KnowledgeStore, "delivered", lambda *_: 0, "the lessons have it"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_the_oracle_reports_a_bug_in_the_program(
    bug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, name, replaced, named = BUGS[bug]
    monkeypatch.setattr(owner, name, replaced)  # a player is a fork of this process
    plan = [
        Planned(KILLED, Aim(Phase.DELIVERING, 60), 0.0),
        Planned(KILLED, Aim(Phase.CHECKPOINTING, 100), 0.0),
    ]
    row = Games(tmp_path, Random(1), is_supervised=False).play(plan, "rival")
    assert any(named in problem for problem in row["problems"]), row["problems"]
