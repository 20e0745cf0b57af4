"""What happened by RAM alone, as the recording shows it once more, against what the run tells of."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from agent.lab.exam.truth import FightOutcome, GameTruth, ObservedFight, truth_of
from agent.story import Story
from agent.tools.replay import moments, replay_run
from emulator import Cartridge, Dex, PyBoyConsole
from memory import read_run

Event = tuple[int, str, Mapping[str, Any]]
OUTCOMES: Final = {FightOutcome.WON: "victory", FightOutcome.LOST: "defeat"}


def witnessed(run: Path, cartridge: Cartridge, events: Sequence[Event]) -> Iterator[str]:
    """Yield where a replay diverges, and which fights, places and milestones are lost or too many."""
    divergence = replay_run(run, cartridge.path).divergence
    if divergence is not None:
        yield f"replay: {divergence}"
        return
    truth = _truth(run, cartridge)
    # What the last tick of a night that was cut off led to, nobody has looked at yet.
    events = [event for event in events if event[0] < truth.ticks]
    fought = [_of(fight) for fight in truth.fights if fight.last_tick < truth.ticks]
    told = [_told(each) for _, kind, each in events if kind == "battle"]
    yield from _compared("battles", fought, told)
    seen = [(visit.tick, visit.place) for visit in truth.visits if visit.tick < truth.ticks]
    there = [
        (tick, str(each["location_name"])) for tick, kind, each in events if kind == "location"
    ]
    yield from _compared("places", seen, there)
    for tick, kind, each in events:
        shown = truth.milestones.get(str(each.get("id"))) if kind == "milestone" else 0
        if shown is None or shown > tick:
            yield f"milestones: {each['id']} is told of at tick {tick}, RAM shows it at {shown}"


def _truth(run: Path, cartridge: Cartridge) -> GameTruth:
    with closing(read_run(run)) as folder, closing(PyBoyConsole(cartridge)) as console:
        driven = moments(folder.store, console)
        return truth_of(
            driven, Story.of(cartridge.kind), Dex.of(cartridge), run=folder.store.run_id, seed=0
        )


def _of(fight: ObservedFight) -> tuple[int, str, str, str]:
    outcome = OUTCOMES.get(fight.outcome, "other")
    return fight.last_tick, outcome, fight.opponent, ", ".join(fight.enemies)


def _told(battle: Mapping[str, Any]) -> tuple[int, str, str, str]:
    outcome = battle["outcome"] if battle["outcome"] in OUTCOMES.values() else "other"
    return battle["end_tick"], outcome, battle.get("opponent", ""), battle["enemy_pokemon"]


def _compared(what: str, happened: Sequence[Any], told: Sequence[Any]) -> Iterator[str]:
    """Yield the first difference between two sequences that must be the same."""
    for number, (one, other) in enumerate(zip(happened, told, strict=False), 1):
        if one != other:
            yield f"{what}: no. {number} was {one}, told of is {other}"
            return
    if len(happened) != len(told):
        yield f"{what}: there were {len(happened)}, told of are {len(told)}"
