"""Models in words: whose advice a game had, and what it cost, or would have cost where the answers were made up."""

from collections.abc import Callable, Iterable
from typing import Final

from agent.advisor.port import Decider
from memory.tapes import is_made_up

LONGEST: Final = 60  # characters of a name, which is text of a server
ROUNDING: Final = 1e-10  # dollars; a tenth of the unit of the ledger
RULES: Final = "by rules"
STAND_IN: Final = "fake-claude (made-up answers)"


def model_name(model: str) -> str:
    """Return the name that a reply gave its model, short and in one line; that of the stand-in says that it is none."""
    if is_made_up(model):
        return STAND_IN
    shown = "".join(each if each.isprintable() else " " for each in model[: 4 * LONGEST])
    words = " ".join(shown.split())
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"


def decided_by(mind: str, advisers: Iterable[str], questions: int) -> str:
    """Return who decided a game: rules always, advised by the models that answered, by the names in their replies."""
    names = list(dict.fromkeys(model_name(each) or "an unnamed model" for each in advisers))
    if names:
        *others, last = names
        return f"{RULES}, advised by {', '.join(others)}{' and ' if others else ''}{last}"
    if questions:
        return f"{RULES}; a model was asked and never answered"
    return f"{RULES}; no model was asked yet" if mind == Decider.CLAUDE.value else RULES


def cost(usd: float, made_up_usd: float, dollars: Callable[[float], str]) -> str:
    """Return a cost at list prices in words; of it, `made_up_usd` is for made-up answers, which cost nothing."""
    if not made_up_usd:
        return dollars(usd)
    would = f"made-up answers would have cost {dollars(made_up_usd)} at list prices"
    real = usd - made_up_usd
    return f"{dollars(real)}, and {would}" if real > ROUNDING else would
