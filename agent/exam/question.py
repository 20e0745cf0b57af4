"""A question of the exam: what it asks, in words and as a typed form, and what would be right."""

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

Answer: TypeAlias = str | int | frozenset[str] | tuple[str, ...]


class Kind(Enum):
    """What one has to remember for it."""

    LOSS = "what was lost where"
    VICTORY = "what beat whom"
    LATEST = "the latest value"
    FIRST = "when and where first"
    COUNT = "how often"
    ACROSS = "across runs"
    NEVER = "what never was"


class Ask(Enum):
    """What is wanted, and of which type the answer is."""

    LOST_IN = "place of the last defeat by the subject"
    LOST_AT = "level at which that was begun"
    LOST_BY = "who of ours began it"
    LOST_THERE = "names of all that won in the subject, a place"
    WON_BY = "who of ours ended the last fight won against the subject"
    WON_WITH = "the moves used in it, in the order of their first use"
    MONEY = "money now"
    ITEMS = "how many of the subject are carried now"
    LEVEL = "level of the subject, one of ours, now"
    FOUND_IN = "place in which the subject, a thing, was first had"
    MOST = "how many of the subject there were at most"
    MONEY_AT = "money on reaching the subject, a milestone"
    LEVEL_AT = "highest level of the team then"
    BLACKED_OUT_BY = "against whom the last fight was lost that cost money"
    HERE = "the place one is in now"
    FIRST_THERE = "tick at which the subject, a place, was first entered"
    FIRST_MET = "tick at which the subject was first met"
    MET_IN = "place in which the subject was first met"
    REACHED = "tick at which the subject, a milestone, was reached"
    EARLIER = "which of two places was entered first"
    VISITS = "how often the subject, a place, was entered"
    MEETINGS = "how often the subject was fought with"
    WINS = "how often it was beaten"
    DEFEATS = "how many fights were lost"
    BLACKOUTS = "how many of them cost money"
    RUN_STARTER = "with whom a run began"
    RUN_TURNS = "turns of battle that a run took to the subject, a milestone"
    RUN_MEETINGS = "how often a run fought with the subject"
    RUN_CAUGHT = "names of all that a run caught"
    RUNS_LOST = "the runs that lost to the subject"
    QUICKEST = "the run that took the fewest ticks to the subject, a milestone"
    BEST_STARTER = "the starter with which that took the fewest turns of battle, on average"


@dataclass(frozen=True, slots=True)
class Form:
    """What is asked, typed; `run` is whose, where it is not the run that has just ended."""

    ask: Ask
    subject: str = ""
    other: str = ""
    run: str = ""


@dataclass(frozen=True, slots=True)
class Exactly:
    """One answer is right, and no other."""

    value: Answer


@dataclass(frozen=True, slots=True)
class Within:
    """Any tick from `first` to `last` is right: what is asked for took that long."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Unknown:
    """It never was: the right thing is to say that one does not know."""


Expected: TypeAlias = Exactly | Within | Unknown


@dataclass(frozen=True, slots=True)
class Question:
    """`traps` are answers that are wrong and near: older values, other runs' values, names like the right one."""

    kind: Kind
    form: Form
    words: str
    expected: Expected
    traps: tuple[Exactly | Within, ...] = ()
