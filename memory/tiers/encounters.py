"""What a run met and owned: opponents, items, milestones, people, shop stock and blocked squares.

Opponents, items and milestones have one entry for each run, which is extended. People, shops and squares are recorded
as seen; a later observation of the same one replaces the earlier.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from memory.blackboard.entry import Entry, EntryKind, record_kind
from memory.codec import Json, as_json, merged
from memory.flow.subscription import Derived

OPPONENT_MET: Final = "opponent_met"
MAX_OF_RUNS: Final = 400  # all in a game, and as many of earlier runs
MOST_SOURCES: Final = 8


@dataclass(frozen=True, slots=True)
class OpponentMet:
    """One species or trainer: first and last meeting, number of battles and their outcomes.

    `run` is the run of the ticks, `place` that of the first meeting. `won_by` finished the last battle won, with the moves
    `won_with`; `lost_in` is the place of the last battle lost, `lost_by` our first Pokemon there, `lost_at` its level.
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


def opponents_met(battles: Sequence[Entry], *, run: str) -> list[Derived]:
    """Return the opponents met in `battles` of `run`, to be merged into the known ones."""
    known: dict[str, OpponentMet] = {}
    sources: dict[str, list[str]] = {}
    for entry in battles:
        for each in _met_in(entry, run):
            name = each.subject
            known[name] = _merge_opponent(known[name], each) if name in known else each
            sources.setdefault(name, []).extend((entry.key, f"tick:{entry.tick}"))
    return [
        Derived(
            OPPONENT_MET,
            as_json(each),
            tuple(sources[name][-MOST_SOURCES:]),
            importance=5,
            status="verified",
        )
        for name, each in known.items()
    ]


def _met_in(entry: Entry, run: str) -> Iterator[OpponentMet]:
    battle: Mapping[str, Any] = entry.data
    outcome, place = battle["outcome"], battle.get("location", "")
    won, lost = outcome == "victory", outcome == "defeat"
    names = str(battle["enemy_pokemon"]).split(", ")
    for name in dict.fromkeys((*names, battle.get("opponent", ""))):
        if name:
            yield OpponentMet(
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
                won_with=tuple(battle.get("finisher_moves", battle["moves_used"])) if won else (),
                lost_in=place if lost else "",
                lost_by=battle["player_pokemon"] if lost else "",
                lost_at=battle["player_level"] if lost else 0,
            )


def _merge_opponent(known: OpponentMet, new: OpponentMet) -> OpponentMet:
    return merged(
        known,
        new,
        added=("met", "won", "lost", "left", "caught"),
        lowest=("first_tick",),
        highest=("highest_level",),
        place=min(known, new, key=lambda each: each.first_tick).place,
        **_last_battle(known, new, "won", ("won_by", "won_with")),
        **_last_battle(known, new, "lost", ("lost_in", "lost_by", "lost_at")),
    )


def _last_battle(
    known: OpponentMet, new: OpponentMet, times: str, names: tuple[str, ...]
) -> dict[str, Any]:
    """Return the fields about the last battle with one outcome: of `new` if it had that outcome, else of `known`."""
    source = new if getattr(new, times) else known
    return {name: getattr(source, name) for name in names}


ITEM_OWNED: Final = "item_owned"


@dataclass(frozen=True, slots=True)
class ItemOwned:
    """One item: where and when it was first seen in the bag, when last, and the highest count.

    `run` is the run of the ticks.
    """

    run: str
    subject: str
    place: str
    first_tick: int
    last_tick: int
    most: int


def items_owned(snapshots: Sequence[Entry], *, run: str) -> list[Derived]:
    """Return the items in the bag snapshots `snapshots` of `run`, to be merged into the known ones."""
    known: dict[str, ItemOwned] = {}
    for entry in snapshots:
        data: Mapping[str, Any] = entry.data
        for name, count in data["items"].items():
            seen = ItemOwned(run, name, data.get("location", ""), data["tick"], data["tick"], count)
            known[name] = _merge_item(known[name], seen) if name in known else seen
    return [
        Derived(
            ITEM_OWNED,
            as_json(each),
            (f"tick:{each.first_tick}", f"tick:{each.last_tick}"),
            importance=4,
            status="verified",
        )
        for each in known.values()
    ]


def _merge_item(known: ItemOwned, new: ItemOwned) -> ItemOwned:
    place = min(known, new, key=lambda each: each.first_tick).place
    return merged(known, new, lowest=("first_tick",), highest=("last_tick", "most"), place=place)


MILESTONE_TIME: Final = "milestone_time"
_NOT_MILESTONE_DATA: Final = frozenset({"run", "choices", "milestone", "before", "left", "found"})


def milestones_of(milestone_time: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the data of each milestone that one run reached, by id: tick, turns, battles, team and so on."""
    taken = {
        name: value for name, value in milestone_time.items() if name not in _NOT_MILESTONE_DATA
    }
    return {**milestone_time.get("before", {}), milestone_time["milestone"]: taken}


def _merge_milestones(known: Mapping[str, Any], new: Mapping[str, Any]) -> Mapping[str, Json]:
    before = {**milestones_of(known), **new.get("before", {})}
    before.pop(new["milestone"], None)
    return {**new, "before": before}


TALK_OUTCOME: Final = "talk"
SHOP_STOCK: Final = "shop_stock"
BLOCKED_SQUARE: Final = "blocked_square"
ENCOUNTERS: Final = frozenset({TALK_OUTCOME, SHOP_STOCK, BLOCKED_SQUARE})
MAX_ENCOUNTERS: Final = 200  # of each kind


@dataclass(frozen=True, slots=True)
class TalkOutcome:
    """A person who was talked to: the first words of the text and the results of the talk, () when they only talk."""

    place: str
    map_id: int
    slot: int
    words: str
    effects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShopStockSeen:
    """The stock of a shop clerk at the last visit, as item numbers."""

    place: str
    map_id: int
    slot: int
    items: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BlockedSquare:
    """A square that a walk could not step on: from where to where it leads, and whether a later walk passed."""

    place: str
    towards: str
    map_id: int
    x: int
    y: int
    passed: bool


def encounter_kinds() -> tuple[EntryKind, ...]:
    """Return the policies of all kinds in this module; entries not seen for longest are evicted first.

    Each run has one entry of milestones: the last one, with the earlier ones inside.
    """
    return (
        record_kind(TALK_OUTCOME, TalkOutcome, _person, merge=_merge_talk, limit=MAX_ENCOUNTERS),
        record_kind(SHOP_STOCK, ShopStockSeen, _person, limit=MAX_ENCOUNTERS),
        record_kind(BLOCKED_SQUARE, BlockedSquare, _square, limit=MAX_ENCOUNTERS),
        record_kind(OPPONENT_MET, OpponentMet, _run_subject, _merge_opponent, limit=MAX_OF_RUNS),
        record_kind(ITEM_OWNED, ItemOwned, _run_subject, _merge_item, limit=MAX_OF_RUNS),
        EntryKind(MILESTONE_TIME, key=lambda data: str(data["run"]), merge=_merge_milestones),
    )


def contradiction(kind: str, known: Mapping[str, Any], seen: Mapping[str, Any]) -> str:
    """Return the difference between `known` and `seen` in words, '' when they agree."""
    if kind == SHOP_STOCK:
        added = sorted(set(seen["items"]) - set(known["items"]))
        removed = sorted(set(known["items"]) - set(seen["items"]))
        words = [f"item {each} is there" for each in added]
        return ", ".join([*words, *(f"item {each} is gone" for each in removed)])
    if kind == BLOCKED_SQUARE:
        return "a walk passed" if seen["passed"] and not known["passed"] else ""
    return "" if known["effects"] else ", ".join(seen["effects"])


def _run_subject(data: Mapping[str, Json]) -> str:
    return f"{data['run']}/{data['subject']}"


def _person(data: Mapping[str, Json]) -> str:
    return f"{data['map_id']}:{data['slot']}"


def _square(data: Mapping[str, Json]) -> str:
    return f"{data['map_id']}:{data['x']},{data['y']}"


def _merge_talk(known: Mapping[str, Any], seen: Mapping[str, Any]) -> Mapping[str, Json]:
    # A person who gave something only talks afterwards, so the first result stays until the next game.
    return {**known, "effects": known["effects"] or seen["effects"]}
