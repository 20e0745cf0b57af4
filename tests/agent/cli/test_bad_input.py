"""Bad input prints one error line, exits with the right code, and damages nothing."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from io import StringIO
from pathlib import Path

import pytest

from agent import HOME
from agent.cli.memory.export import _without_formula
from agent.cli.output import Output, facts, listing
from agent.tools.report.chart import local
from agent.tools.scenario.capture import Draft, text_of
from emulator import demo_cartridge_path
from tests.agent.hostile.texts import Hostile, hostile_texts
from tests.agent.support import Agent, Played, refused

DEMO = demo_cartridge_path().read_bytes()


def test_a_truncated_image_is_refused_and_unchanged(agent: Agent, tmp_path: Path) -> None:
    rom = tmp_path / "roms" / "truncated.gb"
    rom.parent.mkdir()
    rom.write_bytes(DEMO[:0x8000])
    ended = agent("play", "--rom", rom, "--run", tmp_path / "run")
    refused(ended, 1, "cut short")
    assert rom.read_bytes() == DEMO[:0x8000]
    assert [path.name for path in rom.parent.iterdir()] == [rom.name]
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--rom", "/nowhere/red.gb"), 1, "no cartridge at '/nowhere/red.gb'; name an image"),
        (("--rom", "/nowhere/red.gb"), 1, f"{HOME / 'roms'} has demo.gb"),
        (("--rom", str(HOME)), 1, "is a folder"),
        (("--ticks", "-1"), 2, "--ticks -1 is below 1"),
        (("--ticks", "0"), 2, "--ticks 0 is below 1"),
        (("--seed", "-3"), 2, "--seed -3 is below 0"),
        (("--seed", "4001"), 2, "--seed 4001 is above 4000"),
        (("--seed", "abc"), 2, "--seed abc is not a whole number"),
        (("--timeout", "soon"), 2, "--timeout soon is not a number"),
        (("--until", "hall_of_shame"), 2, "it has left_home"),
        (("--until", "first_bagde"), 2, "did you mean first_badge?"),
        (("--mind", "gpt"), 2, "--mind gpt is none of rules, claude"),
        (("--without", "thing"), 2, "people, things; did you mean things?"),
        (("--sed", "1"), 2, "there is no option --sed; did you mean --seed?"),
        (("--nothing",), 2, "there is no option --nothing; `scripts/red-agent play --help` shows"),
        (("--json=1",), 2, "--json takes no value"),
        (
            ("there",),
            2,
            "`scripts/red-agent play` takes no argument there; `scripts/red-agent play --help`",
        ),
        (("--run", "/dev/null/run"), 1, "cannot be written"),
        (("--run", "README.md"), 1, "README.md is a file; name a folder for the run"),
        (("--memory", "/dev/null/memory.sqlite"), 1, "/dev/null/memory.sqlite"),
        (("--resume", "/nowhere/run"), 1, "is no run"),
    ],
)
def test_a_bad_argument_of_play_prints_one_error_line(
    arguments: tuple[str, ...], code: int, words: str, agent: Agent, tmp_path: Path
) -> None:
    where = () if {"--run", "--resume"} & set(arguments) else ("--run", tmp_path / "run")
    ended = agent("play", *where, *arguments)
    refused(ended, code, words)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("pley",), "there is no command pley; did you mean play?"),
        (("ilestones",), "there is no command ilestones; did you mean milestones?"),
        (("serve",), "there is no command serve; `scripts/red-agent --help` lists all"),
        (("xyz",), "there is no command xyz; `scripts/red-agent --help` lists all"),
        (("memory", "show-all"), "there is no command show-all; did you mean show?"),
        (("plan", "--run"), "--run needs a value"),
        (("eval",), "--seeds is missing: Seeds of the games to play."),
        (("replay",), "RUN... is missing: The folder of a run, `last`, or an exported replay"),
        (("bench", "speed", "--rounds", "0"), "--rounds 0 is below 1"),
        (("memory", "explain"), "ID is missing: The id or short name of an item."),
    ],
)
def test_a_wrong_command_line_prints_one_error_line(
    arguments: tuple[str, ...], words: str, agent: Agent
) -> None:
    ended = agent(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"error: {words}")
    assert ended.err.count("\n") == 1


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_memory_that_cannot_be_used_is_unchanged_or_renamed_and_its_name_printed(
    agent: Agent, played: Played, tmp_path: Path
) -> None:
    whole = played.memory.read_bytes()
    damaged = whole[: len(whole) // 2]
    for content, words, left in (
        (b"not a database, but a letter" * 100, "is not a SQLite file", "memory.sqlite"),
        (damaged, "memory.sqlite.damaged-1", "memory.sqlite.damaged-1"),
    ):
        (tmp_path / "memory.sqlite").write_bytes(content)
        ended = agent("play", "--run", tmp_path / "run")
        refused(ended, 1, words)
        assert (tmp_path / left).read_bytes() == content


def test_a_folder_that_holds_a_run_is_not_overwritten(agent: Agent, played: Played) -> None:
    before = snapshot(played.folder)
    refused(agent("play", "--run", played.folder), 1, "already holds")
    assert snapshot(played.folder) == before


@pytest.fixture
def run(played: Played, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played.folder, tmp_path / "run"))


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


DamageRun = Callable[[Path], object]


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda run: (run / "run.toml").unlink(), "is no run"),
        (lambda run: (run / "run.toml").write_text("seed = ["), "cannot be read"),
        (lambda run: (run / "run.toml").write_text("seed = 1"), "run.toml lacks"),
        (lambda run: replace(run / "run.toml", "seed = 3", "seed = 'x'"), "'x' as seed"),
        (lambda run: (run / "run.sqlite").unlink(), "does not exist"),
        (lambda run: (run / "run.sqlite").write_bytes(b"x" * 5000), "run.sqlite"),
    ],
)
def test_a_damaged_run_is_not_replayed(
    damage: DamageRun, words: str, agent: Agent, run: Path
) -> None:
    damage(run)
    refused(agent("replay", run), 1, words)


def _edit(run: Path, sql: str) -> None:
    with closing(sqlite3.connect(run / "run.sqlite")) as database, database:
        database.execute(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE steps SET button = 'invalid' WHERE tick = 40",
        "UPDATE steps SET settle = 1000000000 WHERE tick = 40",
        "DELETE FROM steps WHERE tick = 40",
        "UPDATE events SET payload = '{}' WHERE kind = 'milestone'",
    ],
)
def test_an_edited_run_is_neither_drawn_nor_recorded_nor_exported(
    sql: str, run: Path, agent: Agent, tmp_path: Path
) -> None:
    _edit(run, sql)
    for command in (
        ("replay", run, "--to", 50, "--png", tmp_path / "made.png"),
        ("replay", run, "--export", tmp_path / "made"),
        ("scenario", "record", run, "--at", 200, "--name", "it", "--into", tmp_path / "made"),
    ):
        refused(agent(*command), 1)
        assert not list(tmp_path.glob("made*"))


def test_an_invalid_team_is_reported_as_damage(run: Path, agent: Agent) -> None:
    _edit(run, "UPDATE trail SET team = '[[1]]'")
    refused(agent("report", run), 1, "is damaged (trail: ")


def test_a_report_accepts_a_date_beyond_the_calendar(run: Path, agent: Agent) -> None:
    _edit(run, "UPDATE vitals SET at_ms = 99999999999999999, wall_s = 1e300")
    assert agent("report", run).code == 0
    assert local(-1e300).year in {1969, 1970}


def test_a_scenario_keeps_characters_beyond_the_basic_plane(
    run: Path, agent: Agent, tmp_path: Path
) -> None:
    into = tmp_path / "a folder"
    says = 'A "quote", \\ and \U0001f600\x7f\nü'
    made = agent(
        "scenario", "record", run, "--at", 40, "--name", "it", "--into", into, "--description", says
    )
    assert made.code == 0, made.err
    assert f"scenario run '{into}/it.toml'" in made.out
    assert agent("scenario", "list", into).code == 0
    assert text_of(Draft(description="a\ud800")).encode()


TEXTS = hostile_texts(key="an-entirely-made-up-key-0123456789")
SHORT = [each for each in TEXTS if len(each.text) < 1_000]


@pytest.mark.parametrize("hostile", SHORT, ids=[each.id for each in SHORT])
def test_output_contains_no_control_characters_of_texts(hostile: Hostile) -> None:
    output = StringIO()
    out = Output(file=output, width=80, force_terminal=False)
    out.say(hostile.text)
    out.print(facts(hostile.text, [(hostile.text, hostile.text)]))
    out.print(listing(hostile.text, ("id", "words"), [("a", hostile.text)], wide=1))
    for control in "\x1b\x07\x08\x0b\x0c\r\x00\x9b\u202e":
        assert control not in output.getvalue()
    assert output.getvalue().encode()


def test_output_keeps_its_own_styles_on_a_terminal() -> None:
    output = StringIO()
    Output(file=output, width=80, force_terminal=True, color_system="truecolor").print("[bold]a[/]")
    assert "\x1b[1ma\x1b[0m" in output.getvalue()


@pytest.mark.parametrize("hostile", TEXTS, ids=[each.id for each in TEXTS])
def test_no_exported_cell_is_a_formula(hostile: Hostile) -> None:
    assert not str(_without_formula(hostile.text)).startswith(("=", "+", "-", "@", "\t", "\r"))
    assert str(_without_formula(hostile.text)).removeprefix("'") == hostile.text.removeprefix("'")
