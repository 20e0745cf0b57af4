"""The result of one verified game: every fact with its standing and what contradicts it, as JSON and as a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from agent import VERSION
from agent.app import Stop
from agent.tools.report.html import render
from agent.tools.verify.fact import FactLog, FactRow, FactStatus
from emulator import EMULATOR, Cartridge


class PlayResult(NamedTuple):
    """How play ended, and how far it came."""

    stop: Stop
    reason: str
    ticks: int
    frames: int


@dataclass(frozen=True, slots=True)
class CartridgeVerdict:
    """The result of one game; `wrong` are the facts contradicted, the first one seen first."""

    cartridge: str
    sha1: str
    seed: int
    played: PlayResult
    rows: tuple[FactRow, ...]
    wrong: tuple[FactRow, ...]

    @classmethod
    def of(
        cls,
        cartridge: Cartridge,
        seed: int,
        played: PlayResult,
        log: FactLog,
        tables: Iterable[FactRow],
    ) -> CartridgeVerdict:
        """Return the verdict on what the log of a game and a survey of the tables say."""
        surveyed = tuple(tables)
        wrong = (*[row for row in surveyed if row.broken], *log.wrong)
        rows = (*log.rows.values(), *surveyed)
        return cls(cartridge.name, cartridge.sha1, seed, played, rows, wrong)

    @property
    def broke(self) -> bool:
        """Whether play itself came to an end that it should not."""
        return self.played.stop in {Stop.ERROR, Stop.GAVE_UP}

    @property
    def exit_code(self) -> int:
        """0 when all that was seen held, 1 when something did not or play broke, 130 for Ctrl-C."""
        if self.wrong or self.broke:
            return 1
        return Stop.INTERRUPTED.exit_code if self.played.stop is Stop.INTERRUPTED else 0

    def count(self, standing: FactStatus) -> int:
        """Return how many facts stand so."""
        return sum(row.standing is standing for row in self.rows)

    @property
    def headline(self) -> str:
        """How it ended, in one sentence."""
        held, unseen = self.count(FactStatus.HELD), self.count(FactStatus.NOT_SEEN)
        if self.wrong:
            facts = "fact was" if len(self.wrong) == 1 else "facts were"
            return f"{len(self.wrong)} written {facts} wrong, {held} held, {unseen} were not seen"
        return f"all {held} facts that were seen held, {unseen} were not seen"

    def as_json(self) -> Mapping[str, Any]:
        """Return it in plain JSON types; it names nobody and holds nothing of the game."""
        return {
            "cartridge": {"name": self.cartridge, "sha1": self.sha1},
            "versions": {"red-agent": VERSION, "emulator": EMULATOR},
            "seed": self.seed,
            "stop": self.played.stop.value,
            "reason": self.played.reason,
            "ticks": self.played.ticks,
            "frames": self.played.frames,
            "headline": self.headline,
            "wrong": [row.fact.id for row in self.wrong],
            "facts": [row.as_json() for row in self.rows],
        }


def page(verdict: CartridgeVerdict) -> str:
    """Return the page as text."""
    topics = dict.fromkeys(row.fact.topic for row in verdict.rows)
    return render(
        "verify.html",
        verdict=verdict,
        title=f"{verdict.cartridge}: {verdict.headline}",
        kicker=f"SHA-1 {verdict.sha1}, seed {verdict.seed}, red-agent {VERSION}, {EMULATOR}",
        standings=[(each.value, verdict.count(each)) for each in FactStatus],
        topics=[(each, [r for r in verdict.rows if r.fact.topic == each]) for each in topics],
    )
