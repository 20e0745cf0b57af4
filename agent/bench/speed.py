"""Our share of the time: games played in rounds, beside the program that never halts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from agent.bench.figures import Rounds, Spread, Stretch
from agent.bench.game import Game, Tick
from agent.bench.parts import SAVING

MICROSECONDS: Final = 1e6

Cut: TypeAlias = Callable[[Game], Sequence[Tick]]

# Named by what is played: waiting for nothing has longer ticks, so each is told on its own.
CUTS: Final[Mapping[str, Cut]] = {
    "all": lambda game: game.ticks,
    "story": lambda game: game.ticks[: game.story],
    "onward": lambda game: game.ticks[game.story :],
}


class Cost(NamedTuple):
    """What a frame of a stretch took, in seconds: ours, PyBoy's saving and playing, and the reference's."""

    ours: float
    saving: float
    console: float
    reference: float

    @property
    def ratio(self) -> float:
        """The reference's share of its time and ours."""
        return self.reference / (self.reference + self.ours)

    @property
    def ratio_with_saving(self) -> float:
        """The same, as if PyBoy's saving were ours."""
        return self.reference / (self.reference + self.ours + self.saving)


def stretches(games: Sequence[Game]) -> dict[str, Stretch]:
    """Return every stretch that the games have."""
    return {name: stretch(games, cut) for name, cut in CUTS.items() if all(map(cut, games))}


def stretch(games: Sequence[Game], cut: Cut) -> Stretch:
    """Return the figures of one stretch over all rounds."""
    costs = [_cost(game, cut(game)) for game in games]
    ticks = [tick for game in games for tick in cut(game)]
    return Stretch(
        ticks=len(cut(games[0])),
        frames_per_tick=Spread.of([tick.frames for tick in ticks]),
        overhead_us=Spread.of([tick.ours * MICROSECONDS for tick in ticks]),
        ours_us_per_frame=Rounds.of([cost.ours * MICROSECONDS for cost in costs]),
        saving_us_per_frame=Rounds.of([cost.saving * MICROSECONDS for cost in costs]),
        console_us_per_frame=Rounds.of([cost.console * MICROSECONDS for cost in costs]),
        speed_ratio=Rounds.of([cost.ratio for cost in costs]),
        speed_ratio_with_saving=Rounds.of([cost.ratio_with_saving for cost in costs]),
    )


def parts(game: Game) -> dict[str, Spread]:
    """Return what each part takes of a tick, in microseconds, the largest first."""
    names = {name for tick in game.ticks for name in tick.parts}
    spreads = {
        name: Spread.of([tick.parts.get(name, 0.0) * MICROSECONDS for tick in game.ticks])
        for name in names
    }
    spreads[SAVING] = Spread.of([tick.saving * MICROSECONDS for tick in game.ticks])
    rest = [tick.ours - sum(tick.parts.values()) for tick in game.ticks]
    spreads["everything else, with the cost of timing the parts"] = Spread.of(
        [seconds * MICROSECONDS for seconds in rest]
    )
    return dict(sorted(spreads.items(), key=lambda item: -item[1].mean))


def _cost(game: Game, ticks: Sequence[Tick]) -> Cost:
    frames = sum(tick.frames for tick in ticks)
    return Cost(
        ours=sum(tick.ours for tick in ticks) / frames,
        saving=sum(tick.saving for tick in ticks) / frames,
        console=sum(tick.console for tick in ticks) / frames,
        reference=game.reference,
    )
