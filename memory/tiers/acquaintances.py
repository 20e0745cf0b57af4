"""Whom one has met: what battles tell of each species and each trainer, one entry for each in every run.

A battle against several is an acquaintance with each of them, so that whoever stood second is known by name as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from memory.blackboard.kinds import Kind, growing
from memory.codec import as_json, from_json
from memory.flow.subscription import Derived

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memory.blackboard.entry import Entry

ACQUAINTANCE: Final = "acquaintance"
MAX_ACQUAINTANCES: Final = (
    400  # all species, and as many trainers and acquaintances of earlier runs
)
IMPORTANCE: Final = 5
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


def acquaintance_kind() -> Kind:
    """Return the policies of acquaintances; who was not met for longest is forgotten first."""
    return Kind(
        ACQUAINTANCE,
        check=lambda data: from_json(Acquaintance, data),
        key=lambda data: f"{data['run']}/{data['subject']}",
        merge=growing(Acquaintance, _met_again),
        limit=MAX_ACQUAINTANCES,
        lasting=True,
    )


def acquaintances(battles: Sequence[Entry], *, run: str) -> list[Derived]:
    """Return what `battles` of `run` add to what is known of everybody who was met in them."""
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
            importance=IMPORTANCE,
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
    first = min(known, new, key=lambda each: each.first_tick)
    return replace(
        new,
        place=first.place,
        first_tick=first.first_tick,
        highest_level=max(known.highest_level, new.highest_level),
        met=known.met + new.met,
        won=known.won + new.won,
        lost=known.lost + new.lost,
        left=known.left + new.left,
        caught=known.caught + new.caught,
        **_last_of(known, new, "won", ("won_by", "won_with")),
        **_last_of(known, new, "lost", ("lost_in", "lost_by", "lost_at")),
    )


def _last_of(
    known: Acquaintance, new: Acquaintance, times: str, names: tuple[str, ...]
) -> dict[str, Any]:
    """Return what is told of the last battle of an outcome: of the newer, if it had that outcome."""
    teller = new if getattr(new, times) else known
    return {name: getattr(teller, name) for name in names}
