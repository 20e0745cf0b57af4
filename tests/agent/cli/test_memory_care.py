"""How people look after a memory: `memory forget` and `memory check`."""

from pathlib import Path

import pytest

from agent.errors import UsageError
from memory import CorruptStore, MemoryFault, StoreError, open_knowledge_store, read_knowledge_store
from memory.inspect import check_file
from tests.agent.cli.test_memory_commands import Ask, ask, last, plain
from tests.agent.support import Agent, Played
from tests.memory.samples import MONTH, NOON
from tests.memory.store.taught import alter, count, damaged, taught

__all__ = ["ask"]  # a fixture


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
        "UPDATE successful_strategies SET first_used = 1.0, last_used = 1790000000.0 WHERE strategy_id = 's1'",
    )
    alter(
        memory,
        "UPDATE successful_strategies SET last_used = 4000000000.0 WHERE strategy_id <> 's1'",
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
    for arguments, kind, words in (
        ((), UsageError, "that would be everything"),
        (("s0",), UsageError, "add --yes"),
        (("nobody", "--yes"), UsageError, "nothing is called"),
    ):
        raised = ask("forget", *arguments, "--in", memory).exception
        assert isinstance(raised, kind)
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
        for command in (
            ("show", path),
            ("map", path),
            ("search", "tackle", "--in", path),
            ("check", path),
        ):
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
