"""How much an observation matters, by the words that are in it."""

from __future__ import annotations

import re
from enum import Enum
from typing import Final


class Priority(Enum):
    """The most important first."""

    IMPORTANT = "important"
    POSSIBLE = "possible"
    INFORMATIONAL = "informational"


# Whole words in their usual forms, also as parts of a name such as ValueError or fix_battle: `prefix` is no fix.
_IMPORTANT: Final = (
    r"bugs?|buggy|errors?|crash(?:es|ed|ing)?|security|fix(?:es|ed|ing)?|fail(?:s|ed|ing|ures?)?|broken"
    r"|revert(?:s|ed|ing)?|hotfix(?:es)?|vulnerability|vulnerabilities"
)
_POSSIBLE: Final = (
    r"tests?|tested|testing|refactor(?:s|ed|ing)?|update[sd]?|updating|rename[sd]?|renaming"
    r"|clean(?:s|ed|ing)?[ -]?ups?|reorgani[sz]e[sd]?|reorgani[sz]ing|migrate[sd]?|migrating|migrations?"
    r"|deprecate[sd]?|deprecating|deprecations?"
)


def _words(forms: str) -> re.Pattern[str]:
    in_a_name = rf"(?<=[a-z])(?=[A-Z])(?i:{forms})(?![a-z])"
    return re.compile(rf"(?<![A-Za-z])(?i:{forms})(?![A-Za-z])|{in_a_name}")


_BY_PRIORITY: Final = (
    (Priority.IMPORTANT, _words(_IMPORTANT)),
    (Priority.POSSIBLE, _words(_POSSIBLE)),
)


def priority_of(text: str) -> Priority:
    """Return the highest priority that any word of `text` asks for."""
    for priority, words in _BY_PRIORITY:
        if words.search(text):
            return priority
    return Priority.INFORMATIONAL


def at_least(least: Priority, text: str) -> Priority:
    """Return the priority of `text`, or `least` where that is higher."""
    order = list(Priority)
    return min(least, priority_of(text), key=order.index)
