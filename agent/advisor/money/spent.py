"""What asking cost so far, by what it was for; for summaries, reports and benchmarks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from agent.advisor.money.prices import KINDS, NANO
from memory.store.calls import CallState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memory.store.calls import Call

MEMORY: Final = frozenset({"observer", "reflector"})  # purposes of memory itself
_UNKNOWN: Final = (CallState.RESERVED, CallState.LOST)


@dataclass(frozen=True, slots=True)
class Spent:
    """Totals in billionths of a dollar, calls and tokens; calls that nobody heard of count at their worst.

    `kinds` are the tokens of calls that are settled. `unknown_nanos` is how much of `nanos` is such a worst case;
    `memory_tokens` what memory itself took: its observer, its reflector, and what it put into other prompts.
    """

    nanos: int
    unknown_nanos: int
    calls: int
    tokens: int
    memory_tokens: int
    purposes: Mapping[str, int]
    models: Mapping[str, int]
    kinds: Mapping[str, int]
    states: Mapping[str, int]

    @property
    def memory_share(self) -> float:
        """Which part of all tokens memory took, from 0 to 1."""
        return min(1.0, self.memory_tokens / self.tokens) if self.tokens else 0.0

    def lines(self) -> list[str]:
        """Return it in words, one line for each thing worth saying; nothing where nobody was asked."""
        if not self.states:
            return []
        said = [
            f"model: {dollars(self.nanos)} for {self.calls:,} calls and {self.tokens:,} tokens,"
            f" {self.memory_share:.0%} of them memory's own"
        ]
        if self.unknown_nanos:
            said.append(f"at worst, as nobody heard: {dollars(self.unknown_nanos)} of it")
        for name, parts in (("purpose", self.purposes), ("model", self.models)):
            told = ", ".join(f"{each} {dollars(nanos)}" for each, nanos in _largest(parts))
            said.append(f"by {name}: {told}")
        said.append(
            "tokens: " + ", ".join(f"{kind} {count:,}" for kind, count in self.kinds.items())
        )
        return said


def spent_on(calls: Iterable[Call], *, observation_tokens: int = 0) -> Spent:
    """Return what `calls` cost; `observation_tokens` is what observations took within prompts of other purposes."""
    purposes: Counter[str] = Counter()
    models: Counter[str] = Counter()
    states: Counter[str] = Counter()
    kinds: Counter[str] = Counter(dict.fromkeys(KINDS, 0))
    tokens = unknown = 0
    memory = observation_tokens
    for call in calls:
        states[call.state.value] += 1
        if call.state is CallState.CANCELLED:
            continue
        purposes[call.purpose] += call.nanos
        models[call.model] += call.nanos
        tokens += call.tokens
        memory += call.tokens if call.purpose in MEMORY else 0
        unknown += call.nanos if call.state in _UNKNOWN else 0
        kinds.update({kind: getattr(call, kind) for kind in KINDS})
    made = states.total() - states[CallState.CANCELLED.value]
    return Spent(purposes.total(), unknown, made, tokens, memory, purposes, models, kinds, +states)


def dollars(nanos: int) -> str:
    """Return billionths of a dollar as they are read, rounded up."""
    return f"${-(-nanos * 10_000 // NANO) / 10_000:,.4f}"


def _largest(parts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(parts.items(), key=lambda part: (-part[1], part[0]))
