"""Rehearsals that begin at a moment of a run, as the file of `report --facts` has it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from agent.errors import UsageError
from agent.lab.rehearse.console import ModelConsole
from agent.story.milestones import ReachedMilestone
from emulator import Cartridge, EmulatorError
from emulator.model import GameRam, put_moment
from memory import as_json
from memory.file_access import read_json

FAULTS: Final = (LookupError, TypeError, ValueError, OverflowError, AttributeError, EmulatorError)


class StartingMoment(NamedTuple):
    """The moment at which a rehearsal begins: its frame, the game in numbers, and what the agent knew.

    `wants` are the facts to reach that the run was asked for, and `known` parts of the mind by name.
    """

    path: Path
    kind: str
    seed: int
    wants: tuple[str, ...]
    game: Mapping[str, Any]
    reached: tuple[str, ...]
    known: Mapping[str, Mapping[str, Any]]

    @classmethod
    def read(cls, path: Path) -> "StartingMoment":
        """Return the moment in a file of `report --facts`; raises UsageError for any other file."""
        try:
            facts = read_json(path)
            reached = tuple(str(name) for name, _ in facts["milestones"])
            ledger = [as_json(ReachedMilestone(each, 0, 0, {})) for each in reached]
            pairs = {
                part: {str(name): int(number) for name, number in facts[part]}
                for part in ("choices", "failures", "setbacks")
            }
            return cls(
                path,
                facts["cartridge"]["kind"],
                int(facts["seed"]),
                tuple(facts["wants"]),
                facts["game"],
                reached,
                {
                    "ledger": {"reached": ledger},
                    "choices": {"made": pairs.pop("choices")},
                    "mind": pairs,
                },
            )
        except OSError as error:
            message = f"{path} cannot be read ({error.strerror}); name a file of `report --facts`"
            raise UsageError(message) from error
        except FAULTS as error:
            raise _unusable(path, error) from error

    def left(self, cartridge: Cartridge, milestones: Sequence[str]) -> tuple[str, ...]:
        """Return those of `milestones` that are still to be reached; raises UsageError for another game, and for none."""
        if cartridge.kind.value != self.kind:
            message = f"{self.path} has a moment of {self.kind}, and this is {cartridge.name}; pass its --rom"
            raise UsageError(message)
        left = tuple(each for each in milestones if each not in self.reached)
        if not left:
            message = f"{self.path} has a moment after {milestones[-1]}: nothing is left to rehearse; name a later --until, or write an earlier moment with `report --facts --at`"
            raise UsageError(message)
        return left

    def begin(self, console: ModelConsole) -> None:
        """Begin the game of a console at this moment; raises UsageError when it is none of its cartridge."""
        game = console.begin()
        game.ram = GameRam(game.ram.view, bytes(len(game.ram.view.image)))
        try:
            put_moment(game.here, self.game, lambda species: game.dex.species(species).name)
            game.frame = int(self.game["frame"])
            game.see()
        except FAULTS as error:
            raise _unusable(self.path, error) from error


def _unusable(path: Path, error: Exception) -> UsageError:
    return UsageError(
        f"{path} is no file of `report --facts` ({type(error).__name__}: {error}); name one"
    )
