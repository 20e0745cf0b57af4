"""Verifying a broken cartridge: what is named, and how soon."""

from collections.abc import Iterable
from dataclasses import dataclass
from time import perf_counter

from agent.app import Interrupt
from agent.app.play import NoViewer
from agent.story import Story
from agent.tools.verify import CartridgeVerdict, FactLog, VerifyRequest, verify
from emulator import CartridgeKind, demo_cartridge_path, load_cartridge
from tests.broken.building import broken_image
from tests.broken.edits import Edit

ENOUGH = 90 * 60 * 60  # frames of any game that is broken


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of one broken cartridge; `named` are the ids of the facts found wrong, in that order."""

    edit: Edit
    verdict: CartridgeVerdict
    seconds: float

    @property
    def named(self) -> tuple[str, ...]:
        """The facts that were found wrong, the first one first."""
        return tuple(row.fact.id for row in self.verdict.wrong)

    @property
    def is_named(self) -> bool:
        """Whether what was done is among them."""
        return self.edit.finds in self.named


@dataclass(frozen=True, slots=True)
class Sound:
    """What came of a game on the cartridge as it is."""

    seed: int
    headline: str
    named: tuple[str, ...]
    ticks: int


def look_at_sound(seed: int) -> Sound:
    """Verify the sound cartridge by a whole game."""
    last = Story.of(CartridgeKind.DEMO).milestones[-1].id
    wish = VerifyRequest(last, ENOUGH, seed)
    verdict = verify(load_cartridge(demo_cartridge_path()), wish, NoViewer(), Interrupt())
    named = tuple(row.fact.id for row in verdict.wrong)
    return Sound(seed, verdict.headline, named, verdict.played.ticks)


def try_out(edit: Edit, *, to_the_end: bool = False) -> Tried:
    """Verify the cartridge that an edit breaks, until its finding is made or, `to_the_end`, as far as is played for it."""
    cartridge = load_cartridge(broken_image(edit))
    begin = perf_counter()

    def enough(log: FactLog) -> bool:
        wrong: Iterable[str] = (row.fact.id for row in log.wrong)
        return not to_the_end and edit.finds in wrong

    verdict = verify(cartridge, VerifyRequest(edit.until, ENOUGH), NoViewer(), Interrupt(), enough)
    return Tried(edit, verdict, perf_counter() - begin)
