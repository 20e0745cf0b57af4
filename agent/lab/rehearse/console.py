"""The console of a rehearsal: the real one up to the first step of the model, then the model."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np

from agent.lab.rehearse.game import ModelGame
from agent.lab.rehearse.scripts import ScriptBook
from agent.story.story import Story
from emulator import Cartridge, Console, Dex, Ram, Screen, Step, World
from emulator.model import GameRam
from emulator.savestate import SavedState, decode_state, encode_state, state_origin

MODEL: Final = "model"  # instead of an emulator, in saved states


@dataclass(frozen=True, slots=True)
class ModelStep(Step):
    """A step that the model carries out: `do` changes the game and returns the frames that it takes."""

    do: Callable[[ModelGame], int] = lambda _game: 0


def model_step(do: Callable[[ModelGame], int]) -> ModelStep:
    """Return a step that the model carries out."""
    return ModelStep(None, 0, 1, do)


class ModelConsole:
    """A console whose game goes on in the model from the first of its steps on."""

    def __init__(self, console: Console, story: Story, book: ScriptBook, seed: int) -> None:
        self._console = console
        self._story, self._book, self._seed = story, book, seed
        self.game: ModelGame | None = None
        self.cartridge: Cartridge = console.cartridge

    @property
    def frame(self) -> int:
        """Frames since power-on."""
        return self.game.frame if self.game is not None else self._console.frame

    def perform(self, step: Step, *, render: bool = False) -> None:
        """Perform a step; one of the model changes its game."""
        if isinstance(step, ModelStep) and self.game is None:
            self.begin()
        game = self.game
        if game is None:
            self._console.perform(step, render=render)
        elif isinstance(step, ModelStep):
            game.frame += max(step.do(game), 1)
        else:
            game.frame += step.frames

    def begin(self, world: World | None = None) -> ModelGame:
        """Take over the game from the console, on the maps of a world or of the cartridge, and return it."""
        self.game = ModelGame(
            self.cartridge,
            self._story,
            self._book,
            GameRam(self._console.ram()),
            world or World.of(self.cartridge),
            Dex.of(self.cartridge),
            Random(self._seed),
            self._console.frame,
        )
        return self.game

    def ram(self) -> Ram:
        """Return the watched RAM as it is now."""
        return self.game.ram.view if self.game is not None else self._console.ram()

    def read(self, address: int, size: int) -> bytes:
        """Return any range of RAM as it is now."""
        return self.ram().span(address, size)

    def screen(self) -> Screen:
        """Return a blank picture: the model draws nothing."""
        if self.game is None:
            return self._console.screen()
        return Screen(np.zeros((144, 160), np.uint8))

    def save(self) -> bytes:
        """Return the current state as bytes; a rehearsal that goes on from them is identical."""
        if self.game is None:
            return self._console.save()
        sha1 = self.cartridge.sha1
        return encode_state(SavedState(MODEL, sha1, self.frame, None, self.game.to_bytes()))

    def load(self, state: bytes) -> None:
        """Restore a state that `save` returned, or raise a StateError."""
        if state_origin(state).emulator != MODEL:
            self._console.load(state)
            self.game = None
            return
        saved = decode_state(state, emulator=MODEL, cartridge_sha1=self.cartridge.sha1)
        (self.game or self.begin()).restore(saved.payload)

    def digest(self) -> bytes:
        """Return blake2b-128 over DIGEST_RANGES."""
        return self.game.ram.digest() if self.game is not None else self._console.digest()

    def full_digest(self) -> bytes:
        """Return blake2b-128 over all of work RAM and high RAM."""
        if self.game is None:
            return self._console.full_digest()
        return self.game.ram.full_digest()

    def close(self) -> None:
        """Switch off."""
        self._console.close()
