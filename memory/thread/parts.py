"""What a conversation's memory tells whoever looks on, after it has happened."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.codec import Json


class PartKind(Enum):
    """What happened."""

    OBSERVATION_START = "data-om-observation-start"
    OBSERVATION_END = "data-om-observation-end"
    OBSERVATION_FAILED = "data-om-observation-failed"
    BUFFERING_START = "data-om-buffering-start"
    BUFFERING_END = "data-om-buffering-end"
    BUFFERING_FAILED = "data-om-buffering-failed"
    ACTIVATION = "data-om-activation"
    STATUS = "data-om-status"
    THREAD_UPDATE = "data-om-thread-update"


class Reason(Enum):
    """Why what waited was activated."""

    THRESHOLD = "threshold"
    TTL = "ttl"  # nothing was said for long, so the service keeps nothing of the prompt any more
    PROVIDER = "provider"  # another service answers, which never kept any of it


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that happened to the memory of `thread`, with its figures."""

    kind: PartKind
    thread: str
    data: Mapping[str, Json]
