"""Verification of claims by facts; entries that evidence contradicts are closed, never deleted.

A claim names a fact and its bounds: `{"claims": {"fact": "badges", "at_least": 1}, ...}`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from memory.blackboard.blackboard import Blackboard
from memory.blackboard.entry import COLLECTIVE, BlackboardEvent, Entry
from memory.codec import from_json
from memory.tiers.approaches import APPROACH, Approach
from memory.tiers.encounters import ENCOUNTERS, contradiction
from memory.tiers.knowledge import ConsolidationConfig, LearnedPattern
from memory.tiers.lessons import mistake_id_of
from memory.tiers.tactician import MISTAKE, PATTERN

CLAIMS: Final = "claims"


class ClaimVerdict(NamedTuple):
    """Whether the facts confirm a claim, and the value of the fact in words."""

    holds: bool
    reason: str


class ClaimChecker:
    """Verifies claims and closes contradicted knowledge. `on_closed` receives each closed entry of knowledge."""

    def __init__(
        self,
        blackboard: Blackboard,
        config: ConsolidationConfig,
        *,
        semantic: str,
        episodic: str,
        on_closed: Callable[[Entry], object],
    ) -> None:
        self._blackboard = blackboard
        self._config = config
        self._semantic = semantic
        self._episodic = episodic
        self._on_closed = on_closed
        self._claims: dict[int, Entry] = {}  # open ones; after a restart read from the scopes
        for scope in blackboard.scopes():
            for entry in blackboard.entries(scope):
                self._track(entry)
        for glob in ("agent:*:working", "agent:*:stm", "agent:*:ltm:*", "team:*", COLLECTIVE):
            blackboard.subscribe(glob, self._on_event)  # sensory scopes hold no claims

    def check_claims(self, facts: Mapping[str, int], tick: int) -> None:
        """Verify or close each open claim about one of `facts`."""
        for entry in tuple(self._claims.values()):
            verdict = verdict_on(entry.data[CLAIMS], facts)
            if verdict is None:
                continue
            if verdict.holds:
                sources = (*entry.sources, f"tick:{tick}")
                self._blackboard.revise(entry, status="verified", sources=sources)
            else:
                self._blackboard.close(
                    entry, f"the cartridge says {verdict.reason}", (f"tick:{tick}",)
                )

    def _on_event(self, event: BlackboardEvent) -> None:
        entry = event.entry
        if event.action not in {"write", "revise"}:
            self._claims.pop(entry.seq, None)
        elif entry.status == "claim" or entry.seq in self._claims:
            self._track(entry)
        elif event.action == "write" and entry.kind == PATTERN:
            self._check_pattern(entry)
        elif event.action == "write" and entry.kind == APPROACH:
            self._check_mistake(entry)
        elif event.action == "write" and entry.kind in ENCOUNTERS:
            self._check_encounter(entry)

    def _track(self, entry: Entry) -> None:
        if entry.status == "claim" and not entry.closed and CLAIMS in entry.data:
            self._claims[entry.seq] = entry
        else:
            self._claims.pop(entry.seq, None)

    def _check_pattern(self, entry: Entry) -> None:
        """Close a pattern whose failure rate reaches the threshold at which a success rate makes a pattern."""
        pattern = from_json(LearnedPattern, entry.data)
        total = pattern.success_count + pattern.failure_count
        is_frequent = total >= self._config.min_occurrences_for_pattern
        if is_frequent and pattern.failure_count >= self._config.pattern_threshold * total:
            self._close(entry, f"it failed {pattern.failure_count} of {total} times")

    def _check_mistake(self, entry: Entry) -> None:
        """Close the mistake of an action once the action succeeds at least as often as it fails."""
        seen = from_json(Approach, entry.data)
        if seen.reasoning or not seen.reported_failures or seen.successes < seen.failures:
            return
        key = f"{MISTAKE}:{mistake_id_of(seen.place, seen.actions[0])}"
        mistake = self._blackboard.get(self._semantic, key)
        if mistake is not None and not mistake.closed:
            total = seen.successes + seen.failures
            self._close(mistake, f"it worked {seen.successes} of {total} times", entry.key)

    def _check_encounter(self, entry: Entry) -> None:
        """Close an earlier record of a person, shop or square that the new entry contradicts."""
        known = self._blackboard.get(self._episodic, entry.key)
        if known is None or known.closed or known.seq == entry.seq:
            return
        difference = contradiction(entry.kind, known.data, entry.data)
        if difference:
            self._close(known, f"seen otherwise: {difference}", entry.key)

    def _close(self, entry: Entry, reason: str, *evidence: str) -> None:
        sources = (*evidence, f"tick:{self._blackboard.tick}")
        self._on_closed(self._blackboard.close(entry, reason, sources))


def verdict_on(claim: Any, facts: Mapping[str, int]) -> ClaimVerdict | None:  # noqa: ANN401  # unchecked output of a model
    """Return whether `facts` confirm a claim, or None when they do not contain its fact."""
    if not isinstance(claim, dict) or claim.get("fact") not in facts:
        return None
    name = claim["fact"]
    value = facts[name]
    least, most = claim.get("at_least", value), claim.get("at_most", value)
    if not (isinstance(least, int) and isinstance(most, int)):
        return None  # the bounds are not integers
    return ClaimVerdict(least <= value <= most, f"{name} is {value}")
