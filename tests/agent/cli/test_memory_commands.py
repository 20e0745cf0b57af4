"""What people see of a memory: `memory show`, `map`, `search`, `explain` and `export`."""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from agent.app import Interrupt, Settings, play_run
from agent.cli import cli
from agent.errors import UsageError
from memory.errors import MissingStore, RunFolderError
from tests.agent.support import Agent, Played, Watcher
from tests.memory.store.taught import alter, taught

Ask = Callable[..., Result]


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Run a command of memory in this process, as wide as a plain terminal."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: object) -> Result:
        return CliRunner().invoke(cli, ["memory", *map(str, arguments)])

    return run


def plain(result: Result) -> str:
    """What was printed, with the words of each cell in one line again."""
    assert result.exit_code == 0, result.output
    lines = [re.sub(r"[│┃]", " ", each) for each in result.output.splitlines()]
    return " ".join(" ".join(lines).split())


def last(result: Result) -> Any:  # noqa: ANN401  # JSON
    assert result.exit_code == 0, result.output
    return json.loads(result.output.splitlines()[-1])


def test_show_begins_with_totals_and_lists_each_kind(ask: Ask, played: Played) -> None:
    shown = plain(ask("show", played.memory))
    assert "sessions played 1" in shown
    assert re.search(r"battles decided \d+, of which [\d.]+% were won", shown)
    assert re.search(r"strategy: \d+", shown)
    assert "milestone first badge at tick" in shown
    assert not re.search(r"\d\.\d{4,}", shown)


def test_nothing_is_wider_than_a_plain_terminal(ask: Ask, played: Played) -> None:
    commands = [("show",), ("map",)]
    for file in (played.memory, played.folder):
        for command in commands:
            lines = ask(*command, file).output.splitlines()
            assert max(map(len, lines)) <= 80
            assert not any("…" in line for line in lines if "sensory" not in line)


def test_show_of_one_kind_and_of_one_thing(ask: Ask, played: Played) -> None:
    listed = last(ask("show", played.memory, "--kind", "acquaintance", "--limit", 2, "--json"))
    assert list(listed["items"]) == ["acquaintance"]
    first, second = listed["items"]["acquaintance"]
    assert first["short"] != second["short"]
    one = plain(ask("show", played.memory, first["short"]))
    assert "verified: the cartridge showed it" in one
    assert f"at tick {first['tick']:,} of run {first['run']}" in one
    whole = last(ask("show", played.memory, first["id"], "--json"))
    assert whole["data"] == first["data"]
    assert whole["evidence"]


def test_show_of_a_run_tells_how_far_it_got(ask: Ask, played: Played) -> None:
    for path in (played.folder, played.folder / "run.sqlite"):
        shown = plain(ask("show", path))
        assert f"reached tick {played.summary.ticks:,}, 0:" in shown
        assert "objective:" in shown
        assert "sensory input:" not in shown
    assert "sensory input:" in plain(ask("show", played.folder, "--kind", "sensory_input"))


def test_the_map_shows_places_edges_and_gaps(ask: Ask, played: Played) -> None:
    of_run = plain(ask("map", played.folder))
    assert "the memory of agent 'play'" in of_run
    assert "fades 1% a minute" in of_run
    assert "0 waiting" in of_run
    of_all = plain(ask("map", played.memory))
    assert "ltm:episodic" in of_all
    assert "who taught it" in of_all
    found = last(ask("map", played.folder, "--json"))["play"]
    assert [each["name"] for each in found["edges"]][:2] == ["moments", "actions"]
    assert found["problems"] == []
    assert last(ask("map", played.memory, "--json"))["runs"][0]["lessons"] > 0


def test_search_finds_entries_and_rows_of_all_tables_the_best_first(
    ask: Ask, played: Played
) -> None:
    item = last(ask("show", played.memory, "--kind", "strategy", "--json"))["items"]["strategy"][0]
    enemy = item["data"]["enemy_type"].split(",")[0]
    found = last(ask("search", enemy, "--in", played.memory, "--json"))
    assert enemy in json.dumps(found[0]["data"])
    scores = [each["score"] for each in found]
    assert scores == sorted(scores, reverse=True)
    parts = found[0]["parts"]
    weights = {"words": 0.35, "recency": 0.15, "importance": 0.2, "utility": 0.15, "match": 0.15}
    assert sum(parts[name] * weight for name, weight in weights.items()) == pytest.approx(scores[0])
    kinds = {each["kind"] for each in last(ask("search", "badge", "--in", played.memory, "--json"))}
    assert "waypoint" in kinds
    assert "words x0.35" in plain(ask("search", enemy, "--in", played.memory, "--explain"))
    assert last(ask("search", enemy, "--in", played.folder, "--json"))
    assert "Nothing has any of the words" in plain(ask("search", "xyzzy", "--in", played.memory))


def test_explain_leads_to_the_battle_and_says_when_it_is_forgotten(
    ask: Ask, played: Played
) -> None:
    items = last(ask("show", played.memory, "--kind", "strategy", "--json"))["items"]["strategy"]
    why = plain(
        ask("explain", items[0]["short"], "--in", played.memory, "--runs", played.folder.parent)
    )
    assert re.search(r"the battle against .* that began at tick [\d,]+: .* won after", why)
    assert re.search(r"tick [\d,]+, 0:\d\d:\d\d of game time, after fight", why)
    assert re.search(r"success rate 1\.00: \d+ won of \d+ battles", why)
    assert re.search(r"about \d{4}-\d\d-\d\d, in 2[34] months", why)
    alone = plain(
        ask(
            "explain",
            items[0]["short"],
            "--in",
            played.memory,
            "--runs",
            played.memory.parent / "no",
        )
    )
    assert "whose folder was not found" in alone
    told = last(ask("explain", items[0]["id"], "--in", played.memory, "--json"))
    assert told["evidence"]
    assert told["figures"][0]["what"] == "success rate"


def test_explain_says_why_something_no_longer_holds(ask: Ask, tmp_path: Path) -> None:
    path = taught(tmp_path / "m.sqlite")
    alter(path, "UPDATE provenance SET closed = 'it failed 9 of 9 times' WHERE id = 's1'")
    shown = plain(ask("explain", "s1", "--in", path))
    assert "still holds no: it failed 9 of 9 times" in shown
    assert "no run is given it" in shown


@pytest.mark.parametrize("suffix", ["json", "md", "csv"])
def test_export_holds_everything_twice_the_same(
    suffix: str, ask: Ask, played: Played, tmp_path: Path
) -> None:
    total = sum(last(ask("show", played.memory, "--json"))["kinds"].values())
    first, second = (tmp_path / f"{name}.{suffix}" for name in "ab")
    for to in (first, second):
        assert f"{total} things" in plain(ask("export", played.memory, "--to", to))
    words = first.read_text(encoding="utf-8")
    assert words == second.read_text(encoding="utf-8")
    match suffix:
        case "json":
            assert len(json.loads(words)["items"]) == total
        case "csv":
            rows = list(csv.DictReader(words.splitlines()))
            assert len(rows) == total
            assert all(json.loads(each["data"]) for each in rows)
        case _:
            assert sum(line.startswith("- **") for line in words.splitlines()) == total
    assert ask("export", played.folder, "--to", tmp_path / f"run.{suffix}").exit_code == 0


def test_bad_input_is_told_in_one_line(ask: Ask, played: Played, tmp_path: Path) -> None:
    there = tmp_path / "there.json"
    there.write_text("mine", encoding="utf-8")
    asked: list[tuple[tuple[object, ...], type[Exception], str]] = [
        (("show", tmp_path / "none.sqlite"), MissingStore, "does not exist"),
        (("show", tmp_path), RunFolderError, "folder without run.sqlite"),
        (("show", played.memory, "nobody"), UsageError, "nothing is called 'nobody'"),
        (
            ("show", played.memory, "--kind", "x"),
            UsageError,
            "--kind x: there is none; it holds ",
        ),
        (("explain", "20", "--in", played.memory), UsageError, "nothing is called"),
        (("search", "!?", "--in", played.memory), UsageError, "no letter and no figure"),
        (("export", played.memory, "--to", there), UsageError, "exists; name a file that does not"),
        (
            ("export", played.memory, "--to", tmp_path / "a.txt"),
            UsageError,
            "none of .json, .md and .csv",
        ),
        (
            ("export", played.memory, "--to", tmp_path / "no" / "a.md"),
            UsageError,
            "no folder that exists",
        ),
    ]
    for arguments, kind, words in asked:
        raised = ask(*arguments).exception
        assert isinstance(raised, kind), arguments
        assert words in str(raised)
        assert "\n" not in str(raised)
    assert there.read_text(encoding="utf-8") == "mine"


def test_looking_leaves_nothing_behind(ask: Ask, played: Played, tmp_path: Path) -> None:
    path = tmp_path / "m.sqlite"
    path.write_bytes(played.memory.read_bytes())
    before = path.read_bytes()
    for command in (
        ("show", path),
        ("map", path),
        ("search", "badge", "--in", path),
        ("check", path),
    ):
        assert ask(*command).exit_code == 0, ask(*command).output
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["m.sqlite"]


def test_the_whole_way_in_a_process_of_its_own(agent: Agent, played: Played) -> None:
    ended = agent("memory", "show", played.memory, "--json")
    assert (ended.code, ended.err) == (0, "")
    assert ended.json["sessions"] == 1
    ended = agent("memory", "show", played.memory, "nobody")
    assert ended.code == 2
    assert ended.err.startswith("error: nothing is called 'nobody'")


def test_a_run_that_began_with_what_another_taught_is_sound(
    ask: Ask, played: Played, tmp_path: Path
) -> None:
    memory, run = tmp_path / "memory.sqlite", tmp_path / "run"
    copyfile(played.memory, memory)
    play_run(Settings(until="left_home", run=run, memory=memory), Watcher(), Interrupt())
    assert "is sound" in plain(ask("check", run))
    assert "is sound" in plain(ask("check", memory))
