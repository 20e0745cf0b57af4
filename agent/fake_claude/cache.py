"""The prompt cache: which prefixes are kept, for how long, and what a request is charged for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from agent.fake_claude.prefix import Piece

TTL_S: Final = {"5m": 300.0, "1h": 3_600.0}
LOOK_BACK: Final = 20  # blocks before a mark at which a kept prefix is still found


@dataclass(frozen=True, slots=True)
class Charge:
    """The tokens of the input, by kind; together they are the whole of it."""

    plain: int = 0
    read: int = 0
    written_5m: int = 0
    written_1h: int = 0

    @property
    def total(self) -> int:
        """How long the input is."""
        return self.plain + self.read + self.written_5m + self.written_1h


class PromptCache:
    """Keeps prefixes by digest until they expire; a hit renews them. `clock` is in seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._kept: dict[bytes, tuple[float, float]] = {}  # until when, and how long from a hit

    def charge(self, pieces: Sequence[Piece], minimum: int) -> Charge:
        """Read the longest kept prefix, keep what is marked after it, and return what that comes to.

        A prefix of less than `minimum` tokens is never kept.
        """
        total = pieces[-1].tokens if pieces else 0
        marks = [at for at, each in enumerate(pieces) if each.ttl and each.tokens >= minimum]
        hit = self._hit(pieces, marks)
        read = pieces[hit].tokens if hit >= 0 else 0
        fresh = [pieces[at] for at in marks if at > hit]
        long = max((each.tokens for each in fresh if each.ttl == "1h"), default=read)
        end = max((each.tokens for each in fresh), default=read)
        for piece in (pieces[at] for at in marks):
            self._keep(piece)
        return Charge(total - end, read, end - long, long - read)

    def _hit(self, pieces: Sequence[Piece], marks: Sequence[int]) -> int:
        for mark in reversed(marks):
            for at in range(mark, max(mark - LOOK_BACK, -1), -1):
                if self._renewed(pieces[at].digest):
                    return at
        return -1

    def _renewed(self, digest: bytes) -> bool:
        until, length = self._kept.get(digest, (0.0, 0.0))
        now = self._clock()
        if until <= now:
            return False
        self._kept[digest] = now + length, length
        return True

    def _keep(self, piece: Piece) -> None:
        until, length = self._kept.get(piece.digest, (0.0, 0.0))
        now = self._clock()
        length = max(TTL_S[piece.ttl], length if until > now else 0.0)
        self._kept[piece.digest] = now + length, length
