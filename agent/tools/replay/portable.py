"""A recording as one portable file: steps, digests and figures, but no cartridge data.

::

    REDPLAY1 | size of the head | head, JSON | records, zlib | blake2b-128 of all before

It holds no states, because they contain video RAM and with it artwork, and no pictures or text of the game.
The records hold no chain: the head has the last link, and the reader computes the chain again and compares.
Reading a file takes bounded time and memory, whatever its content.
"""

import hashlib
import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from agent.app.settings import CartridgeIdentity
from agent.errors import RunError
from agent.tools.replay.recording import Recording
from agent.tools.report.words import counted
from emulator import MAX_RECORD_SIZE, Link, StepRecord, pack, unpack
from memory import CheckpointInfo, RunReader
from memory.codec import decode
from memory.file_access import read_bytes

MAGIC: Final = b"REDPLAY1"
HEAD: Final = struct.Struct("<8sI")
CHECKSUM: Final = 16
MOST_HEAD: Final = 1 << 16
MOST_TICKS: Final = 1_000_000  # about two hundred hours of play
MOST_BYTES: Final = 1 << 26
LEVEL: Final = 9


class RecordedMilestone(NamedTuple):
    """A milestone, the tick at which it was reached, and the kinds of proof."""

    id: str
    tick: int
    witnesses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecordingOrigin(CartridgeIdentity):
    """The run, seed and versions that a recording comes from."""

    run: str
    seed: int
    pyboy: str
    agent: str


class OpenRecording(NamedTuple):
    """An open recording; `run` is its store, None for an exported file."""

    path: Path
    origin: RecordingOrigin
    milestones: tuple[RecordedMilestone, ...]
    recording: Recording
    run: RunReader | None = None

    def store(self, wanted: str) -> RunReader:
        """Return the store of the run; raises RunError for an exported file, which has none."""
        if self.run is None:
            message = f"{self.path} is an exported replay, and {wanted} takes the folder of a run"
            raise RunError(message)
        return self.run


def encode_portable(
    origin: RecordingOrigin, milestones: Sequence[RecordedMilestone], records: Sequence[StepRecord]
) -> bytes:
    """Return an intact recording as the bytes of a portable file; the result is deterministic.

    Raises RunError when the recording is empty, or longer than a file may hold.
    """
    if not 0 < len(records) <= MOST_TICKS:
        message = f"{counted(len(records), 'tick')} cannot be exported; 1 to {MOST_TICKS:,} can"
        raise RunError(message)
    head = {
        **asdict(origin),
        "milestones": [[each.id, each.tick, sorted(each.witnesses)] for each in milestones],
        "ticks": len(records),
        "chain": records[-1].chain.hex(),
    }
    words = json.dumps(head, sort_keys=True, separators=(",", ":")).encode()
    data = HEAD.pack(MAGIC, len(words)) + words + zlib.compress(pack(records), LEVEL)
    return data + _checksum(data)


def read_portable(path: Path) -> OpenRecording:
    """Return the recording in a file. Raises RunError when it is another kind of file, damaged, or inconsistent."""
    try:
        data = read_bytes(path, MOST_BYTES)
    except OSError as error:
        what = "name an exported replay, or the folder of a run"
        _refuse(path, f"cannot be read ({error.strerror}); {what}")
    if not data.startswith(MAGIC):
        _refuse(path, "is not an exported replay; name one, or the folder of a run")
    if _checksum(data[:-CHECKSUM]) != data[-CHECKSUM:]:
        _refuse(path, "is cut short or damaged; export it again")
    try:
        return _portable(path, data[:-CHECKSUM])
    except (ValueError, KeyError, TypeError, struct.error, zlib.error) as error:
        _refuse(path, f"is inconsistent ({error}); export it again")


def _portable(path: Path, data: bytes) -> OpenRecording:
    _, size = HEAD.unpack_from(data)
    if size > MOST_HEAD:
        raise ValueError("its head is too large")
    head = decode(data[HEAD.size :][:size].decode())
    origin, ticks = _origin(head), _number(head["ticks"], MOST_TICKS)
    packed = _decompress(data[HEAD.size + size :], ticks * MAX_RECORD_SIZE)
    records = list(unpack(packed, origin.sha1))
    if len(records) != ticks:
        raise ValueError(f"{counted(len(records), 'tick')}, not {ticks:,}")
    if records[-1].chain.hex() != head["chain"]:
        raise ValueError("the chain of its records differs")
    link = Link(ticks, records[-1].chain)
    milestones = tuple(
        RecordedMilestone(str(name), _number(tick, MOST_TICKS), tuple(map(str, witnesses)))
        for name, tick, witnesses in head["milestones"]
    )
    return OpenRecording(path, origin, milestones, Recording(records, ticks, link, (), _no_state))


def _origin(head: Mapping[str, Any]) -> RecordingOrigin:
    names = ("run", "cartridge", "sha1", "pyboy", "agent")
    words = {name: head[name] for name in names}
    if not all(isinstance(each, str) for each in words.values()):
        raise TypeError("a name that is not text")
    if len(bytes.fromhex(words["sha1"])) != hashlib.sha1(usedforsecurity=False).digest_size:
        raise ValueError("its SHA-1 is invalid")
    return RecordingOrigin(seed=_number(head["seed"], 1 << 63), **words)


def _number(value: object, limit: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= limit:
        raise TypeError(f"{value!r} where a number up to {limit} belongs")
    return value


def _decompress(packed: bytes, limit: int) -> bytes:
    """Return the decompressed data; raises ValueError above `limit` bytes."""
    decompressor = zlib.decompressobj()
    data = decompressor.decompress(packed, max(limit, 1))
    if not decompressor.eof or decompressor.unused_data:
        raise ValueError("its records are longer than its ticks allow")
    return data


def _checksum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=CHECKSUM).digest()


def _no_state(mark: CheckpointInfo) -> NoReturn:
    raise RunError(f"an exported replay has no checkpoint of tick {mark.tick}")


def _refuse(path: Path, problem: str) -> NoReturn:
    raise RunError(f"{path} {problem}")
