"""Making scenarios of a run: of any moment, and of the times that it got nowhere."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agent.errors import UsageError
from agent.replay import episode_of
from agent.scenario.check import condition
from agent.scenario.episodes import in_words
from agent.scenario.moments import Source, source_of
from agent.scenario.stages import FRAMES
from agent.scenario.writing import (
    NEVER_STUCK,
    SOMETHING_GAINED,
    Draft,
    refuse_taken,
    write_scenario,
)
from emulator import StepRecord

TIMES_AS_LONG: Final = 3  # as the episode took; what gets nowhere again has shown it by then
WHOLE: Final = re.compile(r"-?\d+")
TRUTHS: Final = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for: a moment of a run, a name for it, and what should come of it, as NAME=VALUE."""

    tick: int
    name: str
    says: str | None = None
    until: tuple[str, ...] = ()


def record(run: Path, rom: Path | None, wanted: Wanted, into: Path) -> Path:
    """Return the file of a new scenario that begins at one moment of a run.

    Raises:
        UsageError: when the run has no such moment, or something of that name is there.
    """
    refuse_taken(into, wanted.name)
    aim = _aim(wanted.until)
    with source_of(run, rom) as source:
        if wanted.tick > len(source.live):
            message = f"--at {wanted.tick} is behind the end of {run}, which has {len(source.live):,} ticks"
            raise UsageError(message)
        taken = source.take(wanted.tick, source.live)
        if source.is_told(taken.known):
            message = f"by tick {wanted.tick} the story of {run} is told, and play would end at once; name an earlier --at"
            raise UsageError(message)
        draft = Draft(
            name=wanted.name,
            origin=taken.origin,
            pitfall="",
            says=wanted.says or _promise(taken.place, aim),
            cartridge=source.cartridge.sha1,
            seed=source.settings.seed,
            known=taken.known,
            play={**aim, "frames": FRAMES, "never": [NEVER_STUCK]},
        )
    return write_scenario(draft, taken.state, into)


def from_stuck(run: Path, rom: Path | None, episode: int | None, into: Path) -> list[Path]:
    """Return the files of new scenarios, one for each time that a run tells it got nowhere, or for the `episode`th.

    Raises:
        RunError: when it tells of fewer; a run that tells of none gives no files.
    """
    with source_of(run, rom) as source:
        told = [event.payload for event in source.run.events("stuck")]
        numbers = range(1, len(told) + 1) if episode is None else [episode]
        home = re.sub(r"[^\w-]", "_", run.resolve().name)
        names = {number: f"{home}_stuck_{number}" for number in numbers}
        for name in names.values():
            refuse_taken(into, name)
        return [_of_episode(source, number, name, into) for number, name in names.items() if told]


def _of_episode(source: Source, number: int, name: str, into: Path) -> Path:
    records = episode_of(source.run, number).records
    payload = [event.payload for event in source.run.events("stuck")][number - 1]
    taken = source.take(payload["since"], records)
    draft = Draft(
        name=name,
        origin=(
            *taken.origin,
            f"Stuck, time {number}: {in_words(payload)}. Wanted: {source.called(payload['goal'])}.",
            "This fails while play gets nowhere from here, and passes once it gains something instead.",
        ),
        pitfall=payload["reason"].replace("_", "-"),
        says=f"Play gets on from {taken.place}.",
        cartridge=source.cartridge.sha1,
        seed=source.settings.seed,
        known=taken.known,
        play={
            "until": SOMETHING_GAINED,
            "frames": max(FRAMES, TIMES_AS_LONG * _frames(payload["since"], records)),
            "never": [NEVER_STUCK],
        },
    )
    return write_scenario(draft, taken.state, into)


def _promise(place: str, aim: Mapping[str, Any]) -> str:
    if aim:
        return f"Play gets from {place} to where it should, without getting stuck."
    return f"Play goes on from {place} without getting stuck."


def _frames(since: int, records: Sequence[StepRecord]) -> int:
    """Return how long the steps behind a tick took."""
    return sum(record.step.frames for record in records[since:])


def _aim(until: Sequence[str]) -> Mapping[str, Any]:
    """Return the aim of play as its table has it; none where nothing is demanded."""
    demands = dict(_demand(words) for words in until)
    condition(demands)  # raises where a name says nothing of a moment
    return {"until": demands} if demands else {}


def _demand(words: str) -> tuple[str, int | str | bool]:
    name, equals, value = words.partition("=")
    if not (name and equals and value):
        message = f"--until {words!r} is no demand; write NAME=VALUE, as milestone:rival=true"
        raise UsageError(message)
    return name, int(value) if WHOLE.fullmatch(value) else TRUTHS.get(value, value)
