"""How many tokens a text takes, estimated in one way everywhere."""

from dataclasses import dataclass
from typing import Final

CHARACTERS: Final = 4  # a token of English, about
FEWEST_CHARACTERS: Final = 2.0  # a token of ids, digits and pictures
MOST_CHARACTERS: Final = 6.0
WEIGHT: Final = 0.25  # of a new count against what was held before


@dataclass(frozen=True, slots=True)
class TokenEstimator:
    """Estimates tokens from characters; every threshold of one conversation is held to one estimator."""

    characters: float = float(CHARACTERS)  # per token

    def __call__(self, text: str) -> int:
        """Return the estimate for `text`, rounded up: parts never come to less than their whole."""
        return self.of_characters(len(text))

    def of_characters(self, characters: int) -> int:
        """Return the estimate for that many characters, rounded up."""
        return -int(-characters // self.characters)

    def calibrated(self, characters: int, counted: int) -> "TokenEstimator":
        """Return an estimator that leans towards what a service `counted` for a text of so many characters.

        One count moves it by a quarter of the way, and none beyond what a token can be; a count of nothing teaches
        nothing.
        """
        if characters <= 0 or counted <= 0:
            return self
        seen = min(max(characters / counted, FEWEST_CHARACTERS), MOST_CHARACTERS)
        return TokenEstimator(self.characters + WEIGHT * (seen - self.characters))


def tokens_of(characters: int) -> int:
    """Return the estimate for that many characters, rounded up."""
    return -(-characters // CHARACTERS)


def tokens(text: str) -> int:
    """Return the estimate for `text`."""
    return tokens_of(len(text))
