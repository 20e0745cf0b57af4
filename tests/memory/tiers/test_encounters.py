"""People, shelves and barred ways: the newest word counts, and what it contradicts is closed for those to come."""

from contextlib import closing
from pathlib import Path

import pytest

from memory import (
    Entry,
    Json,
    Knowledge,
    MalformedRecord,
    OutboxRow,
    PersonHeard,
    ShelfSeen,
    as_json,
    open_knowledge_store,
    open_memory,
)
from memory.tiers import BARRED, HEARD, SHELF
from memory.tiers.encounters import contradiction
from tests.memory.samples import STM, Tiers, checkpoint

EPISODIC = "agent:play:ltm:episodic"
LATE = 4e9


def shelf(*wares: int) -> dict[str, Json]:
    return dict(as_json(ShelfSeen("the store", 42, 1, wares)))


def heard(*came: str) -> dict[str, Json]:
    return dict(as_json(PersonHeard("the town", 1, 3, "Hello!", came)))


def see(tiers: Tiers, kind: str, data: dict[str, Json]) -> Entry:
    return tiers.blackboard.write(STM, kind, data, tick=9, game_s=4.0)


def known_before(tiers: Tiers, path: Path) -> None:
    """Let an earlier run have told of the shelf, and this one have begun with it."""
    told: dict[str, Json] = {
        "scope": EPISODIC,
        "kind": SHELF,
        "key": "shelf:42:1",
        "data": shelf(11),
        "tags": [],
        "importance": 6,
    }
    with closing(open_knowledge_store(path, now=LATE)) as store:
        store.deliver("earlier", [OutboxRow(1, 1, "entry", told)])
        tiers.memory.take_over(Knowledge(), store.seed())


def test_e35_what_is_seen_otherwise_is_closed_in_what_outlives_runs_too(
    tiers: Tiers, tmp_path: Path
) -> None:
    opened = open_memory(tiers.store, "play", session_id="now", started_at=LATE + 1)
    tiers = Tiers(tiers.store, opened)  # of a run that begins after that one
    path = tmp_path / "memory.sqlite"
    known_before(tiers, path)
    see(tiers, SHELF, shelf(11))
    (known,) = tiers.blackboard.entries(EPISODIC, kind=SHELF)
    assert known.closed == ""  # seen again as it was
    see(tiers, SHELF, shelf(11, 20))
    (known,) = tiers.blackboard.entries(EPISODIC, kind=SHELF)
    assert known.closed == "seen otherwise: item 20 is there"
    tiers.store.commit(checkpoint=checkpoint(9))
    with closing(open_knowledge_store(path, now=LATE)) as store:
        rows = tiers.store.outbox()
        assert [row.kind for row in rows] == ["close"]
        store.deliver("now", rows)
        assert store.seed() == []


def test_e35_encounters_are_handed_to_those_to_come(tiers: Tiers) -> None:
    see(tiers, HEARD, heard())
    tiers.memory.consolidator.consolidate(10)
    (entry,) = tiers.blackboard.entries(EPISODIC, kind=HEARD)
    assert dict(entry.data) == heard()


def test_e35_who_gave_something_once_is_no_mere_talker_for_having_given_it(tiers: Tiers) -> None:
    see(tiers, HEARD, heard("belongings"))
    again = see(tiers, HEARD, heard())
    assert again.data["came"] == ["belongings"]


@pytest.mark.parametrize(
    ("kind", "known", "seen", "words"),
    [
        (SHELF, shelf(4, 20), shelf(4), "item 20 is gone"),
        (SHELF, shelf(4), shelf(4), ""),
        (HEARD, heard(), heard("an event"), "an event"),
        (HEARD, heard("an event"), heard(), ""),
        (BARRED, {"passed": False}, {"passed": True}, "one got through"),
        (BARRED, {"passed": False}, {"passed": False}, ""),
    ],
)
def test_what_contradicts_what_is_told_in_words(
    kind: str, known: dict[str, Json], seen: dict[str, Json], words: str
) -> None:
    assert contradiction(kind, known, seen) == words


def test_an_encounter_of_another_shape_is_refused(tiers: Tiers) -> None:
    with pytest.raises(MalformedRecord):
        see(tiers, SHELF, {"wares": [1]})
