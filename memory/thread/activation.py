"""When what waits is let stand in for its messages, and how much of it. Pure; no model has a part in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memory.thread.chunks import Edge, boundary
from memory.thread.parts import Reason

if TYPE_CHECKING:
    from memory.thread.config import ThreadConfig
    from memory.thread.record import ObservationalMemoryRecord


class Activation(NamedTuple):
    """All that waits up to message `upto`, and the reflection that waits if it is time for it."""

    upto: int
    swaps_reflection: bool
    reason: Reason


def threshold(config: ThreadConfig, record: ObservationalMemoryRecord) -> int:
    """Return from how many tokens of messages on they are observed: more where observations leave room and share it."""
    most = config.observation.message_tokens
    if not config.share_token_budget:
        return most
    room = config.reflection.observation_tokens - record.observation_token_count
    # Never into what makes a step wait: that is counted from the bare threshold.
    return min(most + max(0, room), config.observation.blocking)


def activation(
    config: ThreadConfig, record: ObservationalMemoryRecord, also: Reason | None
) -> Activation | None:
    """Return what is to be activated, or None; `also` is a reason beside the threshold, for which all that waits is."""
    waiting = record.buffered_observation_chunks
    if not waiting:
        return None
    pending = record.pending_message_tokens
    edges: list[Edge] = []
    for chunk in waiting:
        edges.append(Edge(chunk.to_seq, chunk.message_tokens + (edges[-1].tokens if edges else 0)))
    if pending >= threshold(config, record):
        edge, reason = boundary(edges, pending, config.observation.floor), Reason.THRESHOLD
    else:
        edge, reason = (edges[-1], also) if also else (None, Reason.THRESHOLD)
    if edge is None:
        return None
    added = sum(each.tokens for each in waiting if each.to_seq <= edge.seq)
    is_time = record.observation_token_count + added >= config.reflection.observation_tokens
    return Activation(edge.seq, is_time and record.buffered_reflection is not None, reason)
