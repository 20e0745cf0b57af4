"""What capabilities are made from: a cartridge, its story, the seed of the run, memory."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from agent.experience import Experience, TaskChoices
from agent.skills import Outcome, Skill, Terrain, overseen
from agent.story import MilestoneLedger, Story
from emulator import Dex, State
from memory import Hooks, MemoryActions, PersonHeard, hookable


class TalkResult(NamedTuple):
    """A talk that is over: the sprite slot, its first words, and its effects."""

    slot: int
    words: str
    came: tuple[str, ...]


class Encounters:
    """Each method is called once for each encounter, with the state in which it ended."""

    def __init__(self, hooks: Hooks | None = None) -> None:
        self.hooks = hooks or Hooks()

    @hookable
    def heard(self, _state: State, hearing: TalkResult) -> TalkResult:
        """A talk is over."""
        return hearing

    @hookable
    def looked(self, _state: State, _slot: int, wares: tuple[int, ...]) -> tuple[int, ...]:
        """The wares of a clerk were seen; none where nothing was shown."""
        return wares

    @hookable
    def barred(self, _began: State, square: tuple[int, int, int], _towards: str) -> tuple[int, ...]:
        """A walk ended before a square of a map that it could not step on."""
        return square

    @hookable
    def passed(self, _state: State, square: tuple[int, int, int]) -> tuple[int, ...]:
        """A square that had barred the way was stepped on."""
        return square

    def hear(self, slot: int, talk: Skill, state: State) -> Skill:
        """Carry a talk out and take note of what came of it."""
        ear = _Ear(state)
        outcome = yield from overseen(talk, ear.listen)
        if outcome is Outcome.DONE:
            self.heard(ear.last, TalkResult(slot, ear.words, tuple(ear.came())))
        return outcome


def only_talks(heard: PersonHeard) -> str:
    """Return in words that a talk had no effect."""
    return f"number {heard.slot} in {heard.place} only talks: {heard.words!r}"


class _Ear:
    """What is said and done during a talk."""

    def __init__(self, before: State) -> None:
        self.last = before
        self.words = ""
        self._before = before
        self._asked = self._fought = False

    def listen(self, state: State) -> None:
        """Take note of one moment."""
        self.last = state
        self._fought = self._fought or state.in_battle
        if state.dialogue.is_open:
            # A box is printed letter by letter: its first words are whole when they are longest.
            text = state.dialogue.text
            self.words = text if text.startswith(self.words) else self.words
        self._asked = self._asked or state.menu is not None

    def came(self) -> Iterator[str]:
        """Yield what is not as it was before, or was more than words."""
        before, now = self._before, self.last
        if now.bag != before.bag or now.player.money != before.player.money:
            yield "belongings"
        if now.flags.events != before.flags.events or now.flags.hidden != before.flags.hidden:
            yield "an event"
        if now.player.badges != before.player.badges or now.party != before.party:
            yield "a change of the team"
        if self._asked:
            yield "a question"
        if self._fought:
            yield "a battle"


@dataclass(frozen=True, slots=True)
class GameContext:
    """The parts that capabilities share; every topic has a random source of its own.

    Without `memory` nothing is done on purpose with what is remembered.
    """

    story: Story
    terrain: Terrain
    dex: Dex
    ledger: MilestoneLedger
    seed: int
    memory: MemoryActions | None = None
    experience: Experience = field(default_factory=Experience)
    choices: TaskChoices = field(default_factory=TaskChoices)
    encounters: Encounters = field(default_factory=Encounters)

    def chance(self, topic: str) -> random.Random:
        """Return what decides where several ways are as good; the same for the same seed and topic."""
        return random.Random(f"{self.seed}:{topic}")
