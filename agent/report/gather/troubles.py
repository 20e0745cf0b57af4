"""What went wrong, by kind: the supervisor's faults with its answers, errors that were passed over, screen against RAM."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agent.report.gather.night import Fault
from memory import RunReader

LATEST: Final = 40  # faults told one by one
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Kind:
    """All faults of one kind: how many, the last of them, and what was done about them how often."""

    name: str
    times: int
    last: Fault
    answers: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Troubles:
    """Faults of the night by kind and the last ones in full, errors inside of play, and disagreements by kind."""

    kinds: Sequence[Kind]
    latest: Sequence[Fault]
    faults: int
    errors: int | None  # None where the last session left no word of it
    disagreements: Mapping[str, int]


def troubles(run: RunReader, faults: Sequence[Fault], summary: Mapping[str, Any]) -> Troubles:
    """Return all that went wrong in a run."""
    errors = summary.get("errors")
    return Troubles(
        kinds=_kinds(faults),
        latest=faults[-LATEST:],
        faults=len(faults),
        errors=errors if isinstance(errors, int) else None,
        disagreements=Counter(
            unnumbered(str(each.payload.get("between", "?"))) for each in run.events("disagreement")
        ),
    )


def unnumbered(words: str) -> str:
    """Return words with N in the place of every number, so that the same at other figures counts as the same."""
    return _NUMBER.sub("N", words)


def _kinds(faults: Sequence[Fault]) -> Sequence[Kind]:
    groups: dict[str, list[Fault]] = {}
    for each in faults:
        groups.setdefault(each.kind, []).append(each)
    found = [
        Kind(name, len(each), each[-1], Counter(unnumbered(fault.answer) for fault in each))
        for name, each in groups.items()
    ]
    return sorted(found, key=lambda each: -each.times)
