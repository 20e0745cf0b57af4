"""The commands of memory: show, map, search, explain, export, forget, check, merge."""

import csv
import json
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from shutil import copyfile
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner, Result

from agent.app import Interrupt, Settings, outlook, play_run
from agent.cli import cli
from agent.errors import UsageError
from memory import (
    CorruptStore,
    MemoryFault,
    StoreError,
    open_knowledge_store,
    read_knowledge_store,
    read_run,
)
from memory.errors import MissingStore, RunFolderError
from memory.inspect import check_file
from tests.agent.support import Agent, Played, Watcher
from tests.memory.samples import MONTH, NOON
from tests.memory.store.taught import alter, count, damaged, taught

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
    name, runs = items[0]["short"], played.folder.parent
    why = plain(ask("explain", name, "--in", played.memory, "--runs", runs))
    assert re.search(r"the battle against .* that began at tick [\d,]+: .* won after", why)
    assert re.search(r"tick [\d,]+, 0:\d\d:\d\d of game time, after fight", why)
    assert re.search(r"success rate 1\.00: \d+ won of \d+ battles", why)
    assert re.search(r"about \d{4}-\d\d-\d\d, in 2[34] months", why)
    alone = plain(ask("explain", name, "--in", played.memory, "--runs", runs / "no"))
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
    memory = played.memory
    asked: list[tuple[type[Exception], str, tuple[object, ...]]] = [
        (MissingStore, "does not exist", ("show", tmp_path / "none.sqlite")),
        (RunFolderError, "folder without run.sqlite", ("show", tmp_path)),
        (UsageError, "nothing is called 'nobody'", ("show", memory, "nobody")),
        (UsageError, "--kind x: there is none; it holds ", ("show", memory, "--kind", "x")),
        (UsageError, "nothing is called", ("explain", "20", "--in", memory)),
        (UsageError, "no letter and no figure", ("search", "!?", "--in", memory)),
        (UsageError, "exists; name a file that", ("export", memory, "--to", there)),
        (UsageError, "none of .json, .md and", ("export", memory, "--to", tmp_path / "a.txt")),
        (UsageError, "no folder that exists", ("export", memory, "--to", tmp_path / "no/a.md")),
    ]
    for kind, words, arguments in asked:
        raised = ask(*arguments).exception
        assert isinstance(raised, kind), arguments
        assert words in str(raised)
        assert "\n" not in str(raised)
    assert there.read_text(encoding="utf-8") == "mine"


def looks_at(path: Path) -> list[tuple[object, ...]]:
    """Return the commands that only read a file."""
    return [("show", path), ("map", path), ("search", "tackle", "--in", path), ("check", path)]


def test_looking_leaves_nothing_behind(ask: Ask, played: Played, tmp_path: Path) -> None:
    path = tmp_path / "m.sqlite"
    path.write_bytes(played.memory.read_bytes())
    before = path.read_bytes()
    for command in looks_at(path):
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


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    return taught(tmp_path / "m.sqlite")


def test_what_is_forgotten_goes_to_the_archive_and_a_copy_is_kept(ask: Ask, memory: Path) -> None:
    whole = memory.read_bytes()
    said = plain(ask("forget", "s0", "m1", f"run-1/{2}", "--in", memory, "--yes"))
    assert "3 things went to the archive" in said
    with_less = read_knowledge_store(memory)
    known = with_less.load_knowledge()
    assert (set(known.strategies), set(known.mistakes)) == ({"s1", "s2"}, set())
    assert [each.key for each in with_less.entries()] == ["run-1/1", "run-1/3"]
    assert with_less.provenance("mistake_records", "m1") is None
    with_less.close()
    assert count(memory, "archive") == 3
    copy = memory.with_name("m.sqlite.before-forget-1")
    assert str(copy) in said
    assert read_knowledge_store(copy).load_knowledge() != known
    assert len(copy.read_bytes()) == len(whole)
    assert check_file(memory, now=NOON) == []


def test_forgetting_by_kind_and_age(ask: Ask, memory: Path) -> None:
    alter(
        memory,
        "UPDATE successful_strategies SET last_used = 4e9",
        "UPDATE successful_strategies SET first_used = 1.0, last_used = 1.79e9"
        " WHERE strategy_id = 's1'",
    )
    gone = last(
        ask("forget", "--kind", "strategy", "--older-than", 3, "--in", memory, "--yes", "--json")
    )
    assert [each["id"] for each in gone["forgotten"]] == ["s1"]
    assert "Nothing is like that" in plain(
        ask("forget", "--kind", "battle", "--in", memory, "--yes")
    )


def test_nothing_is_forgotten_unasked(ask: Ask, memory: Path, played: Played) -> None:
    before = memory.read_bytes()
    for arguments, words in (
        ((), "that would be everything"),
        (("s0",), "add --yes"),
        (("nobody", "--yes"), "nothing is called"),
    ):
        raised = ask("forget", *arguments, "--in", memory).exception
        assert isinstance(raised, UsageError)
        assert words in str(raised)
    assert memory.read_bytes() == before
    assert [each.name for each in memory.parent.iterdir()] == [memory.name]
    of_run = ask("forget", "--kind", "battle", "--in", played.folder, "--yes").exception
    assert isinstance(of_run, UsageError)


def test_a_sound_file_exits_0_and_a_wrong_one_1_until_it_is_repaired(
    ask: Ask, memory: Path
) -> None:
    # In the time of the test everything in the sample is as old as it is new.
    alter(memory, "UPDATE tactician_stats SET decayed_at = 4e9")
    assert check_file(memory, now=NOON) == []
    alter(memory, "UPDATE mistake_records SET occurrence_count = 0", "DELETE FROM deliveries")
    found = ask("check", memory)
    assert found.exit_code == 1
    assert "--repair" in found.output
    repaired = ask("check", memory, "--repair", "--json")
    assert last(repaired)["sound"] is True
    assert len(last(ask("check", memory, "--json"))["findings"]) == 0
    assert memory.with_name("m.sqlite.before-repair-1").exists()
    assert count(memory, "archive") == 1


def test_a_memory_that_play_left_is_sound_and_can_be_played_with_after_repair(
    ask: Ask, played: Played, tmp_path: Path
) -> None:
    assert "is sound" in plain(ask("check", played.memory))
    assert "is sound" in plain(ask("check", played.folder))
    path = tmp_path / "m.sqlite"
    path.write_bytes(played.memory.read_bytes())
    alter(
        path,
        "UPDATE mistake_records SET situation = '{'",
        "UPDATE successful_strategies SET moves_sequence = '{'",
    )
    with pytest.raises(CorruptStore):
        open_knowledge_store(path, now=NOON + MONTH)
    assert ask("check", path, "--repair").exit_code == 0
    store = open_knowledge_store(path, now=NOON)
    assert store.load_knowledge().total_sessions == 1
    store.close()


def test_a_torn_file_is_refused_by_repair_too_and_stays_as_it_is(
    agent: Agent, memory: Path
) -> None:
    whole = memory.read_bytes()
    memory.write_bytes(bytes(4096) + whole[4096:])
    refused = agent("memory", "show", memory)
    assert refused.code == 1
    assert "not a SQLite file" in refused.err
    memory.write_bytes(b"SQLite format 3\0" + bytes(52) + whole[68:72] + bytes(28) + whole[100:])
    torn = memory.read_bytes()
    for command in (("show",), ("check",), ("check", "--repair", "--json")):
        refused = agent("memory", command[0], memory, *command[1:])
        assert (refused.code, refused.err.count("\n")) == (1, 1)
        assert "put back a copy of it" in refused.err
    assert memory.read_bytes() == torn


@pytest.mark.parametrize("batch", range(5))
def test_no_damage_is_answered_with_a_traceback(batch: int, ask: Ask, tmp_path: Path) -> None:
    whole = taught(tmp_path / "whole.sqlite", strategies=20, entries=20).read_bytes()
    path = tmp_path / "m.sqlite"
    for seed in range(1_000 + 8 * batch, 1_008 + 8 * batch):
        data = damaged(whole, seed)
        path.write_bytes(data)
        for command in looks_at(path):
            ended = ask(*command)
            assert ended.exception is None or isinstance(
                ended.exception, (SystemExit, MemoryFault, UsageError)
            ), (seed, command, ended.exc_info)
            assert path.read_bytes() == data
    assert {each.name for each in tmp_path.iterdir()} == {"m.sqlite", "whole.sqlite"}


def test_a_folder_and_a_foreign_file_are_refused_by_repair_as_well(
    ask: Ask, tmp_path: Path
) -> None:
    words = tmp_path / "words.sqlite"
    words.write_text("these are words", encoding="utf-8")
    for path in (tmp_path, words):
        assert isinstance(ask("check", path, "--repair").exception, StoreError)
    assert [each.name for each in tmp_path.iterdir()] == ["words.sqlite"]


class Taught(NamedTuple):
    """Memories that were each taught by a game of its own, and the names of those runs."""

    files: list[Path]
    runs: list[str]


@pytest.fixture(scope="module")
def merge_taught(tmp_path_factory: pytest.TempPathFactory) -> Taught:
    folder, taught = tmp_path_factory.mktemp("taught"), Taught([], [])
    for seed in (100, 101):
        memory, run = folder / f"{seed}.sqlite", folder / f"run-{seed}"
        settings = Settings(seed=seed, until="rival", run=run, memory=memory)
        play_run(settings, Watcher(), Interrupt())
        taught.files.append(memory)
        with closing(read_run(run)) as played:
            taught.runs.append(played.store.run_id)
    return taught


def test_b33_a_run_on_merged_memories_starts_from_both_and_names_them(
    merge_taught: Taught, tmp_path: Path, agent: Agent
) -> None:
    merged = tmp_path / "merged.sqlite"
    ended = agent("memory", "merge", *merge_taught.files, "--into", merged, "--json")
    assert (ended.code, ended.json["changed"]) == (0, True)
    assert ended.json["runs"] == sorted(merge_taught.runs)
    with closing(read_knowledge_store(merged)) as reader:
        known, seeds = reader.load_knowledge(), reader.seed()
    assert known.total_sessions == 2
    folder = tmp_path / "third"
    play_run(
        Settings(seed=102, until="left_home", run=folder, memory=merged), Watcher(), Interrupt()
    )
    with closing(read_run(folder)) as run:
        entries = list(run.store.live_entries())
    named = {source.removeprefix("run:") for each in entries for source in each.sources}
    assert set(merge_taught.runs) <= named
    starts = {f"{run}/" for run in merge_taught.runs}
    episodes = [each for each in entries if each.scope.endswith(":episodic")]
    assert all(any(each.key.startswith(run) for each in episodes) for run in starts)
    # What both games taught is everybody's, and the run has got it.
    agreed = {each.key: each for each in entries if each.scope == "collective"}
    assert agreed.keys() == {each.key for each in seeds if each.scope == "collective"}
    assert agreed
    here = {each.key: each for each in entries if ":ltm:" in each.scope}
    for each in agreed.values():
        assert each.data["origins"] == sorted(merge_taught.runs)
        assert {f"run:{run}" for run in merge_taught.runs} <= set(
            here[str(each.data["about"])].sources
        )
    assert outlook(None, folder).plan is not None
    with closing(read_knowledge_store(merged)) as reader:  # the third run has added itself
        assert reader.load_knowledge().total_sessions == 3


def test_b34_merging_once_more_says_that_nothing_changed(
    merge_taught: Taught, tmp_path: Path, agent: Agent
) -> None:
    merged = tmp_path / "merged.sqlite"
    first = agent("memory", "merge", *merge_taught.files, "--into", merged)
    assert "merged.sqlite: what 2 runs taught" in first.out
    again = agent("memory", "merge", merge_taught.files[0], "--into", merged)
    assert "holds all of it already; nothing was changed." in again.out.replace("\n", " ")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("none.sqlite", "--into", "c.sqlite"), 1, "none.sqlite does not exist; name"),
        (("letter.txt", "--into", "c.sqlite"), 1, "letter.txt is not a SQLite file; name another"),
        (("letter.txt", "--into", "nowhere/c.sqlite"), 2, "names no file in a folder that exists"),
        (("letter.txt", "--into", "."), 2, "names no file in a folder that exists; name one"),
    ],
)
def test_what_cannot_be_merged_is_told_in_one_line(
    tmp_path: Path, agent: Agent, arguments: tuple[str, ...], code: int, says: str
) -> None:
    (tmp_path / "letter.txt").write_text("a letter", encoding="utf-8")
    paths = [each if each.startswith("--") else tmp_path / each for each in arguments]
    ended = agent("memory", "merge", *paths)
    assert (ended.code, ended.out) == (code, "")
    assert says in ended.err
    assert len(ended.err.splitlines()) == 1
    assert not (tmp_path / "c.sqlite").exists()
