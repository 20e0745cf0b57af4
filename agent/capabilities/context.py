"""What capabilities are made from: a cartridge, its story, the seed of the run, memory."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from agent.experience.choices import TaskChoices
from agent.experience.uses import Experience
from agent.skills import Outcome, Skill, Terrain, overseen
from agent.story.milestones import MilestoneLedger
from agent.story.story import Story
from emulator import Dex, State
from memory import Hooks, MemoryActions, PersonHeard


@dataclass(frozen=True, slots=True)
class TalkEnded:
    """A talk is over in `state`: the sprite slot, its first words, and its effects."""

    state: State
    slot: int
    words: str
    came: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WaresSeen:
    """The wares of a clerk were seen; none where nothing was shown."""

    state: State
    slot: int
    wares: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SquareTried:
    """A walk that began in `state` ended before a square that it could not step on; or one that had barred it was `passed`."""

    state: State
    square: tuple[int, int, int]
    towards: str = ""
    passed: bool = False


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
    hooks: Hooks = field(default_factory=Hooks)  # which are told of encounters, each once

    def chance(self, topic: str) -> random.Random:
        """Return what decides where several ways are as good; the same for the same seed and topic."""
        return random.Random(f"{self.seed}:{topic}")

    def hear(self, slot: int, talk: Skill, state: State) -> Skill:
        """Carry a talk out and tell what came of it."""
        ear = _Ear(state)
        outcome = yield from overseen(talk, ear.listen)
        if outcome is Outcome.DONE:
            self.hooks.emit(TalkEnded(ear.last, slot, ear.words, tuple(ear.came())))
        return outcome
