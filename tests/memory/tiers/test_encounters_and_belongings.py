"""Whom one has met and what one has owned: kept by name, grown by what follows, and apart from other runs'."""

from typing import Any

from memory import BATTLE, Json, as_json
from memory.tiers import ACQUAINTANCE, BELONGING, RESOURCES
from memory.tiers.encounters import acquaintances, belongings
from tests.memory.samples import FIGHT, OWNED, STM, Tiers

SEMANTIC = "agent:play:ltm:semantic"


def fight(tiers: Tiers, tick: int, **changed: Json) -> None:
    place = {"location": "the lane", "opponent": "RAMBLER 1", "finisher": "turtle"}
    data = {**as_json(FIGHT), "battle_id": f"b{tick}", "start_tick": tick, "end_tick": tick + 5}
    tiers.blackboard.write(STM, BATTLE, {**data, **place, **changed}, tick=tick + 5, game_s=1.0)


def known(tiers: Tiers, kind: str, name: str) -> dict[str, Any]:
    found = tiers.blackboard.entries(SEMANTIC, kind=kind)
    (entry,) = [each for each in found if each.data["subject"] == name]
    return dict(entry.data)


def test_who_stood_second_and_who_led_them_are_known_by_name(tiers: Tiers) -> None:
    fight(tiers, 10, enemy_pokemon="rat, bird")
    tiers.consolidator.consolidate(1000)
    for name in ("rat", "bird", "RAMBLER 1"):
        met = known(tiers, ACQUAINTANCE, name)
        assert (met["place"], met["met"], met["won"], met["won_by"]) == ("the lane", 1, 1, "turtle")


def test_meeting_again_keeps_the_first_time_and_tells_of_the_last(tiers: Tiers) -> None:
    fight(tiers, 10, outcome="defeat", player_level=4)
    tiers.consolidator.consolidate(1000)
    fight(tiers, 1010, location="the wood", finisher="bird", moves_used=["peck"])
    fight(tiers, 1020, location="the gym", outcome="runaway", moves_used=["growl"])
    tiers.consolidator.consolidate(2000)
    met = known(tiers, ACQUAINTANCE, "rat")
    assert (met["place"], met["first_tick"]) == ("the lane", 10)
    assert (met["last_place"], met["last_tick"]) == ("the gym", 1025)
    assert [met[name] for name in ("met", "won", "lost", "left", "caught")] == [3, 1, 1, 1, 0]
    assert (met["won_by"], met["won_with"]) == ("bird", ["peck"])
    assert (met["lost_in"], met["lost_by"], met["lost_at"]) == ("the lane", "turtle", 4)


def test_runs_that_met_the_same_keep_it_apart(tiers: Tiers) -> None:
    fight(tiers, 10)
    entry = tiers.blackboard.entries(STM, kind=BATTLE)[0]
    for run in ("one", "other"):
        for derived in acquaintances([entry], run=run):
            tiers.blackboard.write(SEMANTIC, derived.kind, derived.data, tick=15, game_s=1.0)
    runs = [str(each.data["run"]) for each in tiers.blackboard.entries(SEMANTIC, kind=ACQUAINTANCE)]
    assert sorted(runs) == ["one", "one", "other", "other"]  # the species and the trainer


def test_a_thing_is_known_by_where_it_was_first_had_and_the_most_there_were(tiers: Tiers) -> None:
    for tick, count, place in ((5, 2, "the store"), (9, 5, "the lane"), (12, 1, "the wood")):
        owned = {**as_json(OWNED), "tick": tick, "items": {"potion": count}, "location": place}
        tiers.blackboard.write(STM, RESOURCES, owned, tick=tick, game_s=1.0)
        tiers.consolidator.consolidate(1000 * tick)
    had = known(tiers, BELONGING, "potion")
    assert (had["place"], had["first_tick"], had["last_tick"]) == ("the store", 5, 12)
    assert had["most"] == 5


def test_looking_twice_at_the_same_bag_elsewhere_is_one_look(tiers: Tiers) -> None:
    for tick, place in ((5, "the store"), (9, "the lane")):
        owned = {**as_json(OWNED), "tick": tick, "location": place}
        tiers.blackboard.write(STM, RESOURCES, owned, tick=tick, game_s=1.0)
    assert len(tiers.strategist.resource_history) == 1


def test_battles_of_before_places_were_told_are_understood(tiers: Tiers) -> None:
    tiers.strategist.record_battle(FIGHT)
    (entry,) = tiers.blackboard.entries(STM, kind=BATTLE)
    (derived,) = acquaintances([entry], run="old")
    assert (derived.data["subject"], derived.data["place"]) == ("rat", "")
    assert belongings([], run="old") == []
