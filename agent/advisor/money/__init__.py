"""What asking costs, and that it stays below its ceilings whatever happens."""

from agent.advisor.money.bound import most_input_tokens
from agent.advisor.money.prices import Price, Prices, Rates, load_prices
from agent.advisor.money.spent import Spent, spent_on
from agent.advisor.money.terms import Ceiling, Ceilings, Step, Terms, load_terms, nanos_of
from agent.advisor.money.wallet import BilledBeyond, Ledger, Wallet

__all__ = [
    "BilledBeyond",
    "Ceiling",
    "Ceilings",
    "Ledger",
    "Price",
    "Prices",
    "Rates",
    "Spent",
    "Step",
    "Terms",
    "Wallet",
    "load_prices",
    "load_terms",
    "most_input_tokens",
    "nanos_of",
    "spent_on",
]
