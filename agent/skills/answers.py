"""What to say to yes-or-no questions whose words nobody knows beforehand."""


class Answers:
    """Yes or no to each question: `first` to the first, and yes to what is asked because of a no.

    Who will not forget a move for a fifth one is asked whether to do without it, and who says no to
    that as well is asked for ever. With which of the two it begins is not known, so what is asked again is
    answered otherwise.
    """

    def __init__(self) -> None:
        self._given: dict[str, bool] = {}
        self._asked = ""  # the question that is still open

    def to(self, asked: str, *, first: bool = False) -> bool:
        """Return whether to say yes."""
        if asked != self._asked:
            self._given[asked] = self._answer(asked, first=first)
            self._asked = asked
        return self._given[asked]

    def close(self) -> None:
        """Take note that nothing is being asked."""
        self._asked = ""

    def _answer(self, asked: str, *, first: bool) -> bool:
        if asked in self._given:
            return not self._given.pop(asked)
        return first if not self._given else list(self._given.values())[-1] is False
