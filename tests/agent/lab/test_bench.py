"""`bench`: measurement does not change the game, separates its parts, and prints its findings."""

import json
import pkgutil
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path

import pytest

from agent.app.session import PlayLimits
from agent.app.summary import NoViewer
from agent.cli.measurements import show
from agent.lab.bench import side_by_side
from agent.lab.bench import stopwatch as parts
from agent.lab.bench.game import open_session, play
from agent.lab.bench.side_by_side import measure_side_by_side
from agent.lab.bench.speed import never_halting
from agent.lab.bench.stopwatch import Parts, Stopwatch
from agent.lab.publish import Findings, flattened
from agent.story.story import Story
from emulator import Step, demo_cartridge_path, load_cartridge
from memory import StepRow
from tests.agent.support import Agent, CtrlC

CARTRIDGE = load_cartridge(demo_cartridge_path())
FRAMES, SUM, LCDC = 0xC000, 0xC300, 0xFF40


def word(data: bytes) -> int:
    return int.from_bytes(data, "little")


def test_the_reference_never_halts_and_handles_every_v_blank() -> None:
    console = never_halting()
    before = word(console.read(FRAMES, 2))
    sums = set()
    for _ in range(50):
        console.perform(Step(None, 0, 1))
        sums.add(console.read(SUM, 1))
    assert word(console.read(FRAMES, 2)) == before + 50
    assert console.read(LCDC, 1)[0] & 0x80
    assert len(sums) > 10  # the main program looped, with other numbers every time
    console.close()


class Clock:
    """A clock set by a test."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def work(self, seconds: float) -> None:
        self.now += seconds


def test_a_part_excludes_the_time_of_parts_it_calls() -> None:
    clock = Clock()
    stopwatch = Stopwatch(clock)
    inner = stopwatch.timed("inner", lambda: clock.work(3))

    def work() -> None:
        clock.work(1)
        inner()
        inner()

    stopwatch.timed("outer", work)()
    assert stopwatch.lap() == {"outer": 1.0, "inner": 6.0}
    assert stopwatch.lap() == {}


def test_timed_functions_are_restored_afterwards() -> None:
    def current(function: Callable[..., object]) -> object:
        return pkgutil.resolve_name(f"{function.__module__}:{function.__qualname__}")

    with Stopwatch().on(parts.PARTS):
        assert all(current(each) is not each for each in parts.PARTS)
    assert all(current(each) is each for each in parts.PARTS)


TICKS = 20


def recorded(timed: Parts) -> list[StepRow]:
    story = Story.of(CARTRIDGE.kind)
    with Stopwatch().on(timed), open_session(CARTRIDGE, story, 0) as (session, store):
        session.play(PlayLimits("never", TICKS), NoViewer())
        return list(store.record.steps())


def test_the_game_is_the_same_with_and_without_the_stopwatch() -> None:
    assert recorded(parts.PARTS) == recorded({})


def test_every_tick_is_recorded_with_its_frames() -> None:
    with closing(never_halting()) as reference:
        game = play(CARTRIDGE, 0, TICKS, parts.PARTS, reference)
    assert len(game.ticks) == TICKS
    assert all(tick.frames > 0 for tick in game.ticks)
    assert {"RAM read", "remembering", "checkpoints"} <= set(game.ticks[0].parts)
    assert set().union(*(tick.parts for tick in game.ticks)) <= set(parts.PARTS.values())


def test_all_ways_of_playing_side_by_side_have_the_same_input(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(side_by_side, "AT_A_TIME", (1,))  # a second process takes seconds to begin
    found = measure_side_by_side(CARTRIDGE, 0, 20, 1, lambda _: None)
    assert found.figures["ticks"] == 20
    speeds = found.figures["frames_per_s"]["1 at a time"]
    assert list(speeds) == [row["way"] for row in found.rows] == list(side_by_side.WAYS)
    assert all(each.low > 0 for each in speeds.values())
    assert found.draw is not None
    assert found.draw().startswith(b"\x89PNG")


@pytest.mark.parametrize("path", [".", "nowhere/page.json"])
def test_bench_refuses_an_unwritable_page_before_measuring(agent: Agent, path: str) -> None:
    ended = agent("bench", "speed", "--write", path)
    assert ended.code == 2
    assert ended.err == f"error: --write {path} names no file in an existing folder; name one\n"


def test_bench_prints_its_figures_as_one_json_object_or_as_a_table(
    agent: Agent,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = tmp_path / "speed.json"
    options = ("--json", "--ticks", "20", "--rounds", "1", "--write", page)
    ended = agent("bench", "speed", *options)
    assert ended.code == 0, ended.err
    assert len(ended.out.splitlines()) == 1
    figures = ended.json
    assert 0 < figures["speed_ratio"] < 1
    assert {"stretches", "parts_us"} <= set(figures)
    stages = [line.partition(":")[0] for line in ended.err.splitlines()]
    assert stages == [f"{number} of 3" for number in range(1, 4)]
    assert "2 of 3: 20 ticks beside a program that never halts" in ended.err
    written = json.loads(page.read_text(encoding="utf-8"))
    assert written["figures"] == figures
    assert written["command"].startswith(
        "scripts/red-agent bench speed --json --ticks 20 --rounds 1"
    )
    rows = flattened(figures)
    show(Findings("speed", figures, [rows]), json=False)
    table = capsys.readouterr().out
    assert all(row["value"].split()[0] in table for row in rows if row["value"])
    assert all(words in table for words in ("speed ratio", "RAM read", "plan us"))


def test_ctrl_c_ends_bench_at_the_next_stage(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    requested = CtrlC(iter([False, True]))
    monkeypatch.setattr("agent.app.interrupts", lambda: nullcontext(requested))
    ended = agent("bench", "speed", "--ticks", 60, "--rounds", 1)
    assert (ended.code, ended.out) == (130, "")
    first, last = ended.err.splitlines()
    assert first.endswith(": warming up")
    assert last == f"interrupted after {first!r}; there is no result"


def test_a_table_that_is_too_wide_is_shown_with_its_columns_as_rows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"figure number {number}" for number in range(6)]
    rows = [{"battles": kind, **dict.fromkeys(names, 1)} for kind in ("wild", "trainer")]
    for columns, head in ((200, ["battles", *names]), (80, ["battles", "wild", "trainer"])):
        monkeypatch.setenv("COLUMNS", str(columns))
        show(Findings("both", {}, [rows]), json=False)
        lines = capsys.readouterr().out.splitlines()
        assert " ".join(lines[2].split()) == " ".join(head)
        assert all(len(line) <= columns for line in lines)
