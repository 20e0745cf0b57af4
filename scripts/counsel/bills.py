"""Whether a run kept to its ceilings, by what its file has of each call."""

from collections.abc import Sequence
from dataclasses import replace

from agent.advisor.money import Terms
from memory.store.calls import HOUR_MS, CallState, CallSums, ModelCall, Sums


def passed(calls: Sequence[ModelCall], terms: Terms) -> list[str]:
    """Return the ceilings that the calls of a run go beyond, at any moment of it."""
    counted = [each for each in calls if each.state is not CallState.CANCELLED]
    found = (terms.ceilings.passed_by(_sums(counted[: at + 1])) for at in range(len(counted)))
    return sorted({each for each in found if each is not None})


def _sums(calls: Sequence[ModelCall]) -> CallSums:
    """Return what calls come to in all, in the hour up to the last, and under the milestone of the last.

    The last counts at its worst, as it did while it was under way.
    """
    last = replace(calls[-1], nanos=calls[-1].worst_nanos, tokens=calls[-1].worst_tokens)
    calls = [*calls[:-1], last]
    hour = [each for each in calls if each.started_ms > last.started_ms - HOUR_MS]
    milestone = [each for each in calls if each.milestone == last.milestone]
    return CallSums(_sum(calls), _sum(hour), _sum(milestone))


def _sum(calls: Sequence[ModelCall]) -> Sums:
    nanos, tokens = (sum(getattr(each, name) for each in calls) for name in ("nanos", "tokens"))
    return Sums(nanos, len(calls), tokens)
