"""A few faults through the same code as `scripts/nights`, and files with something wrong: the oracle names each."""

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hours.vigil import Vigil, vigil_verdicts
from hours.vigil_page import vigil_page, vigil_plot
from kills.found import found_run
from kills.lane import milestones, warm
from kills.words import Lesson, Phase
from nightly import injuries
from nightly.disk import OwnDisk, SharedDisk, see_own_mounts
from nightly.kinds import FITTING, FOR_GOOD, Kind, Outcome
from nightly.lane import Lane
from nightly.line import Aim, Line
from nightly.oracle import Files, memory_problems, run_problems
from nightly.page import document
from nightly.plan import MOMENTS, WEIGHTS, Planned, drawn
from nightly.plot import draw
from nightly.taught import Taught
from nightly.trouble import Game, Trouble

from agent.app import Interrupt, Settings, play_run
from memory import VitalsRow, flaw_in, read_run_store
from tests.agent.support import Watcher

# Newer Pythons warn of it where a test runner has threads; a child here touches nothing of theirs.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")


CARTRIDGE = warm()


def planned(kind: Kind, tick: int, phase: Phase = Phase.PLAYING) -> Planned:
    return Planned(kind, Aim(phase, tick), 0.0)


def test_a_game_goes_through_faults_of_several_kinds_to_its_goal(tmp_path: Path) -> None:
    home = tmp_path / "lane"
    home.mkdir()
    lane = Lane(home, tmp_path / "failures", 0, Random(3))
    plan = (
        planned(Kind.CLOCK_JUMPS, 20),
        planned(Kind.SUPERVISOR_KILLED, 60, Phase.CHECKPOINTING),
    )
    game = lane.game(plan, "starter")
    assert [each.kind for each in game.troubles] == [each.kind for each in plan]
    assert {each.outcome for each in game.troubles} == {Outcome.WENT_ON}
    assert (game.is_wrong, game.problems, game.verdict) == (False, (), "goal")
    assert all(each.back_s is not None for each in game.troubles)


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short game to which nothing happened: a battle, four places."""
    home = tmp_path_factory.mktemp("short")
    settings = Settings(seed=3, run=home / "run", memory=home / "memory.sqlite", until="rival")
    play_run(settings, Watcher(), Interrupt())
    return home


@pytest.fixture
def files(short: Path, tmp_path: Path) -> Files:
    (tmp_path / "scratch").mkdir()
    shutil.copytree(short / "run", tmp_path / "run")
    shutil.copyfile(short / "memory.sqlite", tmp_path / "memory.sqlite")
    return Files(tmp_path / "run", tmp_path / "memory.sqlite", tmp_path / "scratch")


def delivered(files: Files) -> Taught:
    found = found_run(files.run / "run.sqlite")
    assert found is not None
    return Taught({(found.run_id, each.sequence): each for each in found.outbox})


def problems(files: Files) -> list[str]:
    return [*of_run(files), *memory_problems(files, delivered(files))]


def of_run(files: Files) -> Iterator[str]:
    return run_problems(files, CARTRIDGE, milestones(), "rival")


def test_nothing_is_wrong_with_a_game_to_which_nothing_happened(files: Files) -> None:
    assert problems(files) == []


BATTLES = "FROM events WHERE kind = 'battle' AND live"
RUN_WRONGS = {
    f"DELETE FROM events WHERE id = (SELECT max(id) {BATTLES})": "battles: there were",
    "INSERT INTO events (tick, kind, payload) SELECT tick, kind, payload "
    f"{BATTLES} LIMIT 1": "events: battle of tick",
    f"UPDATE events SET payload = json_set(payload, '$.outcome', 'defeat') WHERE id = (SELECT min(id) {BATTLES})": "battles: no. 1 was",
    "DELETE FROM events WHERE id = (SELECT min(id) FROM events WHERE kind = 'location')": "places: no. 1 was",
    "UPDATE steps SET settle = settle + 1 WHERE tick = 7": "replay: ",
    "UPDATE steps SET live = 0 WHERE tick = (SELECT max(tick) FROM steps)": "branches: 1 steps are dead, 0 are told of",
    "DELETE FROM events WHERE kind = 'milestone' AND tick < 80": "milestones: ['starter'",
    "UPDATE trail SET tick = 150 WHERE id = 5": "trail: ",
}
MEMORY_WRONGS = {
    "DELETE FROM shares WHERE table_name = 'tactician_stats'": "battles: the run's share counts 0",
    "UPDATE tactician_stats SET total_battles = total_battles + 1": "battles are known",
    "UPDATE deliveries SET sequence = sequence - 1": "lessons: 1 were never delivered",
}


@pytest.mark.parametrize(("sql", "named"), RUN_WRONGS.items(), ids=RUN_WRONGS.values())
def test_what_is_lost_or_doubled_in_a_run_is_named(files: Files, sql: str, named: str) -> None:
    change(files.run / "run.sqlite", sql)
    assert any(named in each for each in of_run(files))


@pytest.mark.parametrize(("sql", "named"), MEMORY_WRONGS.items(), ids=MEMORY_WRONGS.values())
def test_what_is_lost_or_doubled_in_a_memory_is_named(files: Files, sql: str, named: str) -> None:
    taught = delivered(files)
    change(files.memory, sql)
    assert any(named in each for each in memory_problems(files, taught))


def change(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        assert file.execute(sql).rowcount > 0


def lesson(sequence: int) -> Lesson:
    return Lesson(sequence, 10 * sequence, "entry", {})


def rows(*sequences: int) -> list[list[object]]:
    return [list(lesson(each)) for each in sequences]


def test_a_delivery_that_was_begun_counts_once_the_file_knows_of_it() -> None:
    taught = Taught()
    taught.hear("deliver", "run", 0, rows(1, 2))
    taught.hear("delivered", 2)
    taught.hear("deliver", "run", 2, rows(3))  # and then it was killed
    taught.settle("run", 2)
    assert [*taught.lessons] == [("run", 1), ("run", 2)]
    taught.hear("deliver", "run", 2, rows(3))
    taught.settle("run", 3)
    assert len(taught.lessons) == 3
    assert (taught.forgotten, taught.problems) == (set(), [])


def test_what_a_memory_had_taken_in_and_knows_no_more_is_remembered() -> None:
    taught = Taught()
    taught.hear("deliver", "run", 0, rows(1, 2))
    taught.hear("delivered", 2)
    taught.settle("run", 1)
    assert taught.forgotten == {("run", 2)}
    taught.hear("deliver", "run", 1, rows(2))  # a copy was put back, and the outbox had it still
    taught.hear("delivered", 1)
    taught.settle("run", 2)
    assert taught.forgotten == set()


def test_a_spoilt_page_is_a_flaw_of_the_file(files: Files) -> None:
    for path in (files.run / "run.sqlite", files.memory):
        for number in range(40):  # some pages hold nothing
            injuries.spoil_page(path, Random(number))
            if flaw_in(path) is not None:
                break
        assert flaw_in(path) is not None


def test_a_cut_checkpoint_is_passed_over_for_an_older_one(files: Files) -> None:
    with closing(read_run_store(files.run / "run.sqlite")) as run:
        before = [len(each.state) for each in run.checkpoints()]
    assert injuries.cut_checkpoints(files.run / "run.sqlite", 2) == "the newest 2"
    with closing(read_run_store(files.run / "run.sqlite")) as run:
        after = [len(each.state) for each in run.checkpoints()]
    assert after == [size // 2 for size in before[:2]] + before[2:]


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        yield process
        process.kill()


def test_a_limit_of_files_stands_in_for_a_full_disk(
    tmp_path: Path, sleeper: subprocess.Popen[bytes]
) -> None:
    disk = SharedDisk(tmp_path)
    disk.fill(sleeper.pid)
    assert resource.prlimit(sleeper.pid, resource.RLIMIT_FSIZE)[0] == 1
    disk.free(sleeper.pid)
    assert resource.prlimit(sleeper.pid, resource.RLIMIT_FSIZE)[0] != 1


def test_a_disk_of_its_own_is_full_and_read_only_for_a_while(tmp_path: Path) -> None:
    child = os.fork()
    if child == 0:  # what it mounts nobody else sees
        os._exit(troubled_disk(tmp_path))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == 77:
        pytest.skip("nothing can be mounted here")
    assert code == 0


def troubled_disk(home: Path) -> int:
    """Return 0 when a disk could be filled and frozen, and was as before after each; 77 when there can be none."""
    try:
        disk = OwnDisk(home) if see_own_mounts() else None
    except OSError:
        disk = None
    if disk is None:
        return 77
    folder, codes = home / "run", list[bool]()
    folder.mkdir()
    disk.fill(0)
    codes.append(can_write(folder / "while it is full"))
    disk.free(0)
    codes.append(not can_write(folder / "once there is room"))
    disk.freeze(folder)
    codes.append(can_write(folder / "while it is frozen"))
    disk.thaw(folder)
    codes.append(not can_write(folder / "once it is not"))
    disk.close()
    return int(any(codes))


def can_write(path: Path) -> bool:
    try:
        path.write_bytes(bytes(10_000))
    except OSError:
        return False
    return True


def test_the_same_chance_draws_the_same_plan_and_every_kind_is_drawn() -> None:
    assert drawn(Random(5), 9) == drawn(Random(5), 9)
    kinds = {each.kind for seed in range(300) for each in drawn(Random(seed), 9)}
    assert kinds == set(Kind) == WEIGHTS.keys() | FOR_GOOD.keys()
    assert MOMENTS.keys() | FITTING.keys() <= kinds
    assert len(drawn(Random(5), 2)) == 2


def test_a_player_holds_its_breath_at_the_moment_that_is_aimed_at() -> None:
    line = Line()
    says = (
        "from kills.words import Phase\n"
        "from nightly.voice import LINE, Voice\n"
        "import os\n"
        "voice = Voice(int(os.environ[LINE]))\n"
        "for tick in range(25): voice.at(tick)\n"
        "with voice.within(Phase.DELIVERING): pass\n"
    )
    scripts = str(Path(__file__).parents[2] / "scripts")
    environment = {**os.environ, "NIGHTS_LINE": str(line.port), "PYTHONPATH": f"{scripts}:."}
    line.aim = Aim(Phase.DELIVERING, 20)
    with subprocess.Popen([sys.executable, "-c", says], env=environment) as child:
        assert line.until(lambda: line.life is not None and line.life.held is not None, 20.0)
        assert line.life is not None
        assert (line.life.pid, line.life.tick) == (child.pid, 24)
        assert line.life.held is Phase.DELIVERING
        line.release()
        assert line.until(lambda: line.life is None, 20.0)
    assert child.returncode == 0
    line.close()


def game(*, problem: str = "") -> Game:
    trouble = Trouble(
        Kind.CHILD_KILLED, "playing, tick 5", "SIGKILL", Outcome.WENT_ON, True, 1.5, 7, ()
    )
    other = replace(trouble, kind=Kind.RUN_DESTROYED, outcome=Outcome.NAMED, back_s=None)
    troubles = (trouble, trouble, other)
    wrong = (problem,) if problem else ()
    return Game("lane 0, game 1", troubles, "gave_up", "it is damaged", 5, 9.0, wrong, 0, "kept-1")


def test_the_page_counts_faults_and_lists_what_was_wrong(tmp_path: Path) -> None:
    page = document([game(), game(problem="battles: no. 3 was")], 5, "a disk", None)
    assert (
        "**6 faults in 2 games; games with something lost, doubled, not told or otherwise wrong: 1.**"
        in page
    )
    assert "| SIGKILL of the player | 4 | 4 | 4 |  |  |  | 1.50 | 1.50 | 7 | 7 |" in page
    assert "run.sqlite and its copies destroyed: `gave_up`, it is damaged" in page
    assert "battles: no. 3 was" in page
    assert "What was wrong" not in document([game()], 5, "a disk", None)
    draw([game()], tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def night(*, leak: float = 0, slower: float = 0, file: float = 0, faults: int = 0) -> Vigil:
    """A night of a thousand looks that is as it should be, but for what each adds to the one before."""
    vitals = [
        VitalsRow(
            session="a",
            tick=100 * at,
            frame=4_000 * at,
            at_ms=0,
            wall_s=at + slower * at * at,
            resident=int(100_000_000 + leak * at),
            file_bytes=int(50_000 * at + file * at * at),
            free_bytes=10**10,
        )
        for at in range(1_000)
    ]
    verdict = {"verdict": "limit", "which": "game_hours", "night_s": 1_000.0, "why": "18.6 hours"}
    return Vigil(vitals, [{"log_bytes": 1_000}], [{}] * faults, verdict, 60_000_000)


@pytest.mark.parametrize(
    ("vigil", "what"),
    [
        (night(), []),
        (night(leak=50_000), ["resident memory"]),
        (night(slower=0.001), ["frames a second: tenths 2 to 4"]),
        (night(file=50), ["run.sqlite"]),
        (night(faults=1), ["faults"]),
        (replace(night(), verdict={"verdict": "goal"}), ["the end"]),
    ],
    ids=["flat", "leak", "slower", "file", "fault", "goal"],
)
def test_whatever_is_not_flat_breaks_its_budget_alone(vigil: Vigil, what: list[str]) -> None:
    told = [*vigil_verdicts(vigil, 8)]
    assert [each.what.split(",")[0] for each in told if not each.is_met] == what
    assert all(each.figure in vigil_page(vigil, 8, "vigil.png") for each in told)
    assert vigil_plot(vigil).startswith(b"\x89PNG")
