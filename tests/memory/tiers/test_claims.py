"""Cartridge facts outrank remembered claims."""

from dataclasses import replace
from pathlib import Path

import pytest

from memory import Entry
from memory.tiers.claims import CLAIMS, verdict_on
from tests.memory.samples import MISTAKE, STM, Tiers, checkpoint, open_tiers

BADGE = {"fact": "badges", "at_least": 1}


def claim(tiers: Tiers, said: object = BADGE) -> Entry:
    data = {"text": "We have a badge.", CLAIMS: said}
    return tiers.blackboard.write(STM, "note", data, tick=5, game_s=2.5, status="claim")  # type: ignore[arg-type]


def test_a_claim_confirmed_by_facts_is_verified(tiers: Tiers) -> None:
    said = claim(tiers)
    tiers.memory.claim_checker.check_claims({"badges": 1}, tick=9)
    entry = tiers.blackboard.get(STM, said.key)
    assert entry is not None
    assert (entry.status, entry.closed) == ("verified", "")
    assert "tick:9" in entry.sources
    assert tiers.memory.claim_checker._claims == {}


def test_a_claim_contradicted_by_facts_is_closed_with_evidence(tiers: Tiers) -> None:
    said = claim(tiers)
    tiers.memory.claim_checker.check_claims({"badges": 0}, tick=9)
    entry = tiers.blackboard.get(STM, said.key)
    assert entry is not None  # closed, not deleted
    assert (entry.status, entry.closed) == ("claim", "the cartridge says badges is 0")
    assert entry.sources == ("tick:9",)
    tiers.memory.claim_checker.check_claims({"badges": 1}, tick=10)
    assert tiers.blackboard.get(STM, said.key) == entry


@pytest.mark.parametrize(
    "said",
    [{"fact": "money", "at_least": 1}, {"at_least": 1}, "a badge", {**BADGE, "at_most": "x"}],
)
def test_a_claim_without_a_fact_stays_a_claim(tiers: Tiers, said: object) -> None:
    claim(tiers, said)
    tiers.memory.claim_checker.check_claims({"badges": 0}, tick=9)
    (entry,) = tiers.memory.claim_checker._claims.values()
    assert (entry.status, entry.closed) == ("claim", "")
    assert verdict_on(said, {"badges": 0}) is None


def test_open_claims_are_found_again_after_a_restart(tmp_path: Path) -> None:
    tiers = open_tiers(tmp_path / "run.sqlite")
    claim(tiers)
    tiers.store.commit()
    tiers.store.close()
    again = open_tiers(tmp_path / "run.sqlite")
    (entry,) = again.memory.claim_checker._claims.values()
    assert entry.data["text"] == "We have a badge."
    again.store.close()


def test_a_pattern_that_fails_too_often_is_closed_everywhere(tiers: Tiers) -> None:
    tiers.acts(range(4), "up")
    tiers.consolidator.consolidate(1000)
    assert len(tiers.tactician.patterns) == 1
    tiers.acts(range(1000, 1020), "up", success=False)
    tiers.consolidator.consolidate(2000)
    assert tiers.tactician.get_relevant_patterns({"location": "town"}) == []
    (entry,) = tiers.blackboard.entries(tiers.tactician.procedural, kind="pattern")
    assert entry.closed.startswith("it failed 19 of 23 times")
    tiers.store.commit(checkpoint=checkpoint(2000))
    (closing,) = [row.payload for row in tiers.store.outbox.rows() if row.kind == "close"]
    assert (closing["table"], closing["reason"]) == ("tactician_patterns", entry.closed)


def test_a_mistake_is_closed_when_it_works_and_reopened_when_repeated(tiers: Tiers) -> None:
    for tick in range(4):
        tiers.act(tick, "push", why=f"reason {tick}", success=False)
    tiers.consolidator.consolidate(1000, reason="session_end")
    (mistake_id,) = tiers.tactician.mistakes
    for tick in range(1000, 1004):
        tiers.act(tick, "push", why=f"reason {tick}")
    tiers.consolidator.consolidate(2000, reason="session_end")
    assert tiers.tactician.get_mistakes_for_context({"location": "town"}) == []
    entry = tiers.tactician.mistakes.entry(mistake_id)
    assert entry is not None
    assert entry.closed == "it worked 4 of 8 times"
    assert any(source.startswith("approach:") for source in entry.sources)
    tiers.tactician.add_mistake(replace(MISTAKE, mistake_id=mistake_id))
    assert mistake_id in tiers.tactician.mistakes
