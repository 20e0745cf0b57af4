"""On what terms a model is asked in a session, out of flags and files."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from agent.advisor.money import Prices, Terms, load_prices, load_terms, nanos_of
from agent.app.settings import AskSettings


class Hiring(NamedTuple):
    """On what terms Claude is asked, and where what is said is recorded; `distils` lets him observe and reflect too."""

    terms: Terms
    prices: Prices
    tapes: Path
    timeout_s: float = 60.0
    distils: bool = False


def hiring_of(asked: AskSettings, home: Path) -> Hiring:
    """Return the terms that were asked for; `home` is the folder of the memory, where prices and tapes are by default.

    Raises:
        UsageError: when a file cannot be used, or a model has no price.
    """
    terms, own = load_terms(asked.terms), home / "prices.toml"
    prices = load_prices(asked.prices or (own if own.is_file() else None))
    for model in (terms.usual, terms.small):
        prices.require(model)
    if asked.usd is not None:
        run = replace(terms.ceilings.run, nanos=nanos_of(Decimal(str(asked.usd))))
        terms = replace(terms, ceilings=replace(terms.ceilings, run=run))
    tapes = asked.tapes or home / ".tapes"
    return Hiring(terms, prices, tapes, asked.timeout_s, asked.distils)
