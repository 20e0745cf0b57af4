"""What it takes to book a call for good, and to tell a model what was observed, in a file that holds much of both."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Final

from agent.advisor.model import Usage
from agent.advisor.money import Ceilings, Terms, Wallet, load_prices, load_terms
from agent.app.observations import Knowing, PlayObservations
from agent.bench.memory.figures import Bound, MemoryFigure
from agent.bench.memory.timing import timed
from agent.bench.model.game import Game
from agent.bench.model.lapses import Lapses
from agent.capabilities import Story
from emulator import Cartridge, Dex
from memory import Blackboard, Faults, Hooks, Observed, open_run_store

BOOKING: Final = Bound("a call booked and settled for good, behind many others", None, None)
BLOCK: Final = Bound("block of what was observed: found among many, and written", 5.0, 5.0)
OBSERVATIONS: Final = 20_000
NOW_MS: Final = 1_800_000_000_000
SESSION: Final = "bench"
INPUT: Final = 100  # tokens
OUTPUT: Final = 10


def booking(home: Path, calls: int, rounds: int) -> Iterator[MemoryFigure]:
    """Yield what leave for a call and its bill take where so many calls were made before."""
    terms, prices = without_ceilings(load_terms(None)), load_prices(None)
    with closing(open_run_store(home / "calls.sqlite", run_id=SESSION)) as store:
        wallet = Wallet(store, prices, terms, now_ms=lambda: NOW_MS, faults=Faults())
        work = partial(_booked, wallet, terms.usual)
        for _ in range(calls):
            work()
        took = Lapses()
        for _ in range(rounds):
            took.of(BOOKING, work)
    yield from took.figures()


def without_ceilings(terms: Terms) -> Terms:
    """Return terms on which one may ask as often as one likes: nothing is paid here."""
    return replace(terms, ceilings=Ceilings(), steps=())


def block(cartridge: Cartridge, game: Game, home: Path, rounds: int) -> MemoryFigure:
    """Return what the block of a session takes that observed very much."""
    knowing = Knowing(Story.of(cartridge.kind), Dex.of(cartridge))
    with closing(open_run_store(home / "observed.sqlite", run_id=SESSION)) as store:
        for tick, observed in enumerate(islice(_observed(game), OBSERVATIONS)):
            store.add_observations(SESSION, [observed], tick=tick, game_s=float(tick))
        store.commit()
        play = PlayObservations(store, SESSION, knowing, Hooks(), Blackboard(store))
        return timed(BLOCK, [play.block], rounds)


def _booked(wallet: Wallet, model: str) -> None:
    permit = wallet.permit(model, INPUT, OUTPUT, "stuck")
    if permit is None:
        raise RuntimeError("there is no leave for a call: the terms allow too few")
    wallet.settle(permit, Usage(input=INPUT, output=OUTPUT))


def _observed(game: Game) -> Iterator[Observed]:
    """Yield without end what was observed in the game."""
    for each in cycle(game.observations):
        yield Observed(each.type, each.content, each.importance, each.about, each.metadata)
