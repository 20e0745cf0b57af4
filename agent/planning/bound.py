"""What is left to pay at the least: every condition that must still come true has to be brought about by somebody."""

from collections.abc import Iterator

from agent.planning.question import Question


class Bound:
    """The lower bound of one question, worked out once for each set of conditions that hold.

    A wanted condition that does not hold has to be brought about; so has whatever is needed by everything that
    could bring it about. For each of these the cheapest way is counted, unless an action that could have been
    counted before does it too: what is counted is paid in any case, and only once.
    """

    def __init__(self, question: Question) -> None:
        self._wanted = question.wanted
        self._helpers: dict[
            int, int
        ] = {}  # to each bit, the operators that set it, as bits of their own
        self._costs: dict[int, int] = {}  # and the least of what they cost
        self._needs: dict[int, int] = {}  # and what all of them need
        for number, each in enumerate(question.operators):
            for bit in _bits(each.sets):
                cost, needs = (
                    self._costs.get(bit, each.action.cost),
                    self._needs.get(bit, each.needs),
                )
                self._helpers[bit] = self._helpers.get(bit, 0) | 1 << number
                self._costs[bit] = min(cost, each.action.cost)
                self._needs[bit] = needs & each.needs
        self._known: dict[int, int | None] = {}

    def of(self, bits: int) -> int | None:
        """Return the least that is left to pay where `bits` are set; None when the goal is out of reach."""
        if bits not in self._known:
            self._known[bits] = self._measure(bits)
        return self._known[bits]

    def _measure(self, bits: int) -> int | None:
        total = counted = 0
        missing = seen = self._wanted & ~bits
        while missing:
            bit = missing & -missing
            missing ^= bit
            helpers = self._helpers.get(bit)
            if helpers is None:
                return None
            if not helpers & counted:
                counted |= helpers
                total += self._costs[bit]
            fresh = self._needs[bit] & ~bits & ~seen
            missing, seen = missing | fresh, seen | fresh
        return total


def _bits(bits: int) -> Iterator[int]:
    while bits:
        bit = bits & -bits
        yield bit
        bits ^= bit
