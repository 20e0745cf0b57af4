"""The report as a page for people, with nothing beside it and nothing of the game in it."""

from __future__ import annotations

from agent import VERSION
from agent.report.rendering import render, style
from agent.verify.verdict import Standing, Verdict
from emulator import EMULATOR


def page(verdict: Verdict) -> str:
    """Return the page as text."""
    topics = dict.fromkeys(row.fact.topic for row in verdict.rows)
    return render(
        "verify.html",
        style=style(),
        verdict=verdict,
        title=f"{verdict.cartridge}: {verdict.headline}",
        kicker=f"SHA-1 {verdict.sha1}, seed {verdict.seed}, red-agent {VERSION}, {EMULATOR}",
        standings=[(each.value, verdict.count(each)) for each in Standing],
        topics=[(each, [r for r in verdict.rows if r.fact.topic == each]) for each in topics],
    )
