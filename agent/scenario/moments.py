"""Moments of a run: the state of the machine then, and what is worth telling about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from agent.app.settings import Frozen
from agent.app.slot import cartridge_for
from agent.capabilities import Story
from agent.replay import recording_of, require_sound
from agent.scenario.driving import drive_to, fork_of
from agent.scenario.knowing import REACHED, known_at
from agent.scenario.staging import look
from emulator import EMULATOR, Cartridge, PyBoyConsole, StepRecord
from memory import EventRow, RunReader, read_run


class Taken(NamedTuple):
    """One moment of a run: where it was, in words; where all that comes from; what was known; and the state's bytes."""

    place: str
    origin: tuple[str, ...]
    known: tuple[str, ...]
    state: bytes


@dataclass(frozen=True, slots=True)
class Source:
    """A run to take moments of, and its cartridge; `live` are the steps of the branch that went on."""

    run: RunReader
    settings: Frozen
    cartridge: Cartridge
    live: Sequence[StepRecord]

    def take(self, tick: int, records: Sequence[StepRecord]) -> Taken:
        """Return the moment after `tick` of a branch, whose steps from the first on are `records`.

        Raises:
            RunError: when the machine does something else on the way than what was recorded.
        """
        with closing(PyBoyConsole(self.cartridge)) as console:
            drive_to(tick, records, self.run, console)
            state, data = look(console), console.save()
        place = self._story.place_of(state)
        where = f"{place} ({state.map.x},{state.map.y})" if state.game_started else place
        return Taken(
            place=where,
            origin=(
                f"Tick {tick} of run {self.run.run_id}, frame {state.frame:,}: {where}.",
                f"Wanted then: {self._wished(tick)}.",
                f"Cartridge: {self.cartridge.name}. Emulator: {EMULATOR}.",
            ),
            known=known_at(self.run, tick, fork_of(records, self.live)),
            state=data,
        )

    def is_told(self, known: Sequence[str]) -> bool:
        """Say whether the last milestone of the story was known."""
        return REACHED + self._story.milestones[-1].id in known

    def called(self, goal: str | None) -> str:
        """Return what the run calls one of its goals."""
        names = {each.payload["objective_id"]: each.payload["name"] for each in self._wishes()}
        return str(names.get(goal, "nothing"))

    @property
    def _story(self) -> Story:
        return Story.of(self.cartridge.kind)

    def _wished(self, tick: int) -> str:
        """Return what the run had turned to last by then."""
        wishes = [str(each.payload["name"]) for each in self._wishes() if each.tick <= tick]
        return wishes[-1] if wishes else "nothing yet"

    def _wishes(self) -> Iterator[EventRow]:
        turns = self.run.events("objective")
        return (each for each in turns if each.payload["status"] == "active")


@contextmanager
def source_of(run: Path, rom: Path | None) -> Iterator[Source]:
    """Lend the run in a folder, with the image it was played on or the `rom` that is named.

    Raises:
        RunError: when its recording was edited.
    """
    with closing(read_run(run)) as folder:
        settings = Frozen.of(folder.settings)
        cartridge, recording = cartridge_for(rom, settings), recording_of(folder.store)
        require_sound(run, recording, cartridge.sha1)
        yield Source(folder.store, settings, cartridge, recording.records)
