"""The commands of memory: show, map, search, explain, export, forget, check, merge."""

import csv
import json
import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shutil import copyfile, copytree
from typing import Any, NamedTuple, cast

import pytest
from typer.testing import CliRunner, Result

from agent.app import outlook
from agent.cli.memory import commands, maintenance
from agent.cli.memory import show as listings
from agent.cli.memory.export import export
from agent.cli.output import Output
from agent.errors import UsageError
from memory import (
    CorruptStore,
    Json,
    MemoryFault,
    StoreError,
    as_json,
    open_knowledge_store,
    read_knowledge_store,
    read_run,
)
from memory.errors import MissingStore, RunFolderError
from memory.inspect import check_file
from memory.tiers.lasting import OutboxRow
from tests.agent.lessons import teach, ticks_lesson
from tests.agent.support import Agent, Played, play_in, refused
from tests.memory.samples import MONTH, NOON, STRATEGY
from tests.memory.store.taught import alter, changed, count, damaged, taught

Ask = Callable[..., Result]


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Return a function that runs a memory command in this process, 80 columns wide."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: object) -> Result:
        return CliRunner().invoke(commands.memory, [*map(str, arguments)])

    return run


def plain(result: Result) -> str:
    """Return the output in one line, without the frames of tables."""
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


def test_progress_shows_milestones_by_run_choices_and_trend(ask: Ask, tmp_path: Path) -> None:
    taken = ((3, 200), (2, 180), (2, 120), (2, 100))
    lessons = [ticks_lesson("take_starter", way, ticks) for way, ticks in taken]
    for number, (_, payload) in enumerate(lessons):
        team: dict[str, Json] = {"run": f"run {number}", "team": ["RAT:5" if number else "CAT:5"]}
        moved: dict[str, Json] = {"moved": {"people": number}}
        data = cast("dict[str, Json]", payload["data"]) | team | moved
        payload["data"] = data | {
            "choices": {"take_starter": taken[number][0], "shopping": 1 + number % 2}
        }
    path = teach(tmp_path / "m.sqlite", lessons)
    found = last(ask("progress", path, "--json"))
    rival = {"milestone": "rival", "best": 100, "mean": 150, "trend": "-42%"}
    assert found["milestones"] == [rival | {"ticks": [200, 180, 120, 100]}]
    choices = [(each["way"], each["games"], each["mean"]) for each in found["choices"]]
    assert choices == [
        *[("to the next town, too", 2, 140), ("only into shops next door", 2, 160)],
        *[("RAT", 3, 133), ("CAT", 1, 200)],
    ]
    assert {each["compared"] for each in found["choices"]} == {"to rival"}
    weighed = [each["weighed"] for each in found["choices"]]
    assert weighed[1] - weighed[0] < 20  # the slow starter explains a part
    assert "decisions that memory moved: people 6" in plain(ask("progress", path))
    assert "knows no milestone" in str(
        ask("progress", taught(tmp_path / "o.sqlite", entries=0)).exception
    )


def test_progress_names_the_trainers_of_a_game(ask: Ask, played: Played) -> None:
    trainers = last(ask("progress", played.memory, "--json"))["trainers"]
    assert trainers
    assert all(each["won"] + each["lost"] and each["turns"] > 0 for each in trainers)


@pytest.mark.parametrize("words", ["milestone", "companion", "where to heal"])
def test_search_finds_what_show_shows_by_its_words(words: str, ask: Ask, played: Played) -> None:
    for file in (played.memory, played.folder):
        found = last(ask("search", words, "--in", file, "--json"))
        kind = "place_known" if "heal" in words else "milestone_time"
        assert kind in {each["kind"] for each in found}


def test_show_lists_the_best_proven_first(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "m.sqlite"
    with closing(open_knowledge_store(path, now=NOON)) as store:
        for at, uses in enumerate((6, 1, 3), start=1):
            used = replace(STRATEGY, strategy_id=str(uses), total_uses=uses)
            store.deliver("run", [OutboxRow(at, at, "strategy", as_json(used))])
    listed = last(ask("show", path, "--kind", "strategy", "--json"))["items"]["strategy"]
    assert [each["data"]["total_uses"] for each in listed] == [6, 3, 1]


def test_no_line_is_wider_than_80_columns(ask: Ask, played: Played) -> None:
    commands = [("show",), ("map",)]
    for file in (played.memory, played.folder):
        for command in commands:
            lines = ask(*command, file).output.splitlines()
            assert max(map(len, lines)) <= 80
            assert not any("…" in line for line in lines if "sensory" not in line)


def test_show_lists_one_kind_or_one_item(ask: Ask, played: Played) -> None:
    listed = last(ask("show", played.memory, "--kind", "opponent_met", "--limit", 2, "--json"))
    assert list(listed["items"]) == ["opponent_met"]
    first, second = listed["items"]["opponent_met"]
    assert first["short"] != second["short"]
    one = plain(ask("show", played.memory, first["short"]))
    assert "verified: the cartridge showed it" in one
    assert f"at tick {first['tick']:,} of run {first['run']}" in one
    whole = last(ask("show", played.memory, first["id"], "--json"))
    assert whole["data"] == first["data"]
    assert whole["evidence"]


def test_show_of_a_run_has_its_last_tick(ask: Ask, played: Played) -> None:
    for path in (played.folder, played.folder / "run.sqlite"):
        shown = plain(ask("show", path))
        assert f"reached tick {played.summary.ticks:,}, 0:" in shown
        assert "objective:" in shown
        assert "sensory input:" not in shown
        ticks = re.search(r"checkpoints at ticks ((?:[\d,]+, )*[\d,]+)", shown)
        assert ticks
        assert len(set(ticks[1].split(", "))) == len(ticks[1].split(", ")) > 1
    assert "sensory input:" in plain(ask("show", played.folder, "--kind", "sensory_input"))


def test_the_map_shows_scopes_edges_and_runs(ask: Ask, played: Played) -> None:
    of_run = plain(ask("map", played.folder))
    assert "the memory of agent 'play'" in of_run
    assert "fades 1% a" in of_run
    assert "0 waiting" in of_run
    of_all = plain(ask("map", played.memory))
    assert "ltm:episodic" in of_all
    assert "runs that added to it" in of_all
    found = last(ask("map", played.folder, "--json"))["play"]
    assert [each["name"] for each in found["edges"]][:2] == ["moments", "actions"]
    assert found["problems"] == []
    assert last(ask("map", played.memory, "--json"))["runs"][0]["lessons"] > 0


def test_search_finds_items_of_all_tables_best_first(ask: Ask, played: Played) -> None:
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
    assert "milestone_time" in kinds
    assert "words x0.35" in plain(ask("search", enemy, "--in", played.memory, "--explain"))
    assert last(ask("search", enemy, "--in", played.folder, "--json"))
    assert "No item has any of the words" in plain(ask("search", "xyzzy", "--in", played.memory))


def test_explain_shows_the_battle_and_the_expiry(ask: Ask, played: Played) -> None:
    items = last(ask("show", played.memory, "--kind", "strategy", "--json"))["items"]["strategy"]
    name, runs = items[0]["short"], played.folder.parent
    why = plain(ask("explain", name, "--in", played.memory, "--runs", runs))
    assert re.search(r"the battle against .* that began at tick [\d,]+: .* won after", why)
    assert re.search(r"tick [\d,]+, 0:\d\d:\d\d of game time, after fight", why)
    assert re.search(r"about \d{4}-\d\d-\d\d, in 2[34] months", why)
    alone = plain(ask("explain", name, "--in", played.memory, "--runs", runs / "no"))
    assert "whose folder was not found" in alone
    explained = last(ask("explain", items[0]["id"], "--in", played.memory, "--json"))
    assert explained["evidence"]


def test_evidence_is_an_action_or_only_recorded(ask: Ask, played: Played, tmp_path: Path) -> None:
    memory, runs = tmp_path / "m.sqlite", played.folder.parent

    def evidence(item: Any) -> list[str]:  # noqa: ANN401  # JSON
        explained = last(ask("explain", item["id"], "--in", memory, "--runs", runs, "--json"))
        return [each["why"] for each in explained["evidence"]]

    copyfile(played.memory, memory)
    won = last(ask("show", memory, "--kind", "strategy", "--json"))["items"]["strategy"]
    for each in won:
        assert re.search(
            r"^tick [\d,]+, .* of game time, after fight in the .*$", evidence(each)[1]
        )
    old = won[0]  # as an earlier version recorded it, at the time of the consolidation
    at = played.summary.ticks
    alter(
        memory,
        f"UPDATE ltm_entries SET sources = '[\"tick:{at}\"]' WHERE key = 'strategy:{old['id']}'",
    )
    assert evidence(old)[0].startswith(f"recorded at tick {at:,}, 0:")
    assert "after" not in evidence(old)[0]


@pytest.mark.parametrize("suffix", ["json", "csv"])
def test_two_exports_are_equal_and_complete(
    suffix: str, ask: Ask, played: Played, tmp_path: Path
) -> None:
    total = sum(last(ask("show", played.memory, "--json"))["kinds"].values())
    first, second = (tmp_path / f"{name}.{suffix}" for name in "ab")
    for to in (first, second):
        assert f"{total} items" in plain(ask("export", played.memory, "--to", to))
    words = first.read_text(encoding="utf-8")
    assert words == second.read_text(encoding="utf-8")
    match suffix:
        case "json":
            assert len(json.loads(words)["items"]) == total
        case _:
            rows = list(csv.DictReader(words.splitlines()))
            assert len(rows) == total
            assert all(json.loads(each["data"]) for each in rows)
    assert ask("export", played.folder, "--to", tmp_path / f"run.{suffix}").exit_code == 0


def test_bad_input_of_memory_raises_one_line(ask: Ask, played: Played, tmp_path: Path) -> None:
    there, memory = tmp_path / "there.json", played.memory
    there.write_text("mine", encoding="utf-8")
    cases: list[tuple[type[Exception], str, tuple[object, ...]]] = [
        (MissingStore, "does not exist", ("show", tmp_path / "none.sqlite")),
        (RunFolderError, "folder without run.sqlite", ("show", tmp_path)),
        (UsageError, "nothing is called 'unknown'", ("show", memory, "unknown")),
        (UsageError, "--kind x: there is none; it has ", ("show", memory, "--kind", "x")),
        (UsageError, "nothing is called", ("explain", "20", "--in", memory)),
        (UsageError, "no letter and no digit", ("search", "!?", "--in", memory)),
        (UsageError, "exists; name a file that", ("export", memory, "--to", there)),
        (UsageError, "neither .json nor .csv", ("export", memory, "--to", tmp_path / "a.txt")),
        (UsageError, "no folder that exists", ("export", memory, "--to", tmp_path / "no/a.csv")),
        (StoreError, "folder", ("check", tmp_path, "--repair")),
        (StoreError, "not a SQLite file", ("check", there, "--repair")),
    ]
    for kind, words, arguments in cases:
        raised = ask(*arguments).exception
        assert isinstance(raised, kind), arguments
        assert words in str(raised)
        assert "\n" not in str(raised)
    assert there.read_text(encoding="utf-8") == "mine"
    assert [each.name for each in tmp_path.iterdir()] == [there.name]


def reading_commands(path: Path) -> list[tuple[object, ...]]:
    """Return the commands that only read a file."""
    return [("show", path), ("map", path), ("search", "tackle", "--in", path), ("check", path)]


def test_reading_commands_write_nothing(ask: Ask, played: Played, tmp_path: Path) -> None:
    path = tmp_path / "m.sqlite"
    path.write_bytes(played.memory.read_bytes())
    before = path.read_bytes()
    for command in reading_commands(path):
        assert ask(*command).exit_code == 0, ask(*command).output
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["m.sqlite"]


def test_a_run_with_memory_of_another_is_sound(ask: Ask, played: Played, tmp_path: Path) -> None:
    memory = tmp_path / "memory.sqlite"
    copyfile(played.memory, memory)
    play_in(tmp_path, until="left_home")
    assert "is sound" in plain(ask("check", tmp_path / "run"))
    assert "is sound" in plain(ask("check", memory))


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    return taught(tmp_path / "m.sqlite")


def test_forgotten_items_go_to_the_archive_and_a_copy_is_made(ask: Ask, memory: Path) -> None:
    whole = memory.read_bytes()
    output = plain(ask("forget", "s0", "m1", f"run-1/{2}", "--in", memory, "--yes"))
    assert "3 items went to the archive" in output
    with_less = read_knowledge_store(memory)
    known = with_less.load_knowledge()
    assert (set(known.strategies), set(known.mistakes)) == ({"s1", "s2"}, set())
    assert [each.key for each in with_less.entries()] == ["run-1/1", "run-1/3"]
    assert with_less.entry("ltm:semantic", "mistake:m1") is None
    with_less.close()
    assert count(memory, "archive") == 3
    copy = memory.with_name("m.sqlite.before-forget-1")
    assert str(copy) in output
    assert read_knowledge_store(copy).load_knowledge() != known
    assert len(copy.read_bytes()) == len(whole)
    assert check_file(memory, now=NOON) == []


def test_restore_lists_the_archive_and_brings_items_back(
    ask: Ask, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (maintenance, listings):
        monkeypatch.setattr(module, "today", lambda: NOON)
    assert "holds nothing" in plain(ask("restore", "--in", memory))
    before = last(ask("show", memory, "--json"))
    ask("forget", "--kind", "strategy", "--in", memory, "--yes")
    ask("forget", "m1", "--in", memory, "--yes")
    listed = plain(ask("restore", "--in", memory))
    assert "in the archive: 4" in listed
    assert "forgotten or repaired" in listed
    one = last(ask("restore", "m1", "--in", memory, "--json"))
    assert [each["id"] for each in one["restored"]] == ["m1"]
    assert one["copy"] == f"{memory}.before-restore-1"
    assert "restored: 3" in plain(ask("restore", "--all", "--in", memory))
    assert last(ask("show", memory, "--json")) == before
    assert isinstance(ask("restore", "unknown", "--in", memory).exception, UsageError)


def test_a_memory_in_a_folder_whose_name_is_not_utf8_is_exported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        Output, "say", lambda *_: None
    )  # the terminal decides how it shows the name
    folder = tmp_path / "bad\udcff\udcfe"
    folder.mkdir()
    memory = taught(folder / "m.sqlite")
    for ending in ("json", "csv"):
        export(folder / f"all.{ending}", memory)
        assert (folder / f"all.{ending}").stat().st_size


def test_explain_shows_why_an_item_is_no_longer_true(ask: Ask, memory: Path) -> None:
    why = "it failed 9 of 9 times"
    alter(memory, f"UPDATE ltm_entries SET closed = '{why}' WHERE key = 'strategy:s1'")
    shown = plain(ask("explain", "s1", "--in", memory))
    assert f"still true no: {why}" in shown
    assert "no run gets it" in shown


def test_forgetting_by_kind_and_age(ask: Ask, memory: Path) -> None:
    alter(
        memory,
        changed("strategy", last_used=4e9),
        changed("strategy", "s1", first_used=1.0, last_used=1.79e9),
    )
    gone = last(
        ask("forget", "--kind", "strategy", "--older-than", 3, "--in", memory, "--yes", "--json")
    )
    assert [each["id"] for each in gone["forgotten"]] == ["s1"]
    assert "No item matches" in plain(ask("forget", "--kind", "battle", "--in", memory, "--yes"))


def test_forget_refuses_without_selection_or_confirmation(
    ask: Ask, memory: Path, played: Played
) -> None:
    before = memory.read_bytes()
    for arguments, words in (
        ((), "that would forget everything"),
        (("s0",), "add --yes"),
        (("unknown", "--yes"), "nothing is called"),
    ):
        ended = ask("forget", *arguments, "--in", memory)
        assert isinstance(ended.exception, UsageError)
        assert words in str(ended.exception)
        assert ended.output == ""  # without the table of what would be forgotten
    assert memory.read_bytes() == before
    assert [each.name for each in memory.parent.iterdir()] == [memory.name]
    of_run = ask("forget", "--kind", "battle", "--in", played.folder, "--yes").exception
    assert isinstance(of_run, UsageError)


def test_a_sound_file_exits_0_and_a_wrong_one_1_until_it_is_repaired(
    ask: Ask, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "today", lambda: NOON)
    assert check_file(memory, now=NOON) == []
    alter(memory, changed("mistake", occurrence_count=0), "DELETE FROM deliveries")
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
        "UPDATE ltm_entries SET data = '{' WHERE kind = 'mistake'",
        "UPDATE ltm_entries SET sources = '{' WHERE kind = 'strategy'",
    )
    with pytest.raises(CorruptStore):
        open_knowledge_store(path, now=NOON + MONTH)
    assert ask("check", path, "--repair").exit_code == 0
    store = open_knowledge_store(path, now=NOON)
    assert store.load_knowledge().total_sessions == 1
    store.close()


def test_a_corrupt_file_is_refused_by_all_commands_and_unchanged(
    agent: Agent, memory: Path
) -> None:
    whole = memory.read_bytes()
    memory.write_bytes(bytes(4096) + whole[4096:])
    refused(agent("memory", "show", memory), 1, "not a SQLite file")
    memory.write_bytes(b"SQLite format 3\0" + bytes(52) + whole[68:72] + bytes(28) + whole[100:])
    corrupt = memory.read_bytes()
    for command in (("show",), ("check",), ("check", "--repair", "--json")):
        refused(agent("memory", command[0], memory, *command[1:]), 1, "put back a copy of it")
    assert memory.read_bytes() == corrupt


def test_no_damage_causes_a_traceback(ask: Ask, tmp_path: Path) -> None:
    whole = taught(tmp_path / "whole.sqlite", strategies=20, entries=20).read_bytes()
    path = tmp_path / "m.sqlite"
    for seed in range(1_000, 1_020):
        data = damaged(whole, seed)
        path.write_bytes(data)
        for command in reading_commands(path):
            ended = ask(*command)
            assert ended.exception is None or isinstance(
                ended.exception, (SystemExit, MemoryFault, UsageError)
            ), (seed, command, ended.exc_info)
            assert path.read_bytes() == data
    assert {each.name for each in tmp_path.iterdir()} == {"m.sqlite", "whole.sqlite"}


class GameMemories(NamedTuple):
    """Memory files of one game each, and the ids of those runs."""

    files: list[Path]
    runs: list[str]


@pytest.fixture(scope="module")
def game_memories(tmp_path_factory: pytest.TempPathFactory) -> GameMemories:
    made = GameMemories([], [])
    for seed in (100, 101):
        home = tmp_path_factory.mktemp("taught")
        play_in(home, seed=seed, until="rival")
        made.files.append(home / "memory.sqlite")
        with closing(read_run(home / "run")) as run:
            made.runs.append(run.store.run_id)
    return made


def test_b33_a_run_on_merged_memories_starts_from_both_and_names_them(
    game_memories: GameMemories, tmp_path: Path, agent: Agent
) -> None:
    merged = tmp_path / "merged.sqlite"
    ended = agent("memory", "merge", *game_memories.files, "--into", merged, "--json")
    assert (ended.code, ended.json["changed"]) == (0, True)
    assert ended.json["runs"] == sorted(game_memories.runs)
    with closing(read_knowledge_store(merged)) as reader:
        known, seeds = reader.load_knowledge(), reader.seed()
    assert known.total_sessions == 2
    folder = tmp_path / "third"
    play_in(tmp_path, seed=102, until="left_home", run=folder, memory=merged)
    with closing(read_run(folder)) as run:
        entries = list(run.store.live_entries())
    named = {source.removeprefix("run:") for each in entries for source in each.sources}
    assert set(game_memories.runs) <= named
    starts = {f"{run}/" for run in game_memories.runs}
    episodes = [each for each in entries if each.scope.endswith(":episodic")]
    assert all(any(each.key.startswith(run) for each in episodes) for run in starts)
    # Lessons of both games are collective, and the run has them.
    agreed = {each.key: each for each in entries if each.scope == "collective"}
    assert agreed.keys() == {each.key for each in seeds if each.scope == "collective"}
    assert agreed
    here = {each.key: each for each in entries if ":ltm:" in each.scope}
    for each in agreed.values():
        assert each.data["origins"] == sorted(game_memories.runs)
        assert {f"run:{run}" for run in game_memories.runs} <= set(
            here[str(each.data["about"])].sources
        )
    assert outlook(None, folder).plan is not None
    with closing(read_knowledge_store(merged)) as reader:  # the third run has added its lessons
        assert reader.load_knowledge().total_sessions == 3


def test_b34_merging_again_changes_nothing(
    game_memories: GameMemories, tmp_path: Path, agent: Agent
) -> None:
    merged = tmp_path / "merged.sqlite"
    first = agent("memory", "merge", *game_memories.files, "--into", merged)
    assert "merged.sqlite: lessons from 2 runs merged" in first.out
    again = agent("memory", "merge", game_memories.files[0], "--into", merged)
    assert "contains all of it already; nothing was changed." in again.out.replace("\n", " ")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("none.sqlite", "--into", "c.sqlite"), 1, "none.sqlite does not exist; name a memory"),
        (("run", "--into", "c.sqlite"), 1, "is the folder of a run; name a memory file, such as"),
        (("run/run.sqlite", "--into", "c.sqlite"), 1, "is a record of a run; name a memory file"),
        ((".", "--into", "c.sqlite"), 1, "is a folder; name a memory file, such as memory.sqlite"),
        (("letter.txt", "--into", "c.sqlite"), 1, "letter.txt is not a SQLite file; name another"),
        (("letter.txt", "--into", "nowhere/c.sqlite"), 2, "names no file in an existing folder"),
        (("letter.txt", "--into", "."), 2, "names no file in an existing folder; name one"),
    ],
)
def test_a_refused_merge_prints_one_error_line(
    tmp_path: Path,
    agent: Agent,
    played: Played,
    arguments: tuple[str, ...],
    code: int,
    message: str,
) -> None:
    (tmp_path / "letter.txt").write_text("a letter", encoding="utf-8")
    copytree(played.folder, tmp_path / "run")
    paths = [each if each.startswith("--") else tmp_path / each for each in arguments]
    refused(agent("memory", "merge", *paths), code, message)
    assert not (tmp_path / "c.sqlite").exists()
