"""People, shop stock and blocked squares: the newest record counts and closes a contradicted one for later runs."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory import (
    BATTLE,
    BLACKOUT,
    Entry,
    Json,
    MalformedRecord,
    ShopStockSeen,
    TalkOutcome,
    as_json,
    open_knowledge_store,
    open_memory,
    open_run_store,
)
from memory.team_memory import MemoryManagementAgent
from memory.tiers.encounters import (
    BLOCKED_SQUARE,
    ITEM_OWNED,
    OPPONENT_MET,
    PLACE_KNOWN,
    SHOP_STOCK,
    TALK_OUTCOME,
    contradiction,
    items_owned,
)
from memory.tiers.strategist import RESOURCES
from tests.memory.samples import FIGHT, OWNED, STM, TOWN, Tiers, checkpoint
from tests.memory.store.taught import note

EPISODIC = "agent:play:ltm:episodic"
LATE = 4e9


def stocked(*items: int) -> dict[str, Json]:
    return dict(as_json(ShopStockSeen("the store", 42, 1, items)))


def talked(*came: str) -> dict[str, Json]:
    return dict(as_json(TalkOutcome("the town", 1, 3, "Hello!", came)))


def see(tiers: Tiers, kind: str, data: dict[str, Json]) -> Entry:
    return tiers.blackboard.write(STM, kind, data, tick=9, game_s=4.0)


def known_before(tiers: Tiers, path: Path) -> None:
    """Let an earlier run report the shop stock, and begin this run with that knowledge."""
    seen = note(1, "", scope=EPISODIC, kind=SHOP_STOCK, key="shop_stock:42:1", data=stocked(11))
    with closing(open_knowledge_store(path, now=LATE)) as store:
        store.deliver("earlier", [seen])
        tiers.memory.inherit(store.seed())


def test_e35_a_contradicted_record_is_closed_for_later_runs_too(
    tiers: Tiers, tmp_path: Path
) -> None:
    opened = open_memory(tiers.store, "play", session_id="now", started_at=LATE + 1)
    tiers = Tiers(tiers.store, opened)  # a run that begins after that one
    path = tmp_path / "memory.sqlite"
    known_before(tiers, path)
    see(tiers, SHOP_STOCK, stocked(11))
    (known,) = tiers.blackboard.entries(EPISODIC, kind=SHOP_STOCK)
    assert known.closed == ""  # seen again unchanged
    see(tiers, SHOP_STOCK, stocked(11, 20))
    (known,) = tiers.blackboard.entries(EPISODIC, kind=SHOP_STOCK)
    assert known.closed == "seen otherwise: item 20 is there"
    tiers.store.commit(checkpoint=checkpoint(9))
    with closing(open_knowledge_store(path, now=LATE)) as store:
        rows = tiers.store.outbox.rows()
        assert [row.kind for row in rows] == ["close"]
        store.deliver("now", rows)
        assert store.seed() == []


def test_e35_encounters_are_delivered_to_later_runs(tiers: Tiers) -> None:
    see(tiers, TALK_OUTCOME, talked("items"))
    again = see(tiers, TALK_OUTCOME, talked())
    assert again.data["effects"] == ["items"]  # who gave something keeps that result
    tiers.memory.consolidator.consolidate(10)
    (entry,) = tiers.blackboard.entries(EPISODIC, kind=TALK_OUTCOME)
    assert dict(entry.data) == talked("items")


@pytest.mark.parametrize(
    ("kind", "known", "seen", "words"),
    [
        (SHOP_STOCK, stocked(4, 20), stocked(4), "item 20 is gone"),
        (
            SHOP_STOCK,
            stocked(4),
            {**stocked(4, 20), "names": ["BALL", "POTION"]},
            "POTION is there",
        ),
        (SHOP_STOCK, stocked(4), stocked(4), ""),
        (TALK_OUTCOME, talked(), talked("an event"), "an event"),
        (TALK_OUTCOME, talked("an event"), talked(), ""),
        (BLOCKED_SQUARE, {"passed": False}, {"passed": True}, "a walk passed"),
        (BLOCKED_SQUARE, {"passed": False}, {"passed": False}, ""),
    ],
)
def test_a_contradiction_is_described_in_words(
    kind: str, known: dict[str, Json], seen: dict[str, Json], words: str
) -> None:
    assert contradiction(kind, known, seen) == words


def test_an_invalid_encounter_is_rejected(tiers: Tiers) -> None:
    with pytest.raises(MalformedRecord):
        see(tiers, SHOP_STOCK, {"items": [1]})


SEMANTIC = "agent:play:ltm:semantic"


def fight(tiers: Tiers, tick: int, **changed: Json) -> None:
    place = {"location": "the lane", "opponent": "RAMBLER 1", "finisher": "turtle"}
    data = {**as_json(FIGHT), "battle_id": f"b{tick}", "start_tick": tick, "end_tick": tick + 5}
    tiers.blackboard.write(STM, BATTLE, {**data, **place, **changed}, tick=tick + 5, game_s=1.0)


def known(tiers: Tiers, kind: str, name: str) -> dict[str, Any]:
    found = tiers.blackboard.entries(SEMANTIC, kind=kind)
    (entry,) = [each for each in found if each.data["subject"] == name]
    return dict(entry.data)


def test_the_second_enemy_and_the_trainer_are_known_by_name(tiers: Tiers) -> None:
    fight(tiers, 10, enemy_pokemon="rat, bird")
    tiers.strategist.record_battle(replace(FIGHT, enemy_pokemon="owl"))  # without a place
    tiers.consolidator.consolidate(1000)
    for name in ("rat", "bird", "RAMBLER 1"):
        met = known(tiers, OPPONENT_MET, name)
        assert (met["place"], met["met"], met["won"], met["won_by"]) == ("the lane", 1, 1, "turtle")
    assert known(tiers, OPPONENT_MET, "owl")["place"] == ""
    assert items_owned([], run="old") == []


def test_a_repeated_meeting_keeps_the_first_and_updates_the_last(tiers: Tiers) -> None:
    fight(tiers, 10, outcome="defeat", player_level=4)
    tiers.consolidator.consolidate(1000)
    fight(tiers, 1010, location="the wood", finisher="bird", moves_used=["peck"])
    fight(tiers, 1020, location="the gym", outcome="runaway", moves_used=["growl"])
    tiers.consolidator.consolidate(2000)
    met = known(tiers, OPPONENT_MET, "rat")
    assert (met["place"], met["first_tick"]) == ("the lane", 10)
    assert (met["last_place"], met["last_tick"]) == ("the gym", 1025)
    assert [met[name] for name in ("met", "won", "lost", "left", "caught")] == [3, 1, 1, 1, 0]
    assert (met["won_by"], met["won_with"]) == ("bird", ["peck"])
    assert (met["lost_in"], met["lost_by"], met["lost_at"]) == ("the lane", "turtle", 4)


def test_fifteen_games_leave_one_row_on_a_trainer_however_they_are_delivered(
    tmp_path: Path,
) -> None:
    files = [tmp_path / f"{name}.sqlite" for name in ("one", "other", "both")]
    for game in range(15):
        with closing(open_run_store(tmp_path / f"{game}.run", run_id=f"game {game:02}")) as run:
            opened = open_memory(run, "play", session_id=run.run_id, started_at=LATE)
            tiers = Tiers(run, opened)
            fight(tiers, 10, turns_taken=4, hp_lost=30, money=60)
            fight(tiers, 30, turns_taken=2, outcome="defeat" if game % 3 == 0 else "victory")
            cost: dict[str, Json] = {"subject": "RAMBLER 1", "cost": 90, "place": "", "tick": 35}
            tiers.blackboard.write(STM, BLACKOUT, as_json(FIGHT) | cost, tick=36, game_s=2.0)
            tiers.strategist.add_location(replace(TOWN, unexplored_areas=("lawn", "cave")))
            tiers.consolidator.consolidate(1000)
            run.commit(checkpoint=checkpoint(1000))
            for file in (files[game % 2], files[game % 2], files[2]):  # the second is a repeat
                with closing(open_knowledge_store(file, now=LATE)) as knowledge:
                    knowledge.deliver(run.run_id, run.outbox.rows())
    MemoryManagementAgent.merge([files[1], files[0]], files[0], now=LATE)
    for file in (files[0], files[2]):
        with closing(open_knowledge_store(file, now=LATE)) as knowledge:
            found = {(each.kind, each.data.get("subject")): each for each in knowledge.entries()}
            subjects = sorted(str(each) for _, each in found if each)
            assert subjects == ["RAMBLER 1", "hometown", "rat"]  # no row is there twice
            assert len([each for each in knowledge.entries() if "subject" in each.data]) == 3
            met: Any = found[OPPONENT_MET, "RAMBLER 1"].data
            counts = [met[each] for each in ("games", "met", "won", "lost", "turns", "hp_lost")]
            assert (counts, met["money"]) == ([15, 30, 25, 5, 90, 450], 15 * (60 - 90))
            town: Any = found[PLACE_KNOWN, "hometown"].data
            assert (town["games"], town["visits"], town["run"]) == (15, 15, "")
            assert (town["unexplored_areas"], town["npcs_interacted"]) == (["cave"], ["mum"])


def test_an_item_has_its_first_place_and_highest_count(tiers: Tiers) -> None:
    for tick, count, place in ((5, 2, "the store"), (9, 5, "the lane"), (12, 1, "the wood")):
        for at in (place, "elsewhere"):  # an unchanged bag elsewhere is no snapshot
            owned = {**as_json(OWNED), "tick": tick, "items": {"potion": count}, "location": at}
            tiers.blackboard.write(STM, RESOURCES, owned, tick=tick, game_s=1.0)
        tiers.consolidator.consolidate(1000 * tick)
    assert len(tiers.strategist.resource_history) == 3
    had = known(tiers, ITEM_OWNED, "potion")
    assert (had["place"], had["first_tick"], had["last_tick"]) == ("the store", 5, 12)
    assert had["most"] == 5
