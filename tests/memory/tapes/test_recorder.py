"""Recording of model calls as nodes like those of Tapes v0.4.0, without secrets."""

import base64
import json
import os
import re
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import Faults, ForeignStore, MalformedRecord, StoreError
from memory.tapes.entries import TokenUsage, format_time, iso, moment
from memory.tapes.hashing import MASKED, Bucket, canonical, clean, mask_secrets, stored_json
from memory.tapes.reader import TapeReader
from memory.tapes.recorder import TapeRecorder, blocks_of, run_mark
from memory.tapes.tape import MAX_COUNT, open_tape
from tests.memory.tapes.tapes_files import (
    answer,
    chain,
    question,
    raw,
    recorded,
    recorder,
    said,
    tape_file,
    text,
    ticking,
    words,
)

VECTORS = json.loads((Path(__file__).parent / "tape_vectors.json").read_text(encoding="utf-8"))
NODES: list[dict[str, Any]] = VECTORS["hashes of Tapes v0.4.0"]
HASHES = {node["node"]: node["hash"] for node in NODES}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": "north", "far": 3}}
SEEN = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "a tree", "is_error": False}


def unmasked(text: str) -> str:
    return text


@pytest.mark.parametrize("node", NODES, ids=lambda node: str(node["node"]))
def test_a38_hashes_are_those_of_tapes(node: dict[str, Any]) -> None:
    blocks = clean(node["blocks"] or [], unmasked)
    bucket = Bucket(node["role"], blocks, node["model"], node["provider"], node["agent"])
    assert bucket.hash(HASHES.get(node["after"])) == node["hash"]
    assert bucket.stored_content() == node["stored"].encode()


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"), (-0.0, "0"), (1.0, "1"), (-1.5, "-1.5"), (1e21, "1e+21"), (1e20, "100000000000000000000"),
        (1e-6, "0.000001"), (1e-7, "1e-7"), (1.5e-9, "1.5e-9"), (123456.789, "123456.789"), (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"), (2**53, "9007199254740992"), (333333333.33333329, "333333333.3333333"),
    ],
)  # fmt: skip
def test_a38_numbers_are_written_as_in_rfc_8785(number: float, text: str) -> None:
    assert canonical(number) == text


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(JSON_VALUES)
def test_a38_any_json_has_a_hash_that_is_the_same_after_reading_back(value: object) -> None:
    block = {"type": "tool_use", "tool_input": clean({"value": value}, unmasked)}
    bucket = Bucket("assistant", [block], "m")
    again = Bucket("assistant", json.loads(bucket.stored_content()), "m")
    assert bucket.hash(None) == again.hash(None)


def test_a37_a38_runs_with_equal_beginnings_and_changed_messages_are_new_nodes(path: Path) -> None:
    tapes = recorder(path)
    for run, attempt in (("r1", 1), ("r1", 2), ("r2", 1)):
        opening = said("user", words(run_mark(run, attempt)), words("what now?"))
        tapes.record(question(opening), answer(words("up")))
    request = question(said("user", words("one")))
    tapes.record(request, answer(words("up")))
    request["messages"][0]["content"][0]["text"] = "two"  # after it was sent
    tapes.record(request, answer(words("up")))
    with TapeReader(path) as reader:
        assert len(reader.list_sessions()) == 5
    with pytest.raises(MalformedRecord, match="plain name"):
        run_mark('r"1')


def test_a41_a_lost_call_keeps_counts_of_any_size_and_hides_a_stop_reason(path: Path) -> None:
    usage = {"input_tokens": 10**30, "output_tokens": 2**63, "cache_read_input_tokens": -(10**30)}
    tapes = recorder(path)
    reply = answer(words("ok"), stop_reason="sk-abcdefghijklmnopqrstuvwxyz", usage=usage)
    tapes.record(question(said("user", words("go"))), reply)
    assert tapes.lost == 0
    _, replied = recorded(path).entries
    assert (replied.usage.input, replied.usage.output) == (MAX_COUNT, MAX_COUNT)
    assert replied.stop_reason == MASKED
    plain = "The key item is in the house; press the a key: now, token: a coin, sk-short, "
    assert mask_secrets(plain + "https://a.example/b?c=d") == plain + "https://a.example/b?c=d"


def test_a37_a_call_becomes_one_node_for_each_message_and_one_for_the_reply(path: Path) -> None:
    tapes = recorder(path)
    request = question(said("user", words("what now?")))
    name = tapes.record(
        request, answer(words("I look."), CALL, stop_reason="tool_use"), duration_ns=9
    )
    asked, replied = recorded(path).entries
    assert (asked.role, asked.text, asked.stop_reason) == ("user", "what now?", "")
    assert asked.usage == TokenUsage()
    assert (replied.hash, replied.parent_hash, replied.role) == (name, asked.hash, "assistant")
    assert (replied.text, replied.model, replied.agent_name) == ("I look.", "claude-x", "red")
    assert [(each.name, each.input, each.id) for each in replied.tool_uses] == [
        ("look", {"at": "north", "far": 3}, "toolu_1")
    ]
    assert replied.usage == TokenUsage(29, 7, 11, 13)
    assert (replied.stop_reason, replied.duration_ns) == ("tool_use", 9)
    assert replied.timestamp is not None
    assert iso(replied.timestamp) == "2026-03-09T10:00:00Z"


def test_a38_a_resent_conversation_is_stored_once_without_forks(path: Path) -> None:
    tapes = recorder(path)
    messages = [said("user", words("what now?"))]
    for turn in range(5):
        call = CALL | {"id": f"toolu_{turn}"}
        tapes.record(question(*messages), answer(words("I look."), call, model="claude-x-20260101"))
        messages += [
            said("assistant", words("I look."), call),
            said("user", SEEN | {"tool_use_id": f"toolu_{turn}"}),
        ]
    with TapeReader(path) as reader:
        assert reader.verify_hash().mismatched == ()
    session = recorded(path)
    assert len(session.entries) == tapes.nodes == 10
    assert session.branches == ()
    assert session.usage() == TokenUsage(5 * 29, 35, 55, 65)


def test_a38_cache_marks_omitted_thinking_and_a_restart_make_no_fork(path: Path) -> None:
    marked = words("what now?") | {"cache_control": {"type": "ephemeral"}}
    thought = {"type": "thinking", "thinking": "hm", "signature": "x"}
    request, reply = question(said("user", marked)), answer(thought, words("up"))
    recorder(path).record(request, reply)
    tapes = recorder(path)
    tapes.record(request, reply)
    assert tapes.nodes == 0  # each is stored once
    turns = ("user", "what now?"), ("assistant", "up"), ("user", "so?")
    again = [said(role, words(each)) for role, each in turns]
    tapes.record(question(*again), answer(words("down")))
    assert tapes.nodes == 2
    session = recorded(path)
    assert [entry.text for entry in session.entries] == ["what now?", "up", "so?", "down"]
    assert session.branches == ()


def test_a39_a_recorded_file_has_the_tables_of_tapes_v040(path: Path) -> None:
    tapes = recorder(path)
    tapes.record(question(said("user", words("a <b> & c"))), answer(words("up")))
    tapes._tape.close()
    columns = raw(path, "SELECT name, type, \"notnull\", pk FROM pragma_table_info('nodes')")
    plain = {name: kind for name, kind, *_ in columns}
    numbers = {name for name, kind in plain.items() if kind == "INTEGER"}
    assert numbers == {
        "prompt_tokens", "completion_tokens", "total_tokens", "cache_creation_input_tokens",
        "cache_read_input_tokens", "total_duration_ns", "prompt_duration_ns",
    }  # fmt: skip
    assert {name for name, kind in plain.items() if kind == "TEXT"} == {
        "hash", "bucket", "type", "role", "content", "model", "provider", "agent_name", "project", "stop_reason", "parent_hash",
    }  # fmt: skip
    assert plain["created_at"] == "DATETIME"
    assert [each[0] for each in columns if each[2]] == ["hash", "created_at"]
    assert [each[0] for each in columns if each[3]] == ["hash"]
    indexes = {name for (name,) in raw(path, "SELECT name FROM sqlite_schema WHERE type = 'index'")}
    assert indexes >= {
        "node_parent_hash", "node_role", "node_model", "node_provider", "node_agent_name",
        "node_role_model", "node_project", "node_created_at",
    }  # fmt: skip
    tables = {name for (name,) in raw(path, "SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert tables == {"nodes", "schema_migrations"}
    assert raw(path, "SELECT version FROM schema_migrations") == [(1,)]
    assert raw(path, "SELECT * FROM pragma_user_version, pragma_application_id") == [(0, 0)]
    assert raw(path, "PRAGMA journal_mode") == [("delete",)]
    assert raw(path, "SELECT \"table\", on_delete FROM pragma_foreign_key_list('nodes')") == [
        ("nodes", "SET NULL")
    ]
    asked, replied = raw(
        path,
        "SELECT typeof(bucket), typeof(content), CAST(content AS TEXT), stop_reason, project, prompt_tokens,"
        " total_tokens, cache_read_input_tokens, prompt_duration_ns, created_at, agent_name, provider, type"
        " FROM nodes ORDER BY rowid",
    )
    stored = r'[{"text":"a \u003cb\u003e \u0026 c","type":"text"}]'
    common = ("2026-03-09 10:00:00+00:00", "red", "anthropic", "message")
    assert asked == ("blob", "blob", stored, "", None, None, None, None, None, *common)
    assert replied[3:] == ("end_turn", None, 29, 36, 13, None, *common)


def test_a39_times_are_written_in_the_format_of_tapes_and_read_in_any_zone() -> None:
    assert format_time(1_773_050_400.25) == "2026-03-09 10:00:00.25+00:00"
    for same in (
        "2026-03-09 02:00:00.250000000-08:00",
        "2026-03-09T10:00:00.25Z",
        "2026-03-09 10:00:00.25",
    ):
        at = moment(same)
        assert at is not None
        assert at.timestamp() == 1_773_050_400.25
    assert [moment(odd) for odd in ("", "yesterday", "2026-13-40 10:00:00", None, 7)] == [None] * 5


def test_a39_a_file_that_is_not_a_tape_is_refused_and_unchanged(tmp_path: Path) -> None:
    old = tape_file(tmp_path / "old.sqlite", chain(("user", text("hi"))), "rc.1")
    before = old.read_bytes()
    with pytest.raises(ForeignStore, match=r"no agent_name\); name another file"):
        open_tape(old)
    note = tmp_path / "note.txt"
    note.write_text("not a database", encoding="utf-8")
    with pytest.raises(ForeignStore, match="not a SQLite file"):
        open_tape(note)
    with pytest.raises(StoreError, match=r"cannot be made.*name another place"):
        open_tape(note / "inside" / "tapes.sqlite")
    assert old.read_bytes() == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["note.txt", "old.sqlite"]


def test_a40_tool_calls_and_their_results_are_recorded_completely(path: Path) -> None:
    tapes = recorder(path)
    opening, call = said("user", words("go")), said("assistant", CALL)
    tapes.record(question(opening), answer(CALL))
    parts = [words("a tree"), words("a house")]
    failing = {"type": "tool_result", "tool_use_id": "toolu_1", "content": parts, "is_error": True}
    tapes.record(question(opening, call, said("user", failing)), answer(words("oh")))
    session = recorded(path)
    asked, replied, answered, _ = session.entries
    assert session.branches == ()
    (result,) = answered.tool_results
    assert (result.id, result.text, result.is_error) == ("toolu_1", "a tree\na house", True)
    assert (asked.text, replied.usage.output) == ("go", 7)
    assert replied.tool_uses[0].input == CALL["input"]


def test_a41_a_failing_tape_is_counted_and_reported_once_and_stops_no_call(path: Path) -> None:
    reports: list[tuple[str, Exception]] = []
    tapes = recorder(path, on_fault=lambda name, error: reports.append((name, error)))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE nodes RENAME TO gone")
        for _ in range(3):
            assert tapes.record(question(said("user", words("go"))), answer(words("up"))) is None
        connection.execute("ALTER TABLE gone RENAME TO nodes")
    assert (tapes.lost, tapes.faults["tape"], [name for name, _ in reports]) == (3, 3, ["tape"])
    assert "nodes" in str(reports[0][1])
    assert tapes.record(question(said("user", words("go"))), answer(words("up"))) is not None
    assert tapes.lost == 3


def test_a41_after_a_loss_the_next_call_records_missing_nodes(path: Path) -> None:
    tapes = recorder(path)
    opening, reply = said("user", words("go")), said("assistant", words("up"))
    tapes.record(question(opening), answer(words("up")))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM nodes")
    following = question(opening, reply, said("user", words("and?")))
    assert tapes.record(following, answer(words("down"))) is None  # its parent is missing
    assert tapes.record(following, answer(words("down"))) is not None
    assert raw(path, "SELECT count(*) FROM nodes") == [(4,)]


@pytest.mark.parametrize(
    "reply",
    [
        {},
        {"role": "assistant", "content": 7},
        {"role": "x", "content": [{"type": "tool_use", "input": {"x": object()}}]},
    ],
)
def test_a41_a_malformed_reply_is_a_loss_and_raises_nothing(
    path: Path, reply: dict[str, Any]
) -> None:
    faults = Faults()
    tapes = recorder(path, on_fault=faults)
    assert tapes.record(question(said("user", words("go"))), reply) is None
    assert (tapes.lost, faults["tape"]) == (1, 1)
    assert raw(path, "SELECT count(*) FROM nodes") == [(0,)]


def test_a42_images_are_recorded_by_reference_in_any_block(path: Path) -> None:
    picture = os.urandom(300)
    data = base64.b64encode(picture).decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    image = {"type": "image", "source": source}
    linked = {"type": "image", "source": {"type": "url", "url": f"data:image/png;base64,{data}"}}
    shown = {"type": "tool_result", "tool_use_id": "t", "content": [words("see"), image]}
    tapes = recorder(path)
    tapes.record(question(said("user", image, linked, shown)), answer(words("a tree")))
    tapes._tape.close()
    reference = f"sha256:{sha256(picture).hexdigest()}?size=300&type=image/png"
    first = recorded(path).entries[0]
    assert [block.get("image_url") for block in first.blocks] == [reference, reference, None]
    assert first.tool_results[0].text == f"see\n[image {reference}]"
    for file in path.parent.iterdir():
        assert data[40:80].encode() not in file.read_bytes()


KEY = "sk-ant-api03-" + "x1Y2" * 12


@pytest.mark.parametrize(
    "secret",
    [KEY, f"ANTHROPIC_API_KEY={KEY}", "Authorization: Bearer " + "abcd1234" * 4, "ghp_" + "a1B2" * 9, "api_key: 'hunter2hunter2'"],
)  # fmt: skip
def test_a42_keys_are_masked_on_tapes(path: Path, secret: str) -> None:
    hidden = secret.split()[-1].split("=")[-1].strip("'")
    tapes = recorder(path)
    failed = SEEN | {"content": f"denied: {secret}"}
    leak = words(f"it holds {secret} here")
    meta = {"note": secret}
    call = CALL | {"input": {"env": {secret: [secret]}}}
    tapes.record(question(said("user", leak, failed)), answer(leak, call), meta=meta)
    tapes._tape.close()
    assert tapes.lost == 0
    for file in path.parent.iterdir():
        assert hidden.encode() not in file.read_bytes(), file.name
    assert MASKED in recorded(path).entries[0].text


def test_a42_a_custom_mask_sees_every_text_and_its_failure_records_nothing(path: Path) -> None:
    def mask(text: str) -> str:
        if "boom" in text:
            raise ValueError(text)
        return text.replace("Gary", "[rival]")

    tapes = recorder(path, mask=mask)
    call = CALL | {"input": {"Gary": ["to Gary"]}}
    assert (
        tapes.record(question(said("user", words("Gary?"))), answer(words("Gary."), call))
        is not None
    )
    assert tapes.record(question(said("user", words("boom"))), answer(words("x"))) is None
    stored = [bytes(content) for (content,) in raw(path, "SELECT content FROM nodes")]
    assert len(stored) == 2
    assert all(b"[rival]" in each and b"Gary" not in each for each in stored)


def test_a42_lone_surrogates_and_invalid_bytes_are_replaced(path: Path) -> None:
    odd = {"model": "m", "messages": [said("user", words("\ud83d\ude00 \ud800x"))]}
    tapes = recorder(path)
    use = {"type": "tool_use", "id": "t", "name": "n", "input": {"k": b"\xff!", "n": float("nan")}}
    assert tapes.record(odd, {"role": "assistant", "content": [use]}) is not None
    with TapeReader(path) as reader:
        assert reader.verify_hash().mismatched == ()
    asked, replied = recorded(path).entries
    assert asked.text == "\U0001f600 \ufffdx"
    assert replied.tool_uses[0].input == {"k": "\ufffd!", "n": "nan"}


def test_a37_context_edits_of_the_service_are_recorded_next_to_the_tape(path: Path) -> None:
    tapes = recorder(path)
    edits = {"applied_edits": [{"type": "clear_tool_uses_20250919", "cleared_tool_uses": 4}]}
    reply = answer(words("up"), context_management=edits, model="claude-x-20260101")
    name = tapes.record(question(said("user", words("go"))), reply, meta={"attempts": 2})
    tapes.record(question(said("user", words("go on"))), answer(words("up")))
    (line,) = (path.parent / "meta.jsonl").read_text(encoding="utf-8").splitlines()
    written = {"hash": name, "at": "2026-03-09 10:00:01+00:00", "model": "claude-x-20260101"}
    assert json.loads(line) == {**written, "attempts": 2, "context_management": edits}


def test_a37_content_is_a_string_or_blocks_of_any_kind() -> None:
    assert blocks_of("hello", unmasked) == text("hello")
    assert blocks_of(None, unmasked) == blocks_of("", unmasked) == []
    odd = [{"type": "search_hits", "text": "x", "more": 1}, {"type": "thinking", "thinking": "hm"}]
    kept = [{"type": "search_hits", "text": "x"}, {"type": "thinking", "text": "hm"}]
    assert blocks_of(odd, unmasked) == kept


def test_a37_threads_may_share_a_recorder(path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    tapes = TapeRecorder(open_tape(path), agent_name="red", clock=ticking())
    with ThreadPoolExecutor(4) as pool:
        calls = [question(said("user", words(f"go {number}"))) for number in range(20)]
        names = list(pool.map(lambda call: tapes.record(call, answer(words("up"))), calls))
    assert None not in names
    with TapeReader(path) as reader:
        assert len(reader.list_sessions()) == 20


def test_a38_stored_json_is_escaped_as_go_does_without_spaces() -> None:
    expected = '{"a":"é","b":"\\u2028\\u003c\\u0026\\u003e"}'.encode()
    assert stored_json({"b": "\u2028<&>", "a": "é"}) == expected
    assert re.search(rb"\s", stored_json({"a": [1, 2]})) is None
