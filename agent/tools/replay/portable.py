"""A recording as one file that can be driven elsewhere: steps, digests and figures, nothing of the cartridge.

::

    REDPLAY1 | size of the head | head, JSON | records, zlib | blake2b-128 of all before

No state is in it, because states hold video RAM and with it artwork; no picture and no text of the game either.
Records carry no chain each: the head has its last link, and reading computes the chain again and compares it with that.
Whatever such a file says, reading it takes bounded time and memory.
"""

import hashlib
import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from agent.app.settings import PlayedOn
from agent.errors import RunError
from agent.tools.replay.recording import Recording
from emulator import MOST_PACKED, Link, StepRecord, pack, unpack
from memory import CheckpointMark, RunReader

MAGIC: Final = b"REDPLAY1"
HEAD: Final = struct.Struct("<8sI")
CHECKSUM: Final = 16
MOST_HEAD: Final = 1 << 16
MOST_TICKS: Final = 1_000_000  # some two hundred hours of play
MOST_BYTES: Final = 1 << 26
LEVEL: Final = 9


class RecordedMilestone(NamedTuple):
    """A milestone and when it was reached, by which kinds of witness."""

    id: str
    tick: int
    witnesses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecordingOrigin(PlayedOn):
    """Where a recording comes from."""

    run: str
    seed: int
    pyboy: str
    agent: str


class OpenRecording(NamedTuple):
    """A recording that is open; `run` is its store, which an exported file has none of."""

    path: Path
    origin: RecordingOrigin
    milestones: tuple[RecordedMilestone, ...]
    recording: Recording
    run: RunReader | None = None

    def store(self, wanted: str) -> RunReader:
        """Return the run itself, for what an exported file does not hold; raises RunError where there is none."""
        if self.run is None:
            message = f"{self.path} is an exported replay, and {wanted} takes the folder of a run"
            raise RunError(message)
        return self.run


def encode_portable(
    origin: RecordingOrigin, milestones: Sequence[RecordedMilestone], records: Sequence[StepRecord]
) -> bytes:
    """Return a sound recording as the bytes of such a file, always the same.

    Raises RunError when there is nothing recorded, or more than such a file may hold.
    """
    if not 0 < len(records) <= MOST_TICKS:
        message = f"{len(records)} ticks cannot be exported; 1 to {MOST_TICKS:,} can"
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
    """Return what a file holds. Raises RunError when it is none of these, damaged, or not what it says."""
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if not data.startswith(MAGIC):
        _refuse(path, "is no exported replay; name one, or the folder of a run")
    if len(data) > MOST_BYTES:
        _refuse(path, f"is larger than the {MOST_BYTES >> 20} MiB that an exported replay takes")
    if _checksum(data[:-CHECKSUM]) != data[-CHECKSUM:]:
        _refuse(path, "is cut short or damaged; export it anew")
    try:
        return _portable(path, data[:-CHECKSUM])
    except (ValueError, KeyError, TypeError, struct.error, zlib.error, RecursionError) as error:
        _refuse(path, f"does not hold what it says ({error}); export it anew")


def _portable(path: Path, data: bytes) -> OpenRecording:
    _, size = HEAD.unpack_from(data)
    if size > MOST_HEAD:
        raise ValueError("its head is too large")
    head = json.loads(data[HEAD.size :][:size])
    origin, ticks = _origin(head), _number(head["ticks"], MOST_TICKS)
    packed = _inflated(data[HEAD.size + size :], ticks * MOST_PACKED)
    records = list(unpack(packed, origin.sha1))
    if len(records) != ticks:
        message = f"{len(records)} ticks, not {ticks}"
        raise ValueError(message)
    if records[-1].chain.hex() != head["chain"]:
        raise ValueError("the chain of its records comes out otherwise")
    link = Link(ticks, records[-1].chain)
    milestones = tuple(
        RecordedMilestone(str(name), _number(tick, MOST_TICKS), tuple(map(str, witnesses)))
        for name, tick, witnesses in head["milestones"]
    )
    return OpenRecording(path, origin, milestones, Recording(records, ticks, link, (), _none))


def _origin(head: Mapping[str, Any]) -> RecordingOrigin:
    names = ("run", "cartridge", "sha1", "pyboy", "agent")
    words = {name: head[name] for name in names}
    if not all(isinstance(each, str) for each in words.values()):
        raise TypeError("a name that is no text")
    if len(bytes.fromhex(words["sha1"])) != hashlib.sha1(usedforsecurity=False).digest_size:
        raise ValueError("its SHA-1 is none")
    return RecordingOrigin(seed=_number(head["seed"], 1 << 63), **words)


def _number(value: object, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        message = f"{value!r} where a number up to {most} belongs"
        raise TypeError(message)
    return value


def _inflated(packed: bytes, most: int) -> bytes:
    """Return what was compressed, which never becomes more than `most` bytes."""
    inflating = zlib.decompressobj()
    data = inflating.decompress(packed, max(most, 1))
    if not inflating.eof or inflating.unused_data:
        raise ValueError("its records are more than its ticks can be")
    return data


def _checksum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=CHECKSUM).digest()


def _none(mark: CheckpointMark) -> NoReturn:
    message = f"an exported replay has no checkpoint of tick {mark.tick}"
    raise RunError(message)


def _refuse(path: Path, why: str) -> NoReturn:
    message = f"{path} {why}"
    raise RunError(message)
