"""Which messages of a conversation have their nodes already, so that one sent again is neither hashed nor kept again."""

from __future__ import annotations

from collections import deque
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memory.tapes.blocks import blocks_of, spoken

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memory.tapes.blocks import Block
    from memory.tapes.sound import Mask

KEPT: Final = 8  # conversations that go on side by side


class Link(NamedTuple):
    """A message that has a node: as it was sent, as the tape has it, and what the node is called."""

    message: Mapping[str, Any]
    role: str
    blocks: Sequence[Block]
    hash: str

    @classmethod
    def of(cls, message: Mapping[str, Any], blocks: Sequence[Block], node: str) -> Link:
        """Return the link for `message`; whoever sent it may change it afterwards."""
        return cls(deepcopy(message), str(message["role"]), blocks, node)

    def again(self, message: Mapping[str, Any], mask: Mask) -> Link | None:
        """Return this link where `message` says the same, else None.

        Marks for the cache may have moved, and a reply may be sent again without its thinking.
        """
        if message == self.message:
            return self
        if message.get("role") != self.role:
            return None
        said = blocks_of(message.get("content"), mask)
        same = said == self.blocks or spoken(said) == spoken(self.blocks) != []
        return self._replace(message=deepcopy(message)) if same else None


class Chains:
    """The last few conversations, by what they were called with."""

    def __init__(self) -> None:
        self._chains: deque[tuple[str, list[Link]]] = deque(maxlen=KEPT)

    def prefix(self, model: str, messages: Sequence[Mapping[str, Any]], mask: Mask) -> list[Link]:
        """Return the links of the messages at the front that have nodes; it is a list of the caller's own."""
        best: list[Link] = []
        for known_model, chain in self._chains:
            if known_model == model:
                found = _front(chain, messages, mask)
                best = found if len(found) > len(best) else best
        return best

    def keep(self, model: str, chain: list[Link]) -> None:
        """Remember a conversation in the place of what it went on from."""
        root = chain[0].hash
        others = [each for each in self._chains if each[1][0].hash != root]
        self._chains = deque([*others, (model, chain)], maxlen=KEPT)


def _front(chain: list[Link], messages: Sequence[Mapping[str, Any]], mask: Mask) -> list[Link]:
    front = []
    for link, message in zip(chain, messages, strict=False):
        again = link.again(message, mask)
        if again is None:
            break
        front.append(again)
    return front
