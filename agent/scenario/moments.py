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
from agent.replay import record_of
from agent.scenario.driving import drive_to, fork_of
from agent.scenario.knowing import known_at
from agent.scenario.staging import look
from emulator import EMULATOR, Cartridge, PyBoyConsole, StepRecord
from memory import RunReader, read_run


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
        place = Story.of(self.cartridge.kind).place_of(state)
        where = f"{place} ({state.map.x},{state.map.y})" if state.game_started else place
        return Taken(
            place=where,
            origin=(
                f"Tick {tick} of run {self.run.run_id}, frame {state.frame:,}: {where}.",
                f"Wanted then: {self._wish(tick)}.",
                f"Cartridge: {self.cartridge.name}. Emulator: {EMULATOR}.",
            ),
            known=known_at(self.run, tick, fork_of(records, self.live)),
            state=data,
        )

    def _wish(self, tick: int) -> str:
        """Return what the run turned to last."""
        wishes = [
            str(event.payload["name"])
            for event in self.run.events("objective")
            if event.tick <= tick and event.payload["status"] == "active"
        ]
        return wishes[-1] if wishes else "nothing yet"


@contextmanager
def source_of(run: Path, rom: Path | None) -> Iterator[Source]:
    """Lend the run in a folder, with the image it was played on or the `rom` that is named."""
    with closing(read_run(run)) as folder:
        settings = Frozen.of(folder.settings)
        live = [record_of(row) for row in folder.store.steps()]
        yield Source(folder.store, settings, cartridge_for(rom, settings), live)
