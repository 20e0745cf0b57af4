"""Damage of files: what a disk, an editor or an ill-disposed person makes of a file of any kind."""

import hashlib
import os
import re
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Final, TypeAlias

from emulator.cartridge import HEADER_CHECKSUM, IMAGE_CHECKSUM, header_checksum, image_checksum

Damage: TypeAlias = Callable[[Path, Random], object]

HOSTILE_TOML: Final = (
    "0x" + "f" * 5_000, "9" * 400, "-9223372036854775808", "9223372036854775807", "1e400", "1e999999999", "nan", "inf", "-1", "0",
    "true", '""', '"x"', '"../../outside"', '"\\u0000"', '"' + "x" * 100_000 + '"', "[" * 5_000 + "]" * 5_000, "{ a = 1 }", "[]",
    "[[1], [2]]", "1979-05-27", "1979-05-27T07:32:00", "07:32:00", "9999-12-31T23:59:59Z",
)  # fmt: skip
HOSTILE_JSON: Final = (
    "9" * 400, "9" * 4_299, "9" * 5_000, "1e999", "NaN", "-1", "0", "1.5", "9223372036854775808", "true", "null", '""', '"\\ud800"',
    '"\\u0000\\u202e"', '"' + "x" * 100_000 + '"', "[" * 100_000 + "]" * 100_000, '{"a":' * 5_000 + "1" + "}" * 5_000, "[]", "{}",
    "[[]]",
)  # fmt: skip
HOSTILE_CELLS: Final = (
    *HOSTILE_JSON, None, 0, -1, (1 << 63) - 1, -(1 << 63), 1e308, float("inf"), b"", b"\xff\xfe", b"x" * 100_000, "\x00", "{", "x",
)  # fmt: skip


def _noise(path: Path, chance: Random) -> None:
    path.write_bytes(chance.randbytes(chance.choice((0, 1, 16, 4_096, 1 << 20))))


def _cut(path: Path, chance: Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: chance.randrange(len(data) + 1)])


def _flips(path: Path, chance: Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice((1, 1, 4, 32)) if data else 0):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def _run_of_bytes(path: Path, chance: Random) -> None:
    data = path.read_bytes()
    at = chance.randrange(len(data) + 1)
    run = chance.choice((b"\0", b"\xff", b"[", b'{"a":', chance.randbytes(7)))
    path.write_bytes(data[:at] + run * chance.choice((1, 200, 4_000)) + data[at + len(run) :])


def _nest(path: Path, chance: Random) -> None:
    depth = chance.choice((65, 1_000, 100_000))
    nest = chance.choice(("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth))
    text = (
        nest
        if path.suffix in {".json", ".jsonl"}
        else f"deep = {nest}\n{path.read_bytes().decode('utf-8', 'replace')}"
    )
    path.write_text(chance.choice((text, f"a{'.a' * depth} = 1\n")), encoding="utf-8")


def _values(path: Path, chance: Random) -> None:
    """Replace one value, or a cell, by a hostile one; the file stays valid around it."""
    if path.suffix == ".sqlite":
        _cell(path, chance)
    elif path.name == "demo.gb":
        _flips(path, chance)
        _with_checksums(path)
    elif path.suffix == ".redreplay":
        _replay(path, chance)
    else:
        hostile = HOSTILE_TOML if path.suffix == ".toml" else HOSTILE_JSON
        text = path.read_bytes().decode("utf-8", "replace")
        places = list(re.finditer(r'(?<=[=:,\[]) *("[^"\n]*"|[\w.+-]+|\[\]|\{\})', text))
        if places:
            found = chance.choice(places)
            text = text[: found.start()] + chance.choice(hostile) + text[found.end() :]
        path.write_text(text, encoding="utf-8")


def _cell(path: Path, chance: Random) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA ignore_check_constraints = ON")
        database.execute("PRAGMA writable_schema = OFF")
        listed = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%' AND name NOT LIKE 'sqlite_%'"
        tables = [
            name
            for (name,) in database.execute(listed)
            if database.execute(f"SELECT 1 FROM {name} LIMIT 1").fetchone()
        ]
        for _ in range(chance.choice((1, 1, 3))):
            table = chance.choice(tables)
            column = chance.choice(
                [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            )
            every = chance.random() < 0.3
            where = (
                ""
                if every
                else f"WHERE rowid = (SELECT rowid FROM {table} ORDER BY random() LIMIT 1)"
            )
            with suppress(sqlite3.Error):  # a key, or a table without row ids
                database.execute(
                    f"UPDATE {table} SET {column} = ? {where}", (chance.choice(HOSTILE_CELLS),)
                )
        database.commit()


def _with_checksums(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[HEADER_CHECKSUM] = header_checksum(bytes(data))
    data[IMAGE_CHECKSUM] = image_checksum(bytes(data))
    path.write_bytes(data)


def _entry_point(path: Path, chance: Random) -> None:
    data = bytearray(path.read_bytes())
    for at in chance.sample((*range(0x100, 0x104), *range(0x150, 0x180)), 4):
        data[at % max(len(data), 1)] = chance.choice(
            (0x76, 0x10, 0xD3, 0xED, chance.randrange(256))
        )
    path.write_bytes(data)
    if path.name == "demo.gb":
        _with_checksums(path)


def _replay(path: Path, chance: Random) -> None:
    data = path.read_bytes()[:-16]
    size = int.from_bytes(data[8:12], "little")
    head = data[12 : 12 + size].decode()
    found = chance.choice(list(re.finditer(r'(?<=[:,\[]) *("[^"]*"|\d+)', head)))
    head = head[: found.start()] + chance.choice(HOSTILE_JSON) + head[found.end() :]
    body = data[12 + size :]
    if chance.random() < 0.3:
        body = chance.randbytes(len(body))
    data = data[:8] + len(head.encode()).to_bytes(4, "little") + head.encode() + body
    path.write_bytes(data + hashlib.blake2b(data, digest_size=16).digest())


def _in_place(make: Callable[[Path], object]) -> Damage:
    def replace(path: Path, _chance: Random) -> None:
        path.unlink(missing_ok=True)
        make(path)

    return replace


def _link(to: str) -> Damage:
    return _in_place(lambda path: path.symlink_to(to.replace("OUT", str(_top(path) / "outside"))))


def _top(path: Path) -> Path:
    return next(each for each in path.parents if (each / "outside").is_dir())


DAMAGE: Final[Mapping[str, Damage]] = {
    "arbitrary bytes": _noise,
    "cut": _cut,
    "bits": _flips,
    "a run of bytes": _run_of_bytes,
    "a nest": _nest,
    "values": _values,
    "more values": _values,
    "an entry point": _entry_point,
    "missing": _in_place(lambda _path: None),
    "a link to a file": _link("OUT/precious.txt"),
    "a link to a folder": _link("OUT/folder"),
    "a link to nothing": _link("OUT/nothing"),
    "a loop of links": _in_place(lambda path: path.symlink_to(path.name)),
    "/dev/zero": _link("/dev/zero"),
    "/dev/full": _link("/dev/full"),
    "/dev/null": _link("/dev/null"),
    "a FIFO": _in_place(os.mkfifo),
    "a folder": _in_place(os.mkdir),
}
