"""Reading of tapes of every era, in the order of the conversation, without changing them."""

import ast
import json
import random
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.errors import CorruptStore, ForeignStore, MissingStore, StoreError, UnknownMemory
from memory.tapes.command import run
from memory.tapes.entries import TapeSession, TokenUsage, read_content
from memory.tapes.reader import NodeLink, TapeReader, paths_from, sessions_in
from tests.agent.support import ROOT
from tests.memory.tapes.tapes_files import (
    ERAS,
    answer,
    chain,
    name_of,
    node,
    question,
    recorder,
    result,
    said,
    spent,
    tape_file,
    text,
    use,
    words,
)

STANDARD = ("reader", "observer", "command", "notes")


def session(path: Path, root: str) -> TapeSession:
    with TapeReader(path) as reader:
        return reader.read_session(root)


def texts(read: TapeSession) -> list[str]:
    return [entry.text for entry in read.entries]


def imported(file: Path) -> Iterator[str]:
    """Yield the imports of a module, without those for type checkers."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for branch in ast.walk(tree):
        if isinstance(branch, ast.If) and getattr(branch.test, "id", "") == "TYPE_CHECKING":
            branch.body = []
    for each in ast.walk(tree):
        if isinstance(each, ast.Import):
            yield from (alias.name for alias in each.names)
        elif isinstance(each, ast.ImportFrom):
            assert each.module
            yield each.module
            inner = each.module.replace(".", "/")
            yield from (
                f"{each.module}.{alias.name}"
                for alias in each.names
                if (ROOT / inner / f"{alias.name}.py").is_file()
            )


@pytest.mark.parametrize("name", STANDARD)
def test_a01_reading_and_observing_import_only_the_standard_library(name: str) -> None:
    waiting, seen = [f"memory.tapes.{name}"], set[str]()
    while waiting:
        module = waiting.pop()
        if module in seen:
            continue
        seen.add(module)
        if module.split(".")[0] != "memory":
            assert module.split(".")[0] in sys.stdlib_module_names, module
            continue
        file = ROOT / module.replace(".", "/")
        file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
        waiting += imported(file)
    assert "memory.store.database" not in seen
    assert ("sqlite3" in seen) == (name in {"reader", "command", "notes"})


def test_a02_sessions_are_the_roots_earliest_first_or_their_leaves(path: Path) -> None:
    late = chain(("user", text("b")), start="b", created_at="2026-03-10 10:00:00+00:00")
    rows = [*late, *chain(("user", text("a")), ("assistant", text("x")), start="a")]
    early = {"created_at": "2026-03-08 01:00:00+00:00"}
    rows.append(node(name_of("c", 0), "", "user", text("c"), **early))
    rows.append(node(name_of("d", 1), name_of("a", 0), "assistant", text("y")))
    with TapeReader(tape_file(path, rows)) as reader:
        assert reader.list_sessions() == [name_of("c", 0), name_of("a", 0), name_of("b", 0)]
        leaves = [name_of("a", 1), name_of("b", 0), name_of("c", 0), name_of("d", 1)]
        assert sorted(reader.list_leaves()) == leaves
        with pytest.raises(UnknownMemory, match="no node"):
            reader.read_session("x")


@pytest.mark.parametrize("indexed", [True, False])
def test_a06_a_long_session_is_read_completely_and_duplicate_nodes_once(
    path: Path,
    indexed: bool,  # noqa: FBT001
) -> None:
    rows = chain(*(("user", text("x")) for _ in range(3_000)))
    tape_file(path, rows if indexed else [*rows, *rows[:40]], key=indexed)
    with TapeReader(path) as reader:
        assert len(reader.read_session(name_of("a", 0)).entries) == 3_000


def test_a06_reading_many_nodes_ends_and_flags_the_limit(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tape_file(path, ())
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 19999) "
            "INSERT INTO nodes (hash, parent_hash, content) "
            "SELECT printf('%064x', i), CASE i WHEN 0 THEN NULL ELSE printf('%064x', i - 1) END, 'x' FROM n"
        )
    with TapeReader(path, max_nodes=4_000) as reader:
        (head,) = reader.sessions()
        assert (head.nodes, head.head) == (20_000, f"{19_999:064x}")
        read = reader.read_session(head.root)
    assert len(read.entries) == 4_000
    assert read.faults == ("limit",)
    monkeypatch.setattr("memory.tapes.reader.MOST_NODES", 19_999)
    with pytest.raises(StoreError, match="20,000 nodes, and at most 19,999 are read") as refused:
        TapeReader(path)
    assert "not a tape" not in str(refused.value)


def test_a05_a13_two_leaves_are_two_paths_whose_common_entries_count_once(path: Path) -> None:
    rows = forked()
    for row in rows:
        row.update(spent(1))
    read = session(tape_file(path, rows), name_of("a", 0))
    assert texts(read) == ["s0", "s1", "s2", "l0", "l1", "l2"]
    other = ["s0", "s1", "s2", "r0", "r1"]
    assert [[entry.text for entry in way] for way in read.paths()] == [texts(read), other]
    names = [entry.hash for entry in read.all_entries()]
    assert len(names) == len(set(names)) == len(rows) == 8
    assert read.usage().input == 8


def test_a03_a_session_is_read_in_the_order_of_the_conversation(path: Path) -> None:
    turns = [("user" if n % 2 == 0 else "assistant", text(f"turn {n}")) for n in range(30)]
    rows = chain(*turns)
    random.Random(1).shuffle(rows)
    read = session(tape_file(path, rows), name_of("a", 0))
    assert texts(read) == [f"turn {n}" for n in range(30)]
    assert not read.faults
    assert read.entries[-1].hash == name_of("a", 29)


@pytest.mark.parametrize(
    "times",
    [
        # As text, the second is the earliest and the third the latest; the last two are the same time.
        ("09 23:30:00+00:00", "09 15:31:00-08:00", "10 08:32:00+09:00", "09 23:32:00+00:00"),
        [f"09 10:00:0{second}+00:00" for second in (9, 7, 8, 1)],  # clocks may be set back
    ],
)
def test_a04_order_is_by_depth_and_not_by_times_nor_their_text(
    path: Path, times: Sequence[str]
) -> None:
    rows = chain(*(("user", text(str(number))) for number in range(4)))
    for row, at in zip(rows, times, strict=True):
        row["created_at"] = f"2026-03-{at}"
    assert texts(session(tape_file(path, rows), name_of("a", 0))) == ["0", "1", "2", "3"]


def test_a04_equally_deep_paths_are_ordered_by_time_then_hash(path: Path) -> None:
    rows = chain(("user", text("go")), created_at="2026-03-09 10:00:00+00:00")
    for name, at in (
        ("b", "2026-03-09 10:00:02+00:00"),
        ("c", "2026-03-09 19:00:01+09:00"),  # a second earlier, though its text is greater
        ("e", "2026-03-09 10:00:00.5+00:00"),
        ("d", "2026-03-09 10:00:00.500000000+00:00"),
    ):
        rows.append(node(name_of(name, 1), name_of("a", 0), "assistant", text(name), created_at=at))
    read = session(tape_file(path, rows), name_of("a", 0))
    assert texts(read) == ["go", "b"]
    assert [branch[0].text for branch in read.branches] == ["d", "e", "c"]


def forked() -> list[dict[str, object]]:
    """A root, three common turns, and two branches of three and of two turns."""
    rows = chain(*(("user", text(f"s{number}")) for number in range(3)), start="a")
    rows += chain(*(("user", text(f"l{number}")) for number in range(3)), start="b")
    rows += chain(*(("user", text(f"r{number}")) for number in range(2)), start="c")
    rows[3]["parent_hash"] = rows[6]["parent_hash"] = name_of("a", 2)
    return rows


def test_a11_rows_are_read_from_the_log_of_an_active_and_of_an_ended_writer(
    path: Path, tmp_path: Path
) -> None:
    tape_file(path, chain(("user", text("go"))))
    left = tmp_path / "left" / path.name
    left.parent.mkdir()
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        with writer:
            writer.execute("UPDATE nodes SET content = 'committed'")
        for name in (path.name, f"{path.name}-wal"):
            (left.parent / name).write_bytes((path.parent / name).read_bytes())
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE nodes SET content = 'not yet'")
        for tape in (path, left):
            before = everything_in(tape.parent)
            assert texts(session(tape, name_of("a", 0))) == ["committed"]
            assert everything_in(tape.parent) == before
        writer.rollback()
    assert {each.name for each in left.parent.iterdir()} == {path.name, f"{path.name}-wal"}
    plain = tape_file(tmp_path / "plain.sqlite", chain(("user", text("go"))))
    with TapeReader(plain) as reader:
        assert len(reader.list_sessions()) == len(reader.list_leaves()) == 1
        tape_file(plain, chain(("user", text("again")), start="b"))
        assert len(reader.list_sessions()) == len(reader.list_leaves()) == 2  # added meanwhile


def test_a06_a_cycle_or_missing_node_ends_and_is_flagged(path: Path) -> None:
    rows = chain(*(("user", text(str(number))) for number in range(4)))
    rows[0]["parent_hash"] = name_of("a", 2)  # and the last one follows the cycle
    orphans = chain(*(("user", text(str(number))) for number in range(4)), start="c")[2:]
    rows += [*orphans, node(name_of("b", 0), name_of("b", 0), "user", text("me"))]
    with TapeReader(tape_file(path, rows)) as reader:
        assert reader.list_sessions() == []
        heads = {head.root: (head.nodes, head.is_complete) for head in reader.sessions()}
        nodes = {name_of("a", 0): 4, name_of("b", 0): 1, name_of("c", 2): 2}
        assert heads == {root: (count, False) for root, count in nodes.items()}
        for start in range(3):
            assert reader.read_session(name_of("a", start)).faults == ("cycle",)
        read = [reader.read_session(each) for each in (name_of("b", 0), name_of("c", 2))]
    found = [(texts(each), each.faults) for each in read]
    assert found == [(["me"], ("cycle",)), (["2", "3"], ("orphan",))]


@given(st.dictionaries(st.integers(0, 12), st.none() | st.integers(0, 14), max_size=13))
@settings(max_examples=60)
def test_a06_any_links_end_and_every_node_is_in_one_session(parents: dict[int, int | None]) -> None:
    links = [NodeLink(str(name), None if to is None else str(to)) for name, to in parents.items()]
    heads = sessions_in(links)
    ways = [paths_from(head.root, links) for head in heads]
    names = [name for way in ways for part in (way.main, *way.branches) for name in part]
    assert sorted(names) == sorted(str(name) for name in parents)
    roots = {str(name) for name, to in parents.items() if to is None}
    assert {head.root for head in heads if head.is_complete} == roots


def test_a07_a_node_is_read_with_all_its_fields(path: Path) -> None:
    content = [*text("I look."), *use("look", {"at": "north"}, "t1"), *use("wait", None, "t2")]
    results = [*result("a tree", "t1"), *result("no", "t2", error=True)]
    rows = chain(("assistant", content), ("user", results), agent_name="red", project="p")
    rows[0].update(spent(50, 7, 13, 11), stop_reason="tool_use", total_duration_ns=9)
    one, two = session(tape_file(path, rows), name_of("a", 0)).entries
    assert (one.role, one.text, one.model, one.agent_name) == ("assistant", "I look.", "m", "red")
    uses = [(each.name, dict(each.input), each.id) for each in one.tool_uses]
    assert uses == [("look", {"at": "north"}, "t1"), ("wait", {}, "t2")]
    assert one.usage == TokenUsage(50, 7, 11, 13)
    assert (one.project, one.stop_reason, one.duration_ns) == ("p", "tool_use", 9)
    assert one.timestamp is not None
    assert one.timestamp.isoformat() == "2026-03-09T10:00:00.500000+00:00"
    seen = [(each.id, each.text, each.is_error) for each in two.tool_results]
    assert seen == [("t1", "a tree", False), ("t2", "no", True)]
    assert two.usage == TokenUsage()


@pytest.mark.parametrize(
    ("stored", "shown", "malformed"),
    [
        (b'[{"type":"text","text":"hi"}]', "hi", False),
        ('[{"type":"text","text":"hi"}]', "hi", False),
        ("null", "", False),
        (None, "", False),
        ("[]", "", False),
        ("", "", False),
        ('"hi"', "hi", False),
        ("hi there", "hi there", False),
        ('{"type":"text","text":"hi"}', "hi", False),
        ('{"role":"user","content":[{"type":"text","text":"hi"}]}', "hi", False),
        ('["hi","there"]', "hi\nthere", False),
        ('[{"type":"text","te', '[{"type":"text","te', True),
        (b"\xff[", "\ufffd[", True),
        ("[1,2]", "[1,2]", True),
        ("[" * 100_000, "[" * 100_000, True),
    ],
)  # fmt: skip
def test_a08_content_of_any_shape_is_read_or_stored_raw(
    path: Path,
    stored: object,
    shown: str,
    malformed: bool,  # noqa: FBT001
) -> None:
    rows = [node(name_of("a", 0), None, "user", "x") | {"content": stored}]
    (entry,) = session(tape_file(path, rows), name_of("a", 0)).entries
    assert (entry.text, entry.raw is not None) == (shown, malformed)


def test_a09_both_key_dialects_are_read_and_unknown_blocks_pass_through() -> None:
    tapes = [
        {"type": "tool_result", "tool_result_id": "t", "tool_output": "boom", "is_error": True}
    ]
    gist = [{"type": "tool_result", "tool_use_id": "t", "content": "boom", "is_error": True}]
    listed = [{**gist[0], "content": [{"type": "text", "text": "boom"}]}]
    for content in (tapes, gist, listed):
        (read,) = read_content(json.dumps(content)).tool_results
        assert (read.id, read.text, read.is_error) == ("t", "boom", True)
    plain = {"type": "tool_use", "id": "t", "name": "look", "input": {"a": 1}}
    (call,) = read_content(json.dumps([plain])).tool_uses
    assert (call.id, call.name, call.input) == ("t", "look", {"a": 1})
    odd = [{"type": "hologram", "depth": 3}, {"no": "type"}]
    assert read_content(json.dumps(odd)).blocks == tuple(odd)


@pytest.mark.parametrize("era", ERAS)
def test_a10_every_era_is_read_and_missing_columns_are_none(tmp_path: Path, era: str) -> None:
    rows = chain(("user", text("go")), ("assistant", text("up")), agent_name="red")
    rows[1].update(spent(9, 4, 3, 2))
    read = session(tape_file(tmp_path / "t.db", rows, era), name_of("a", 0))
    assert texts(read) == ["go", "up"]
    entry, there = read.entries[1], ERAS[era][0]
    assert (entry.role, entry.model) == (("assistant", "m") if "role" in there else (None, None))
    assert entry.agent_name == ("red" if "agent_name" in there else None)
    assert entry.usage.input == (9 if "prompt_tokens" in there else None)
    assert entry.usage.cache_read == (3 if "cache_read_input_tokens" in there else None)


def everything_in(folder: Path) -> dict[str, bytes]:
    return {
        each.name: each.read_bytes() for each in folder.iterdir() if not each.name.endswith("-shm")
    }


@pytest.mark.parametrize("log", [False, True], ids=["rollback journal", "write-ahead log"])
def test_a11_reading_changes_neither_the_file_nor_its_folder(path: Path, log: bool) -> None:  # noqa: FBT001
    tape_file(path, chain(("user", text("go"))))
    with closing(sqlite3.connect(path)) as connection, connection:
        if log:
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA writable_schema = ON")  # a table of a missing extension
        connection.execute(
            "INSERT INTO sqlite_schema VALUES ('table', 'vec_embeddings', 'vec_embeddings', 0, "
            "'CREATE VIRTUAL TABLE vec_embeddings USING vec0(embedding float[768])')"
        )
    before, stamp = everything_in(path.parent), path.stat().st_mtime_ns
    with TapeReader(path) as reader:
        assert texts(reader.read_session(name_of("a", 0))) == ["go"]
        assert {each.name for each in path.parent.iterdir()} == {path.name}
    assert everything_in(path.parent) == before
    assert {each.name for each in path.parent.iterdir()} == {path.name}
    assert path.stat().st_mtime_ns == stamp


def test_a12_a38_nodes_written_by_tapes_have_valid_hashes_and_others_are_read(
    path: Path, tmp_path: Path
) -> None:
    file = Path(__file__).with_name("tape_vectors.json")
    (vectors,) = json.loads(file.read_text(encoding="utf-8")).values()
    names = {each["node"]: each["hash"] for each in vectors}
    rows = [
        node(
            each["hash"], names.get(each["after"]), each["role"], each["stored"].encode(),
            model=each["model"], provider=each["provider"], agent_name=each["agent"] or None,
        )
        for each in vectors
    ]  # fmt: skip
    with TapeReader(tape_file(path, rows)) as reader:
        found = reader.verify_hash()
    assert (found.matching, found.mismatched) == (8, ())
    rows = chain(("user", "[{"), ("user", text("hi")), ("user", b"\xff"))
    with TapeReader(tape_file(tmp_path / "other.db", rows)) as reader:
        found = reader.verify_hash()
        assert (found.matching, len(found.mismatched)) == (0, 3)
        assert texts(reader.read_session(name_of("a", 0))) == ["[{", "hi", "\ufffd"]


def test_a11_an_unreadable_file_is_reported_in_one_line_and_not_created(tmp_path: Path) -> None:
    note, other, corrupt = tmp_path / "note.txt", tmp_path / "other.db", tmp_path / "torn.db"
    note.write_text("hello", encoding="utf-8")
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE things (a)")
    tape_file(corrupt, chain(("user", text("go" * 3_000))))
    corrupt.write_bytes(corrupt.read_bytes()[:4096] + bytes(8192))
    cases: list[tuple[Path, type[StoreError], str]] = [
        (tmp_path / "none.db", MissingStore, "does not exist; name a tape"),
        (note, ForeignStore, "not a SQLite file; name a tape"),
        (other, ForeignStore, "is not a tape"),
        (corrupt, CorruptStore, "is damaged"),
        (tmp_path, StoreError, "cannot be read"),
    ]
    for path, kind, words_ in cases:
        with pytest.raises(kind, match=words_) as caught:
            session(path, name_of("a", 0))
        assert "\n" not in str(caught.value)
    assert not (tmp_path / "none.db").exists()


def test_a12_hashes_are_checked_against_the_content_of_nodes(path: Path) -> None:
    tapes = recorder(path)
    call = {"type": "tool_use", "id": "t", "name": "look", "input": {"far": 2**60, "x": 0.5}}
    tapes.record(question(said("user", words("go <now> é"))), answer(words("up"), call))
    with TapeReader(path) as reader:
        assert reader.verify_hash() == (found := reader.verify_hash())
        assert (found.matching, found.mismatched) == (2, ())
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            'UPDATE nodes SET content = CAST(\'[{"type":"text","text":"no"}]\' AS BLOB) WHERE role = \'user\''
        )
    with TapeReader(path) as reader:
        (root,) = reader.list_sessions()
        found = reader.verify_hash()
        assert (found.matching, found.mismatched) == (1, (root,))
        assert texts(reader.read_session(root)) == ["no", "up"]
    report = run(db=path, memory_dir=path.parent, dry_run=True, reset=False, session=None)
    assert report.lines()[-1].endswith("; 1 with a content that is not that of its hash")


def test_a13_usage_on_side_branches_counts_once(path: Path) -> None:
    """As with streaming: each reply is a leaf with usage, and its echo continues without usage."""
    rows = chain(*(("user", text(str(number))) for number in range(7)))
    for number in (1, 3, 5):
        leaf = node(
            name_of("b", number), name_of("a", number - 1), "assistant", text(str(number)),
            model="m-20260101", **spent(100, 10, 40, 20),
        )  # fmt: skip
        rows.append(leaf)
    read = session(tape_file(path, rows), name_of("a", 0))
    assert len(read.entries) == 7
    assert read.usage() == TokenUsage(300, 30, 60, 120)
    assert all(len(way) in {2, 4, 6, 7} for way in read.paths())
