"""The context capabilities are built from: a cartridge, its story, the seed of the run, memory."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar, cast

from agent.battle.odds import remembered_strength
from agent.experience.choices import Choice, GameChoices
from agent.experience.uses import Experience
from agent.planning.domain import Action
from agent.skills import Outcome, Skill, Skills, Terrain, observed
from agent.story.milestones import MilestoneLedger
from agent.story.story import Story
from emulator import Dex, Party, State
from memory import Hooks, MemoryActions

Shared = TypeVar("Shared")


@dataclass(frozen=True, slots=True)
class TalkEnded:
    """A talk ended in `state`: the sprite slot of the person, the first text, and the effects."""

    state: State
    slot: int
    words: str
    effects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StockSeen:
    """The stock of a clerk was seen; empty if no list was shown."""

    state: State
    slot: int
    stock: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SquareTried:
    """A walk that began in `state` could not enter a square; or it has `passed` a square that was blocked before."""

    state: State
    square: tuple[int, int, int]
    towards: str = ""
    passed: bool = False


class _TalkObserver:
    """Records the text and the effects of a talk."""

    def __init__(self, before: State) -> None:
        self.last = before
        self.words = ""
        self._before = before
        self._asked = self._fought = False

    def observe(self, state: State) -> None:
        """Record one state."""
        self.last = state
        self._fought = self._fought or state.in_battle
        if state.dialogue.is_open:
            # A box is printed letter by letter: the longest version of the first text is the complete one.
            text = state.dialogue.text
            self.words = text if text.startswith(self.words) else self.words
        self._asked = self._asked or state.menu is not None

    def effects(self) -> Iterator[str]:
        """Yield each effect of the talk: changed values, a question, a battle."""
        before, now = self._before, self.last
        if now.bag != before.bag or now.player.money != before.player.money:
            yield "items"
        if now.flags.events != before.flags.events or now.flags.hidden != before.flags.hidden:
            yield "an event"
        if now.player.badges != before.player.badges or now.party != before.party:
            yield "a change of the team"
        if self._asked:
            yield "a question"
        if self._fought:
            yield "a battle"


@dataclass(slots=True)
class Training:
    """Whether the team trains: from the begin of a walk for experience to the end of the battle that it leads to."""

    is_on: bool = False


@dataclass(frozen=True, slots=True)
class GameContext:
    """The parts that capabilities share; every topic has its own random source.

    Without `memory` there are no memory actions.
    """

    story: Story
    terrain: Terrain
    dex: Dex
    ledger: MilestoneLedger
    seed: int
    memory: MemoryActions | None = None
    experience: Experience = field(default_factory=Experience)
    choices: GameChoices = field(default_factory=GameChoices)
    hooks: Hooks = field(default_factory=Hooks)  # these get each encounter once
    training: Training = field(default_factory=Training)
    actions: dict[str, Action] = field(default_factory=dict)  # made for any branch of the game
    skills: Skills = field(default_factory=Skills)  # how actions are carried out
    strength_of: Callable[[Party], tuple[object, ...]] = field(default_factory=remembered_strength)
    _shared: dict[object, object] = field(default_factory=dict, init=False)

    def shared(self, build: Callable[["GameContext"], Shared]) -> Shared:
        """Return what `build` makes of this context, the same for all topics that need it."""
        if build not in self._shared:
            self._shared[build] = build(self)
        return cast("Shared", self._shared[build])

    def action(self, name: str, make: Callable[[], Action]) -> Action:
        """Return the action of a name, made once for all branches: it depends on story and tables alone."""
        if name not in self.actions:
            self.actions[name] = make()
        return self.actions[name]

    def chance(self, topic: str) -> random.Random:
        """Return the random source for equal alternatives; the same for the same seed and topic."""
        return random.Random(f"{self.seed}:{topic}")

    def way(self, choice: Choice) -> int:
        """Return the alternative that this game takes of a choice."""
        return self.choices.way(choice, self.chance(choice.id))

    def observe_talk(self, slot: int, talk: Skill, state: State) -> Skill:
        """Perform a talk and report its outcome."""
        observer = _TalkObserver(state)
        outcome = yield from observed(talk, observer.observe)
        if outcome is Outcome.DONE:
            self.hooks.emit(
                TalkEnded(observer.last, slot, observer.words, tuple(observer.effects()))
            )
        return outcome
