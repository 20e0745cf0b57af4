"""Battles by opponent: trainers by name, wild ones by who and where, and how they went."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from memory import BATTLE, EventRow, RunReader

MOST: Final = 30  # groups of each sort
OUTCOMES: Final = {"victory": "won", "defeat": "lost", "runaway": "fled", "catch": "caught"}


@dataclass(frozen=True, slots=True)
class Opponent:
    """All battles against one trainer, or against one sort of wild ones in a place."""

    name: str
    whom: str  # the creatures of a trainer; '' of wild ones
    place: str
    met: int
    ends: Mapping[str, int]
    turns: int
    levels: tuple[int, int]
    by: str  # who fought most of them
    first_tick: int

    @property
    def lost(self) -> int:
        """How many were lost."""
        return self.ends.get("lost", 0)


@dataclass(frozen=True, slots=True)
class Battles:
    """The groups worth a row, those left out, the sums, and how many were fought on branches that died.

    `defeats` are the ticks at which one was lost.
    """

    trainers: Sequence[Opponent]
    wild: Sequence[Opponent]
    left_out: int
    ends: Mapping[str, int]
    turns: int
    died: int
    defeats: Sequence[int]

    @property
    def fought(self) -> int:
        """All battles of the live lineage."""
        return sum(self.ends.values())


def battles(run: RunReader) -> Battles:
    """Return all battles of a run."""
    told = [_told(each) for each in run.events(BATTLE)]
    groups: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for each in told:
        groups.setdefault(_group(each), []).append(each)
    opponents = [_opponent(key, each) for key, each in groups.items()]
    trainers = [each for each in opponents if each.whom]
    wild = sorted((each for each in opponents if not each.whom), key=lambda each: -each.met)
    trainers.sort(key=lambda each: (-each.lost, each.first_tick))
    return Battles(
        trainers=trainers[:MOST],
        wild=wild[:MOST],
        left_out=len(trainers[MOST:]) + len(wild[MOST:]),
        ends=_ends(told),
        turns=sum(each["turns_taken"] for each in told),
        died=sum(1 for _ in run.events(BATTLE, live=False)),
        defeats=[each["tick"] for each in told if each["outcome"] == "defeat"],
    )


def _told(event: EventRow) -> Mapping[str, Any]:
    """Return a battle with all its fields, also where a file of another version lacks some."""
    absent = {"opponent": "", "enemy_pokemon": "?", "location": "", "outcome": "", "turns_taken": 0}
    return {**absent, "enemy_level": 0, "player_pokemon": "", **event.payload, "tick": event.tick}


def _group(told: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return what a battle is counted under; a trainer is met with a new team, but stays who they are."""
    opponent = str(told["opponent"])
    return opponent, "" if opponent else str(told["enemy_pokemon"]), str(told["location"])


def _opponent(key: tuple[str, str, str], told: Sequence[Mapping[str, Any]]) -> Opponent:
    trainer, wild, place = key
    levels = [each["enemy_level"] for each in told]
    return Opponent(
        name=trainer or wild,
        whom=", ".join(_once(_creatures(told))) if trainer else "",
        place=place,
        met=len(told),
        ends=_ends(told),
        turns=sum(each["turns_taken"] for each in told),
        levels=(min(levels), max(levels)),
        by=_commonest(str(each["player_pokemon"]) for each in told),
        first_tick=told[0]["tick"],
    )


def _creatures(told: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for each in told:
        yield from str(each["enemy_pokemon"]).split(", ")


def _once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _ends(told: Iterable[Mapping[str, Any]]) -> Mapping[str, int]:
    counts = Counter(OUTCOMES.get(str(each["outcome"]), "otherwise") for each in told)
    return {end: counts[end] for end in (*OUTCOMES.values(), "otherwise") if counts[end]}


def _commonest(names: Iterable[str]) -> str:
    ((name, _),) = Counter(names).most_common(1)
    return name
