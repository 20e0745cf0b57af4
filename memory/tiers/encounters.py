"""What was met, owned and visited: opponents, items, places, milestones, people, shop stock and blocked squares.

A run has one entry for each opponent, item and place, which is extended. The file has one row for each over all games,
made of what each run reported. People, shops and squares are recorded as seen; a later observation replaces the earlier.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from memory.blackboard.entry import Entry, EntryKind, record_kind
from memory.codec import Json, as_json, from_json, merged
from memory.flow.subscription import Derived
from memory.tiers.strategist import BATTLE, details

OPPONENT_MET: Final = "opponent_met"
MAX_OF_RUNS: Final = 400  # all in a game, and those of earlier games
MOST_SOURCES: Final = 8


@dataclass(frozen=True, slots=True)
class OpponentMet:
    """One species or trainer: first and last meeting, number of battles, their outcomes, and what they cost.

    `run` is the run of the ticks, or empty in a row over several `games`. `place` is that of the first meeting. `won_by`
    finished the last battle won, with the moves `won_with`; `lost_in` is the place of the last battle lost, `lost_by` our
    first Pokemon there, `lost_at` its level. `highest_level` is that of any enemy in the battles; `turns` and `hp_lost`, in
    percent of the team's HP, are sums over them. `money` is what was won less what `blackouts` cost, once for each battle:
    a trainer's is in the trainer's row alone.
    """

    run: str
    subject: str
    place: str
    first_tick: int
    last_place: str
    last_tick: int
    highest_level: int = 0
    met: int = 0
    won: int = 0
    lost: int = 0
    left: int = 0
    caught: int = 0
    won_by: str = ""
    won_with: tuple[str, ...] = ()
    lost_in: str = ""
    lost_by: str = ""
    lost_at: int = 0
    games: int = 1
    turns: int = 0
    hp_lost: int = 0
    money: int = 0
    blackouts: int = 0
    is_trainer: bool = False


def opponents_met(battles: Sequence[Entry], *, run: str) -> list[Derived]:
    """Return the opponents of `run` met in battles, or of blackouts, to be merged into the known ones."""
    known: dict[str, OpponentMet] = {}
    sources: dict[str, list[str]] = {}
    for entry in battles:
        for each in _met_in(entry, run) if entry.kind == BATTLE else _paid_in(entry, run):
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
    opponent = battle.get("opponent", "")
    for name in dict.fromkeys((*names, opponent)):
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
                turns=battle["turns_taken"],
                hp_lost=battle.get("hp_lost", 0),
                money=battle.get("money", 0) if name == (opponent or names[0]) else 0,
                is_trainer=name == opponent,
            )


def _paid_in(entry: Entry, run: str) -> Iterator[OpponentMet]:
    """Yield the opponents of a blackout with its cost alone: the battle itself is reported as such."""
    blackout: Mapping[str, Any] = entry.data
    place, tick, cost = blackout["place"], blackout["tick"], blackout["cost"]
    for name in str(blackout["subject"]).split(", "):
        yield OpponentMet(run, name, place, tick, place, tick, money=-cost, blackouts=1)


def _merge_opponent(known: OpponentMet, new: OpponentMet) -> OpponentMet:
    added = ("met", "won", "lost", "left", "caught", "turns", "hp_lost", "money", "blackouts")
    return merged(
        known,
        new,
        added=added,
        lowest=("first_tick",),
        highest=("highest_level", "is_trainer"),
        place=min(known, new, key=lambda each: each.first_tick).place,
        **_games(known, new),
        **_last_battle(known, new, "won", ("won_by", "won_with")),
        **_last_battle(known, new, "lost", ("lost_in", "lost_by", "lost_at")),
    )


def _games(known: Any, new: Any) -> dict[str, Any]:  # noqa: ANN401  # two records with these fields
    """Return the run and the number of games of two records of one thing, which may be of one run."""
    if known.run == new.run:
        return {"games": known.games}
    return {"run": "", "games": known.games + new.games}


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

    `run` is the run of the ticks, or empty in a row over several `games`.
    """

    run: str
    subject: str
    place: str
    first_tick: int
    last_tick: int
    most: int
    games: int = 1


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
    return merged(
        known,
        new,
        lowest=("first_tick",),
        highest=("last_tick", "most"),
        place=min(known, new, key=lambda each: each.first_tick).place,
        **_games(known, new),
    )


PLACE_KNOWN: Final = "place_known"


@dataclass(frozen=True, slots=True)
class PlaceKnown:
    """One place, its visits and its details, as in a session; `run` is empty in a row over several `games`."""

    run: str
    subject: str
    visits: int
    location_type: str
    explored_areas: tuple[str, ...]
    unexplored_areas: tuple[str, ...]
    points_of_interest: tuple[str, ...]
    npcs_interacted: tuple[str, ...]
    games: int = 1


def places_known(visited: Sequence[Entry], *, run: str) -> list[Derived]:
    """Return the places of `run`, each with all its visits so far."""
    found: list[Derived] = []
    for entry in visited:
        data: Mapping[str, Any] = entry.data
        known = {"run": run, "subject": data["location_name"], "visits": data["visit_count"]}
        record = as_json(from_json(PlaceKnown, {**data, **known}))
        found.append(Derived(PLACE_KNOWN, record, (f"tick:{entry.tick}",), importance=5))
    return found


def _merge_place(known: PlaceKnown, new: PlaceKnown) -> PlaceKnown:
    if known.run == new.run:
        return new
    return merged(known, new, added=("visits",), **details(known, new), **_games(known, new))


# Kinds of which each run reports its own part, and the file has one row over all games.
OVER_GAMES: Final[Mapping[str, tuple[type[Any], Callable[[Any, Any], Any]]]] = {
    OPPONENT_MET: (OpponentMet, _merge_opponent),
    ITEM_OWNED: (ItemOwned, _merge_item),
    PLACE_KNOWN: (PlaceKnown, _merge_place),
}


MILESTONE_TIME: Final = "milestone_time"
_OF_THE_RUN: Final = ("run", "choices", "since", "milestone", "before", "left", "found", "moved")


def milestones_of(milestone_time: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the data of each milestone that one run reached, by id: tick, turns, battles, team and so on."""
    taken = {name: value for name, value in milestone_time.items() if name not in _OF_THE_RUN}
    return {**milestone_time.get("before", {}), milestone_time["milestone"]: taken}


def _merge_milestones(known: Mapping[str, Any], new: Mapping[str, Any]) -> Mapping[str, Json]:
    """Return the later data with the earlier milestones; `since` says after which one a choice first mattered."""
    before = {**milestones_of(known), **new.get("before", {})}
    before.pop(new["milestone"], None)
    later = {each: known["milestone"] for each in new["choices"] if each not in known["choices"]}
    since = {**later, **known.get("since", {}), **new.get("since", {})}
    return {**new, "since": since, "before": before}


TALK_OUTCOME: Final = "talk"
SHOP_STOCK: Final = "shop_stock"
BLOCKED_SQUARE: Final = "blocked_square"
ENCOUNTERS: Final = frozenset({TALK_OUTCOME, SHOP_STOCK, BLOCKED_SQUARE})
MAX_ENCOUNTERS: Final = 200  # of each kind


@dataclass(frozen=True, slots=True)
class TalkOutcome:
    """A person who was talked to: the first words of the text and the results of the talk, () when they only talk.

    `person` says who it is, for people; the map and the slot say it for play.
    """

    place: str
    map_id: int
    slot: int
    words: str
    effects: tuple[str, ...]
    person: str = ""

    @property
    def only_talks(self) -> str:
        """A sentence that the talk had no effect."""
        return f"{self.person or f'number {self.slot}'} in {self.place} only talks: {self.words!r}"


@dataclass(frozen=True, slots=True)
class ShopStockSeen:
    """The stock of a shop clerk at the last visit, as item numbers, and their names."""

    place: str
    map_id: int
    slot: int
    items: tuple[int, ...]
    names: tuple[str, ...] = ()


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
        record_kind(
            TALK_OUTCOME,
            TalkOutcome,
            _person,
            # A person who gave something only talks afterwards, so the first result stays until the next game.
            merge=lambda known, seen: {**known, "effects": known["effects"] or seen["effects"]},
            limit=MAX_ENCOUNTERS,
        ),
        record_kind(SHOP_STOCK, ShopStockSeen, _person, limit=MAX_ENCOUNTERS),
        record_kind(BLOCKED_SQUARE, BlockedSquare, _square, limit=MAX_ENCOUNTERS),
        *(
            record_kind(kind, record, _run_subject, merge, limit=MAX_OF_RUNS)
            for kind, (record, merge) in OVER_GAMES.items()
        ),
        EntryKind(MILESTONE_TIME, key=lambda data: str(data["run"]), merge=_merge_milestones),
    )


def contradiction(kind: str, known: Mapping[str, Any], seen: Mapping[str, Any]) -> str:
    """Return the difference between `known` and `seen` in words, '' when they agree."""
    if kind == SHOP_STOCK:
        both = [(each["items"], each.get("names", ())) for each in (known, seen)]
        names = {item: name for one in both for item, name in zip(*one, strict=False)}
        was, now = set(known["items"]), set(seen["items"])
        changed = [(each, "there") for each in sorted(now - was)]
        changed += [(each, "gone") for each in sorted(was - now)]
        return ", ".join(f"{names.get(each, f'item {each}')} is {how}" for each, how in changed)
    if kind == BLOCKED_SQUARE:
        return "a walk passed" if seen["passed"] and not known["passed"] else ""
    return "" if known["effects"] else ", ".join(seen["effects"])


def _run_subject(data: Mapping[str, Json]) -> str:
    return f"{data['run']}/{data['subject']}" if data["run"] else str(data["subject"])


def _person(data: Mapping[str, Json]) -> str:
    return f"{data['map_id']}:{data['slot']}"


def _square(data: Mapping[str, Json]) -> str:
    return f"{data['map_id']}:{data['x']},{data['y']}"
