"""Whether some milestone always has a plan: for each moment of a game, starter, level, money and bag.

The moments are those of one game in the model; what depends on the team, the bag and the money is sensed by the
capabilities of play on the tables of Red. `python -m tests.red_model.always_a_plan` checks all combinations; the gate
checks the moments at milestones, and a few levels.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple, cast

from agent.capabilities.capability import Capability, domain_of
from agent.capabilities.context import GameContext
from agent.capabilities.registry import capabilities_for
from agent.perception.percept import percept_of
from agent.planning.domain import Domain, Facts
from agent.planning.search import plan
from agent.skills import Terrain
from agent.story.milestones import MilestoneLedger
from agent.story.story import FIELD_MOVES, Story
from emulator import (
    RED,
    Cartridge,
    CartridgeKind,
    Dex,
    Party,
    PartyMon,
    State,
    Status,
    World,
    read_state,
)
from emulator.ram.party import Dvs, MoveSlot, Stats
from emulator.ram.player import BAG_CAPACITY, Bag, Stack
from emulator.ram.view import Ram
from emulator.rules.stats import stats_of
from memory import Hooks, Recall
from tests.emulator.synthetic.cartridge import build
from tests.red_model.model import Model
from tests.red_model.moment import Moment
from tests.red_model.planner import AtlasDistances, Game, ModelPlanner, sense
from tests.red_model.world import Atlas, Fact

# The starters by dex number, each with the species of the rival's.
STARTERS: Final = {"SQUIRTLE": 153, "BULBASAUR": 176, "CHARMANDER": 177}
LEVELS: Final = range(5, 71)
RICH: Final = 50_000
POOR: Final = 500  # the highest fee of the story
BALL: Final = 4
SENSED: Final = ("catch", "train", "shop")
WELL: Final = Status(0, poisoned=False, burned=False, frozen=False, paralyzed=False)


class Situation(NamedTuple):
    """One combination: a moment of the game by its number, and what the player has."""

    moment: int
    starter: str
    level: int
    money: int
    full_bag: bool

    def __str__(self) -> str:
        bag = "a full bag" if self.full_bag else "an empty bag"
        return f"{self.starter} at level {self.level}, {self.money} money, {bag}"


@dataclass(slots=True, eq=False)
class PlanMatrix:
    """The game, its moments, and the capabilities with the tables of Red."""

    context: GameContext
    capabilities: Sequence[Capability]
    domain: Domain
    model: Model
    moments: Sequence[Moment]
    base: State
    _found: dict[tuple[tuple[str, int], ...], str] = field(default_factory=dict)

    @staticmethod
    @cache
    def of_red() -> PlanMatrix:
        """Return the matrix; it needs the facts of the game for its tables."""
        cartridge = Cartridge(Path("red.gb"), build(), "POKEMON RED", "", CartridgeKind.RED)
        story, atlas = Story.of(CartridgeKind.RED), Atlas.of_red()
        terrain = Terrain(World.of(cartridge))
        terrain.map_distances = AtlasDistances(atlas)
        ledger = MilestoneLedger(story.milestones, Hooks())
        context = GameContext(story, terrain, Dex.of(cartridge), ledger, 0)
        capabilities = capabilities_for(context)
        model = Model(atlas, story)
        base = read_state(Ram.of_image(bytes(0x2000), bytes(0x7F)), 0)
        control = replace(base.control, started=True, free=True, reasons=())
        return PlanMatrix(
            context,
            capabilities,
            domain_of(capabilities),
            model,
            _moments(model),
            replace(base, control=control),
        )

    def at_milestones(self) -> list[int]:
        """Return the numbers of the moments at which a milestone was just reached."""
        reached = [len(each.reached) for each in self.moments]
        return [at for at in range(1, len(reached)) if reached[at] > reached[at - 1]]

    def plan_of(self, situation: Situation) -> str:
        """Return the name of the first milestone with a plan, or '' if none has one."""
        facts = self.facts(situation)
        key = tuple(sorted(facts.items()))
        if key not in self._found:
            self._found[key] = self._planned(facts)
        return self._found[key]

    def facts(self, situation: Situation) -> Facts:
        """Return all facts of a situation."""
        moment = replace(self.moments[situation.moment], money=situation.money)
        state = self.state(moment, situation)
        percept, nothing = percept_of(state, 1), cast("Recall", None)
        sensed = {
            fact: value
            for each in self.capabilities
            if each.name in SENSED
            for sensor in each.sensors
            for fact, value in sensor.read(percept, nothing).items()
        }
        return {**sense(self.model, self.domain, moment), **sensed, "party:hp": 100}

    def state(self, moment: Moment, situation: Situation) -> State:
        """Return the state of the game in a situation."""
        base, numbers = self.base, {kind: set[int]() for kind in ("event", "gone", "badge", "item")}
        for fact in moment.facts:
            numbers.setdefault(fact.kind, set()).add(fact.number)
        scripts = bytearray(base.flags.scripts)
        for number in numbers.get("script", ()):
            scripts[number >> 8] = number & 0xFF
        flags = replace(
            base.flags,
            events=_bits(numbers["event"], len(base.flags.events)),
            hidden=_bits(numbers["gone"], len(base.flags.hidden)),
            status_1=sum(1 << bit for bit in numbers.get("status", ())),
            scripts=bytes(scripts),
        )
        here, (x, y) = moment.region.map_id, self.model.atlas.squares[moment.region]
        player = replace(
            base.player,
            money=situation.money,
            badges=tuple(sorted(numbers["badge"])),
            rival_starter=STARTERS[situation.starter],
        )
        moves = set(numbers.get("move", ()))
        return replace(
            base,
            flags=flags,
            player=player,
            map=replace(base.map, map_id=here, x=x, y=y),
            bag=self._bag(numbers["item"], full=situation.full_bag),
            party=self.party(situation.starter, situation.level, taught=bool(moves)),
        )

    @cache  # noqa: B019  # there is one matrix
    def party(self, starter: str, level: int, *, taught: bool) -> Party:
        """Return the starter's line alone, or with a weak second member that knows the field moves."""
        strong = self._mon(starter, level)
        if not taught:
            return Party((strong,))
        moves = tuple(MoveSlot(each, 10, 0) for each in FIELD_MOVES.values())
        return Party((strong, replace(self._mon(starter, 2), moves=moves)))

    def _mon(self, starter: str, level: int) -> PartyMon:
        dex = self.context.dex
        (species,) = [each for each in dex.all_species.values() if each.name == starter]
        grown = [each for each in species.evolutions if 0 < each.level <= level]
        while grown:
            species = dex.all_species[grown[0].species]
            grown = [each for each in species.evolutions if 0 < each.level <= level]
        stats = stats_of(species.base, Dvs(8, 8, 8, 8), level)
        moves = [MoveSlot(move, dex.all_moves[move].pp, 0) for move in species.moves_at(level)]
        return PartyMon(
            species=species.index,
            nickname=starter,
            ot_id=1,
            level=level,
            hp=stats.hp,
            status=WELL,
            types=species.types,
            catch_rate=species.catch_rate,
            moves=tuple(moves),
            exp=species.growth.experience_at(level),
            stat_exp=Stats(0, 0, 0, 0, 0),
            dvs=Dvs(8, 8, 8, 8),
            stats=stats,
        )

    def _bag(self, items: Iterable[int], *, full: bool) -> Bag:
        held = dict.fromkeys(sorted(items), 1)
        if full:
            sold = [
                BALL,
                *(item for item, known in self.context.dex.all_items.items() if known.price),
            ]
            held |= dict.fromkeys(sold[: BAG_CAPACITY - len(held)], 10)
        return Bag(tuple(Stack(*each) for each in held.items()))

    def _planned(self, facts: Facts) -> str:
        for goal in self.domain.open_goals(facts):
            is_milestone = goal.name.startswith("reached:")
            if is_milestone and plan(goal, facts, self.domain.actions) is not None:
                return goal.name
        return ""


def _moments(model: Model) -> list[Moment]:
    """Return the moments of a game of the planner in the model, from the first starter on."""
    game = Game(model, ModelPlanner.of_red(), Moment())
    seen = [game.moment]
    game.play(lambda playing: seen.append(playing.moment))
    got = Fact("event", RED.events["battled_rival_in_oaks_lab"])
    return [
        each for each in dict.fromkeys(seen) if each.holds(got) and not each.holds(Fact("fame", 1))
    ]


def _bits(numbers: Iterable[int], size: int) -> bytes:
    found = bytearray(size)
    for number in numbers:
        found[number >> 3] |= 1 << (number & 7)
    return bytes(found)


def situations(moments: Iterable[int], levels: Iterable[int]) -> Iterator[Situation]:
    """Yield every combination; those of one team come together, so that its odds are computed once."""
    for starter, level in product(STARTERS, levels):
        for moment, money, full in product(moments, (RICH, POOR), (False, True)):
            yield Situation(moment, starter, level, money, full)


def main() -> None:
    """Check all combinations, and print those without a plan."""
    matrix = PlanMatrix.of_red()
    every = range(len(matrix.moments))
    total, failed = len(every) * len(STARTERS) * len(LEVELS) * 4, 0
    for count, each in enumerate(situations(every, LEVELS), start=1):
        if not matrix.plan_of(each):
            failed += 1
            moment = matrix.moments[each.moment]
            last = max(
                moment.reached,
                key=[m.id for m in matrix.context.story.milestones].index,
                default="",
            )
            sys.stdout.write(f"\rno plan at {moment.region} after {last!r}: {each}\n")
        if count % 100 == 0 or count == total:
            bar = "#" * (40 * count // total)
            sys.stderr.write(f"\r[{bar:<40}] {count} of {total}, {failed} without a plan")
    sys.stderr.write("\n")
    sys.exit(int(failed > 0))


if __name__ == "__main__":
    main()
