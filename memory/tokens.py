"""The estimate of tokens in a text, the same everywhere."""

from dataclasses import dataclass
from typing import Final

CHARACTERS: Final = 4  # of one token of English, about
FEWEST_CHARACTERS: Final = 2.0  # of one token of ids, digits and emoji
MOST_CHARACTERS: Final = 6.0
WEIGHT: Final = 0.25  # of a new measurement against the current estimate


@dataclass(frozen=True, slots=True)
class TokenEstimator:
    """Estimates tokens from characters; all thresholds of one conversation use the same estimator."""

    characters: float = float(CHARACTERS)  # per token

    def __call__(self, text: str) -> int:
        """Return the estimate for `text`, rounded up, so that the parts never sum to less than the whole."""
        return self.of_characters(len(text))

    def of_characters(self, characters: int) -> int:
        """Return the estimate for this number of characters, rounded up."""
        return -int(-characters // self.characters)

    def calibrated(self, characters: int, counted: int) -> "TokenEstimator":
        """Return an estimator adjusted towards the tokens a service `counted` for a text of `characters` characters.

        One count moves the ratio by a quarter of the difference, within the limits of a token; zero counts are ignored.
        """
        if characters <= 0 or counted <= 0:
            return self
        measured = min(max(characters / counted, FEWEST_CHARACTERS), MOST_CHARACTERS)
        return TokenEstimator(self.characters + WEIGHT * (measured - self.characters))


def tokens_of(characters: int) -> int:
    """Return the estimate for this number of characters, rounded up."""
    return -(-characters // CHARACTERS)


def tokens(text: str) -> int:
    """Return the estimate for `text`."""
    return tokens_of(len(text))
