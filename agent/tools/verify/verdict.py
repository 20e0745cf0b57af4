"""The result of one verified game: every fact with its standing and what contradicts it, as JSON and as a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from agent import VERSION
from agent.app import Stop
from agent.tools.report.html import render, style
from agent.tools.verify.fact import Fact, FactLog
from emulator import EMULATOR, Cartridge, CartridgeCheck


class FactStatus(Enum):
    """What is known of a fact."""

    HELD = "held"
    WRONG = "wrong"
    NOT_SEEN = "not seen"


class PlayResult(NamedTuple):
    """How play ended, and how far it came."""

    stop: Stop
    reason: str
    ticks: int
    frames: int


class Deviation(NamedTuple):
    """One time that a fact did not hold: where, if anywhere in the game, and what was seen instead."""

    where: str
    map_id: int | None
    tick: int | None
    frame: int | None
    seen: str


@dataclass(frozen=True, slots=True)
class FactRow:
    """A fact and how it fared."""

    fact: Fact
    held: int
    broken: int
    findings: tuple[Deviation, ...]

    @property
    def standing(self) -> FactStatus:
        """What is known of it now."""
        if self.broken:
            return FactStatus.WRONG
        return FactStatus.HELD if self.held else FactStatus.NOT_SEEN

    @property
    def words(self) -> str:
        """What was wrong, in one line."""
        first = self.findings[0]
        return f"{self.fact.id} ({self.fact.reference}): {first.seen}; {first.where}"


@dataclass(frozen=True, slots=True)
class CartridgeVerdict:
    """What came of one game; `wrong` are the facts contradicted, the first one seen first."""

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
        notebook: FactLog,
        tables: Iterable[tuple[Fact, CartridgeCheck]],
    ) -> CartridgeVerdict:
        """Return the verdict on what a notebook and a survey of the tables say."""
        by_id = {name: _row(notebook, name) for name in notebook.tallies}
        surveyed = [_surveyed(fact, check) for fact, check in tables]
        broken = [row for row in surveyed if row.broken]
        in_order = (*broken, *[by_id[tally.fact.id] for tally in notebook.wrong])
        rows = (*by_id.values(), *surveyed)
        return cls(cartridge.name, cartridge.sha1, seed, played, rows, in_order)

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
            "facts": [_told(row) for row in self.rows],
        }


def _told(row: FactRow) -> Mapping[str, Any]:
    return {
        **row.fact._asdict(),
        "standing": row.standing.value,
        "held": row.held,
        "broken": row.broken,
        "findings": [each._asdict() for each in row.findings],
    }


def _row(notebook: FactLog, name: str) -> FactRow:
    tally = notebook.tallies[name]
    findings = [Deviation(e.where, e.map_id, e.tick, e.frame, e.seen) for e in tally.examples]
    return FactRow(tally.fact, tally.held, tally.broken, tuple(findings))


def _surveyed(fact: Fact, check: CartridgeCheck) -> FactRow:
    """Return what a survey says without its own words: they may name what is on the cartridge."""
    seen = f"{check.broken} of {check.looked_at} looked at break it; `doctor` names them"
    findings = (Deviation("on the cartridge", None, None, None, seen),) if check.broken else ()
    return FactRow(fact, check.looked_at - check.broken, check.broken, findings)


def page(verdict: CartridgeVerdict) -> str:
    """Return the page as text."""
    topics = dict.fromkeys(row.fact.topic for row in verdict.rows)
    return render(
        "verify.html",
        style=style(),
        verdict=verdict,
        title=f"{verdict.cartridge}: {verdict.headline}",
        kicker=f"SHA-1 {verdict.sha1}, seed {verdict.seed}, red-agent {VERSION}, {EMULATOR}",
        standings=[(each.value, verdict.count(each)) for each in FactStatus],
        topics=[(each, [r for r in verdict.rows if r.fact.topic == each]) for each in topics],
    )
