"""What a run met and owned: opponents, items, milestones, people, shop shelves and blocked squares.

Opponents, items and milestones have one entry for each run, which grows. People, shelves and squares are told as they
were seen; what was seen later of the same is the truth from then on.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from memory.blackboard.entry import Entry, EntryKind, record_kind
from memory.codec import Json, as_json, grown
from memory.flow.subscription import Derived

ACQUAINTANCE: Final = "acquaintance"
MAX_OF_RUNS: Final = 400  # all there are in a game, and as many of earlier runs
MOST_SOURCES: Final = 8


@dataclass(frozen=True, slots=True)
class Acquaintance:
    """One species or trainer: where and when it was met first and last, how often, and how that went.

    `run` is whose ticks these are, `place` where it was met first. `won_by` and `won_with` are who of ours ended the last battle won against it,
    and the moves used; `lost_in`, `lost_by` and `lost_at` the place of the last one lost, who began it, and at which level.
    """

    run: str
    subject: str
    place: str
    first_tick: int
    last_place: str
    last_tick: int
    highest_level: int
    met: int
    won: int
    lost: int
    left: int
    caught: int
    won_by: str
    won_with: tuple[str, ...]
    lost_in: str
    lost_by: str
    lost_at: int


def acquaintances(battles: Sequence[Entry], *, run: str) -> list[Derived]:
    """Return what `battles` of `run` add to what is known of all opponents met in them."""
    known: dict[str, Acquaintance] = {}
    rests_on: dict[str, list[str]] = {}
    for entry in battles:
        for each in _met_in(entry, run):
            name = each.subject
            known[name] = _met_again(known[name], each) if name in known else each
            rests_on.setdefault(name, []).extend((entry.key, f"tick:{entry.tick}"))
    return [
        Derived(
            ACQUAINTANCE,
            as_json(each),
            tuple(rests_on[name][-MOST_SOURCES:]),
            importance=5,
            status="verified",
        )
        for name, each in known.items()
    ]


def _met_in(entry: Entry, run: str) -> Iterator[Acquaintance]:
    battle: Mapping[str, Any] = entry.data
    outcome, place = battle["outcome"], battle.get("location", "")
    won, lost = outcome == "victory", outcome == "defeat"
    names = str(battle["enemy_pokemon"]).split(", ")
    for name in dict.fromkeys((*names, battle.get("opponent", ""))):
        if name:
            yield Acquaintance(
                run=run,
                subject=name,
                place=place,
                first_tick=battle["start_tick"],
                last_place=place,
                last_tick=battle["end_tick"],
                highest_level=battle["enemy_level"],
                met=1,
                won=int(won),
                lost=int(lost),
                left=int(outcome == "runaway"),
                caught=int(outcome == "catch"),
                won_by=battle.get("finisher", battle["player_pokemon"]) if won else "",
                won_with=tuple(battle["moves_used"]) if won else (),
                lost_in=place if lost else "",
                lost_by=battle["player_pokemon"] if lost else "",
                lost_at=battle["player_level"] if lost else 0,
            )


def _met_again(known: Acquaintance, new: Acquaintance) -> Acquaintance:
    return grown(
        known,
        new,
        added=("met", "won", "lost", "left", "caught"),
        lowest=("first_tick",),
        highest=("highest_level",),
        place=min(known, new, key=lambda each: each.first_tick).place,
        **_last_of(known, new, "won", ("won_by", "won_with")),
        **_last_of(known, new, "lost", ("lost_in", "lost_by", "lost_at")),
    )


def _last_of(
    known: Acquaintance, new: Acquaintance, times: str, names: tuple[str, ...]
) -> dict[str, Any]:
    """Return what is told of the last battle of an outcome: of the newer, if it had that outcome."""
    teller = new if getattr(new, times) else known
    return {name: getattr(teller, name) for name in names}


BELONGING: Final = "belonging"


@dataclass(frozen=True, slots=True)
class Belonging:
    """One thing: where and when it was first seen in the bag, when last, and how many there were at most.

    `run` is whose ticks these are.
    """

    run: str
    subject: str
    place: str
    first_tick: int
    last_tick: int
    most: int


def belongings(looks: Sequence[Entry], *, run: str) -> list[Derived]:
    """Return what `looks` of `run` at the bag add to what is known of each thing in it."""
    known: dict[str, Belonging] = {}
    for entry in looks:
        data: Mapping[str, Any] = entry.data
        for name, count in data["items"].items():
            seen = Belonging(run, name, data.get("location", ""), data["tick"], data["tick"], count)
            known[name] = _seen_again(known[name], seen) if name in known else seen
    return [
        Derived(
            BELONGING,
            as_json(each),
            (f"tick:{each.first_tick}", f"tick:{each.last_tick}"),
            importance=4,
            status="verified",
        )
        for each in known.values()
    ]


def _seen_again(known: Belonging, new: Belonging) -> Belonging:
    place = min(known, new, key=lambda each: each.first_tick).place
    return grown(known, new, lowest=("first_tick",), highest=("last_tick", "most"), place=place)


WAYPOINT: Final = "waypoint"
_OF_THE_RUN: Final = frozenset({"run", "choices", "milestone", "before", "left", "found"})


def milestones_of(waypoint: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return what one journey took up to each milestone, and what there was then: tick, turns, battles, team and so on."""
    taken = {name: value for name, value in waypoint.items() if name not in _OF_THE_RUN}
    return {**waypoint.get("before", {}), waypoint["milestone"]: taken}


def _further(known: Mapping[str, Any], new: Mapping[str, Any]) -> Mapping[str, Json]:
    before = {**milestones_of(known), **new.get("before", {})}
    before.pop(new["milestone"], None)
    return {**new, "before": before}


HEARD: Final = "heard"
SHELF: Final = "shelf"
BARRED: Final = "barred"
ENCOUNTERS: Final = frozenset({HEARD, SHELF, BARRED})
MAX_ENCOUNTERS: Final = 200  # of each kind


@dataclass(frozen=True, slots=True)
class PersonHeard:
    """A person who was talked to: their first words, and what came of it, which is nothing where they only talk."""

    place: str
    map_id: int
    slot: int
    words: str
    came: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShelfSeen:
    """What a person had for sale at the last look, as numbers of items."""

    place: str
    map_id: int
    slot: int
    wares: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WayBarred:
    """A square that a walk could not step on: from where to where it led, and whether a walk has passed since."""

    place: str
    towards: str
    map_id: int
    x: int
    y: int
    passed: bool


def encounter_kinds() -> tuple[EntryKind, ...]:
    """Return the policies of all these; those longest unseen are forgotten first.

    Of the milestones of a run the last one stays, with what came before it.
    """
    return (
        record_kind(HEARD, PersonHeard, _person, merge=_heard_again, limit=MAX_ENCOUNTERS),
        record_kind(SHELF, ShelfSeen, _person, limit=MAX_ENCOUNTERS),
        record_kind(BARRED, WayBarred, _square, limit=MAX_ENCOUNTERS),
        record_kind(ACQUAINTANCE, Acquaintance, _of_run, _met_again, limit=MAX_OF_RUNS),
        record_kind(BELONGING, Belonging, _of_run, _seen_again, limit=MAX_OF_RUNS),
        EntryKind(WAYPOINT, key=lambda data: str(data["run"]), merge=_further),
    )


def contradiction(kind: str, known: Mapping[str, Any], seen: Mapping[str, Any]) -> str:
    """Return what was `seen` that is not as it was `known`, in words; nothing where both agree."""
    if kind == SHELF:
        back = sorted(set(seen["wares"]) - set(known["wares"]))
        gone = sorted(set(known["wares"]) - set(seen["wares"]))
        words = [f"item {each} is there" for each in back]
        return ", ".join([*words, *(f"item {each} is gone" for each in gone)])
    if kind == BARRED:
        return "one got through" if seen["passed"] and not known["passed"] else ""
    return "" if known["came"] else ", ".join(seen["came"])


def _of_run(data: Mapping[str, Json]) -> str:
    return f"{data['run']}/{data['subject']}"


def _person(data: Mapping[str, Json]) -> str:
    return f"{data['map_id']}:{data['slot']}"


def _square(data: Mapping[str, Json]) -> str:
    return f"{data['map_id']}:{data['x']},{data['y']}"


def _heard_again(known: Mapping[str, Any], seen: Mapping[str, Any]) -> Mapping[str, Json]:
    # Who gave something away has only words left afterwards, until the next game.
    return {**known, "came": known["came"] or seen["came"]}
