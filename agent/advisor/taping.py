"""What of a request goes on a tape: the conversation as it will be sent again, and not the state of the moment.

A tape tells messages apart by what they say and what came before. The state is never sent twice, so that each call would
leave a branch of its own; it is kept beside the tape, with which the record is whole.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from agent.advisor.model import Record


def without_state(record: Record) -> Record:
    """Return what hands calls on to `record` with the state taken out of the request and into its meta, as `state`."""

    def settled(
        request: Mapping[str, Any],
        reply: Mapping[str, Any],
        *,
        duration_ns: int,
        meta: Mapping[str, Any],
    ) -> object:
        *earlier, last = request["messages"]
        kept = _settled(last["content"])
        if not kept:  # no conversation: nothing of it will be sent again
            return record(request, reply, duration_ns=duration_ns, meta=meta)
        messages = [*earlier, {**last, "content": kept}]
        state = [_brief(each) for each in last["content"][len(kept) :]]
        told = {**meta, "state": state}
        return record({**request, "messages": messages}, reply, duration_ns=duration_ns, meta=told)

    return settled


def _settled(content: object) -> Sequence[Mapping[str, Any]]:
    """Return the blocks up to the mark: what stands behind it is of the moment."""
    blocks = content if isinstance(content, list) else []
    marks = [at for at, each in enumerate(blocks) if "cache_control" in each]
    return blocks[: marks[-1] + 1] if marks else []


def _brief(block: Mapping[str, Any]) -> str:
    return str(block["text"]) if block["type"] == "text" else f"({block['type']})"
