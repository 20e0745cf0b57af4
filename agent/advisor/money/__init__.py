"""What asking a model costs, and the limits that hold whatever happens."""

from agent.advisor.money.limits import (
    BudgetStep,
    Ceiling,
    Ceilings,
    Terms,
    load_terms,
    most_input_tokens,
    nanos_of,
)
from agent.advisor.money.prices import Price, Prices, Rates, load_prices, spent_on
from agent.advisor.money.wallet import Wallet

__all__ = [
    "BudgetStep",
    "Ceiling",
    "Ceilings",
    "Price",
    "Prices",
    "Rates",
    "Terms",
    "Wallet",
    "load_prices",
    "load_terms",
    "most_input_tokens",
    "nanos_of",
    "spent_on",
]
