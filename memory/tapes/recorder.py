"""Records each call of a model as nodes of a tape. Never disturbs its caller: what is lost is counted and told once."""

from __future__ import annotations

import json
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from memory.errors import MalformedRecord
from memory.faults import Faults
from memory.tapes.blocks import blocks_of
from memory.tapes.chain import Chains, Link
from memory.tapes.hashing import Bucket
from memory.tapes.secrets import mask_secrets
from memory.tapes.sound import sound
from memory.tapes.tape import Node, Spent
from memory.tapes.times import taped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memory.faults import OnFault
    from memory.tapes.sound import Mask
    from memory.tapes.tape import SqliteTape

FAULT: Final = "tape"  # the name under which losses are counted
META: Final = "meta.jsonl"  # beside the tape, which has no place for it


class TapeRecorder:
    """Writes calls to `tape`; threads may share it. `clock` gives seconds since 1970, which are metadata only.

    `on_fault` is told of the first loss; given a count of faults, losses are counted there. `mask` is
    given every text before anything is kept.
    """

    def __init__(
        self,
        tape: SqliteTape,
        *,
        agent_name: str,
        clock: Callable[[], float],
        on_fault: Faults | OnFault | None = None,
        mask: Mask = mask_secrets,
    ) -> None:
        self.faults = on_fault if isinstance(on_fault, Faults) else Faults(on_fault)
        self.lost = 0  # calls that are not on the tape, or whose meta is not beside it
        self.nodes = 0  # that were new
        self._tape = tape
        self._agent_name = agent_name
        self._clock = clock
        self._mask = mask
        self._chains = Chains()
        self._lock = Lock()

    def record(
        self,
        request: Mapping[str, Any],
        reply: Mapping[str, Any],
        *,
        duration_ns: int = 0,
        meta: Mapping[str, Any] | None = None,
    ) -> str | None:
        """Keep one successful call of the Messages API; return the hash of the reply's node, or None when it is lost.

        `request` and `reply` are the JSON objects that were sent and received, a streamed reply as the
        whole message. What the service edited out of the request, and `meta`, go to a file beside the tape.
        """
        try:
            with self._lock:
                node = self._record(request, reply, duration_ns)
                self._note(node, request, reply, meta or {})
        except Exception as error:  # noqa: BLE001  # a tape is worth less than the play it is about
            self._chains = Chains()  # the next call keeps again whatever may be missing
            self.lost += 1
            self.faults.note(FAULT, error)
            return None
        return node

    def _record(
        self, request: Mapping[str, Any], reply: Mapping[str, Any], duration_ns: int
    ) -> str:
        model, messages, at = str(request["model"]), request["messages"], self._clock()
        chain = self._chains.prefix(model, messages, self._mask)
        nodes = [self._node(model, each, chain, at) for each in messages[len(chain) :]]
        # The model's name is the one that was asked for, as in the request that will quote the reply.
        answer = {"role": reply["role"], "content": reply["content"]}
        spent = Spent.of(reply.get("usage") or {}, duration_ns)
        nodes.append(
            self._node(model, answer, chain, at, str(reply.get("stop_reason") or ""), spent)
        )
        self.nodes += self._tape.put(nodes)
        self._chains.keep(model, chain)
        return chain[-1].hash

    def _node(
        self,
        model: str,
        message: Mapping[str, Any],
        chain: list[Link],
        at: float,
        stop_reason: str = "",
        spent: Spent | None = None,
    ) -> Node:
        """Return the node that comes after `chain`, which it then belongs to."""
        blocks = blocks_of(message.get("content"), self._mask)
        bucket = Bucket(str(message["role"]), blocks, model, agent_name=self._agent_name)
        parent = chain[-1].hash if chain else None
        name = bucket.hash(parent)
        chain.append(Link.of(message, blocks, name))
        return Node(name, parent, bucket, at, stop_reason, spent or Spent())

    def _note(
        self,
        node: str,
        request: Mapping[str, Any],
        reply: Mapping[str, Any],
        meta: Mapping[str, Any],
    ) -> None:
        """Keep beside the tape what a node has no place for, where there is anything to keep."""
        edits = reply.get("context_management")
        told = {**meta, **({"context_management": edits} if edits else {})}
        if reply.get("model", request["model"]) != request["model"]:
            told["model"] = reply["model"]
        if not told:
            return
        line = {"hash": node, "at": taped(self._clock()), **told}
        with self._tape.path.with_name(META).open("a", encoding="utf-8") as file:
            file.write(json.dumps(sound(line, self._mask), ensure_ascii=False) + "\n")


def run_mark(run_id: str, attempt: int = 1) -> str:
    """Return the line to put into the first user message, so that two runs that begin alike are two conversations."""
    if any(each in run_id for each in '<>"\n'):
        message = f"{run_id!r} cannot be put into a mark; give a plain name."
        raise MalformedRecord(message)
    return f'<run id="{run_id}" attempt="{attempt}"/>'
