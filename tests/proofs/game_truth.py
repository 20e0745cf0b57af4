"""The events of a recorded game, read from RAM alone, and the names that exist on its cartridge."""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Final, NamedTuple

from agent.app.checkpoints import readable_records
from agent.story.story import Story
from emulator import (
    Battle,
    BattleMon,
    BattleResult,
    Cartridge,
    Dex,
    Phase,
    PyBoyConsole,
    State,
    mismatch,
    read_state,
)
from memory import read_run


class FightOutcome(Enum):
    """How a fight ended."""

    WON = "won"
    LOST = "lost"
    FLED = "fled"
    CAUGHT = "caught"


@dataclass(slots=True)
class ObservedFight:
    """One battle; `own` and `own_level` are the first own Pokemon, `finisher` the last one in battle.

    `enemies` are the species met, `opponent` the trainer, or '' for a wild battle. `own_moves` and `moves` are the moves
    of the first and of the last one that cost PP, each once, in the order of their first use. `places` in the team are
    those that fought; `items` went from the bag, each with the own and the enemy's HP in percent when it was chosen.
    """

    first_tick: int
    place: str
    last_tick: int = 0
    opponent: str = ""
    enemies: tuple[str, ...] = ()
    own: str = ""
    own_level: int = 0
    finisher: str = ""
    own_moves: tuple[str, ...] = ()
    moves: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    items: tuple[tuple[str, float, float], ...] = ()
    turns: int = 0
    outcome: FightOutcome = FightOutcome.FLED
    blacked_out: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The opponents: the species, and the trainer if there was one."""
        return (*self.enemies, self.opponent) if self.opponent else self.enemies


@dataclass(slots=True)
class _OngoingFight:
    """A battle in progress, with the money and Pokemon before it."""

    fight: ObservedFight
    money: int
    owned: int  # Pokemon, in the team and the box
    asked: bool = False
    result: BattleResult | None = None
    pp: dict[tuple[int, int], int] = field(default_factory=dict)
    used: dict[int, tuple[str, ...]] = field(default_factory=dict)  # moves by place in the team
    bag: Counter[int] = field(default_factory=Counter)
    hp: tuple[float, float] = (100.0, 100.0)  # own and the enemy's, in percent, at the last menu


class FightTracker:
    """Collects battles from states in order; a battle is complete when the player has control again and its cost is known."""

    def __init__(self, story: Story, dex: Dex) -> None:
        self.fights: list[ObservedFight] = []
        self._story = story
        self._dex = dex
        self._ongoing: _OngoingFight | None = None

    def observe(self, tick: int, state: State) -> None:
        """Process one state."""
        if not state.game_started:
            return
        battle = state.battle
        if battle is not None and state.in_battle:
            if self._ongoing is not None and self._ongoing.fight.last_tick < tick - 1:
                self._complete(self._ongoing, state)
            self._follow(tick, state, battle)
        elif self._ongoing is not None:
            ongoing = self._ongoing
            if ongoing.result is None:
                ongoing.result = state.battle_result
            if state.in_control:
                self._complete(ongoing, state)

    def finish(self, state: State) -> None:
        """Complete a battle after which the recording ends."""
        if self._ongoing is not None and self._ongoing.result is not None:
            self._complete(self._ongoing, state)

    def _follow(self, tick: int, state: State, battle: Battle) -> None:
        ongoing = self._ongoing
        if ongoing is None:
            fight = ObservedFight(tick, self._story.place_of(state))
            owned = len(state.party) + len(state.box)
            ongoing = self._ongoing = _OngoingFight(fight, state.player.money, owned)
        fight = ongoing.fight
        fight.last_tick = tick
        asked = battle.phase is Phase.MAIN_MENU
        if not (asked or fight.turns) or battle.own is None or battle.enemy is None:
            return  # until the first menu, RAM may still hold the battle before
        fight.turns += asked and not ongoing.asked
        ongoing.asked = asked
        species = battle.enemy.species
        if battle.is_trainer:
            fight.opponent = self._dex.opponent(battle.trainer_class, battle.trainer_number)
            species = battle.enemy_party.mons[battle.enemy.position].species
        fight.enemies = _with(fight.enemies, self._dex.species(species).name)
        mon = state.party.mons[battle.own.position]
        fight.finisher = self._dex.species(mon.species).name
        place = battle.own.position
        if not fight.own:
            fight.own, fight.own_level = fight.finisher, mon.level
        if place not in fight.places:
            fight.places = (*fight.places, place)
        for slot in battle.own.moves:
            at = (place, slot.move)
            if slot.pp < ongoing.pp.get(at, slot.pp):
                used = _with(ongoing.used.get(place, ()), self._dex.move(slot.move).name)
                ongoing.used[place] = used
            ongoing.pp[at] = slot.pp
        fight.own_moves = ongoing.used.get(fight.places[0], ())
        fight.moves = ongoing.used.get(place, ())
        bag = Counter({stack.item: stack.quantity for stack in state.bag.items})
        for item in ongoing.bag - bag:
            fight.items = (*fight.items, (self._dex.item_name(item), *ongoing.hp))
        ongoing.bag = bag
        if asked:
            ongoing.hp = (_percent(battle.own), _percent(battle.enemy))

    def _complete(self, ongoing: _OngoingFight, state: State) -> None:
        self._ongoing = None
        fight = ongoing.fight
        if not fight.turns:
            return  # no menu was ever shown: there was no real battle
        fight.last_tick += 1
        if ongoing.result in (BattleResult.WON, BattleResult.LOST):
            fight.outcome = FightOutcome[ongoing.result.name]
        elif len(state.party) + len(state.box) > ongoing.owned:
            fight.outcome = FightOutcome.CAUGHT
        lost = fight.outcome is FightOutcome.LOST
        fight.blacked_out = lost and state.player.money < ongoing.money
        self.fights.append(fight)


def _percent(mon: BattleMon) -> float:
    return round(100 * mon.hp / mon.max_hp, 1)


def _with(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return names if name in names else (*names, name)


PROOF_DELAY: Final = 30  # ticks from the proof of a milestone in memory to the one on screen


class HeldValue(NamedTuple):
    """A value, and the tick from which it held."""

    tick: int
    value: int


class PlaceVisit(NamedTuple):
    """A place, and the first tick of this visit at which the player could walk."""

    tick: int
    place: str


@dataclass(slots=True)
class GameTruth:
    """One recorded game; histories are of changes, oldest first."""

    run: str
    seed: int
    last: State
    ticks: int = 0
    starter: str = ""
    fights: list[ObservedFight] = field(default_factory=list)
    visits: list[PlaceVisit] = field(default_factory=list)
    money: list[HeldValue] = field(default_factory=list)
    items: dict[str, list[HeldValue]] = field(default_factory=dict)
    levels: dict[str, list[HeldValue]] = field(default_factory=dict)
    team: tuple[tuple[str, int], ...] = ()  # in the end
    found_in: dict[str, str] = field(default_factory=dict)  # where an item was first owned
    milestones: dict[str, int] = field(default_factory=dict)  # the tick that first showed it in RAM

    @property
    def met(self) -> dict[str, None]:
        """All opponents, species and trainers, in the order of the first battle."""
        return dict.fromkeys(name for fight in self.fights for name in fight.names)

    @property
    def places(self) -> dict[str, None]:
        """Every place entered, in the order of the first visit."""
        return dict.fromkeys(visit.place for visit in self.visits)

    def ended(self, outcome: FightOutcome) -> list[ObservedFight]:
        """Return the battles with this outcome, oldest first."""
        return [fight for fight in self.fights if fight.outcome is outcome]

    def against(self, name: str, outcome: FightOutcome | None = None) -> list[ObservedFight]:
        """Return the battles against `name`, optionally with this outcome, oldest first."""
        fights = self.fights if outcome is None else self.ended(outcome)
        return [fight for fight in fights if name in fight.names]

    def money_at(self, tick: int) -> int:
        """Return the money after `tick`."""
        return [held.value for held in self.money if held.tick <= tick][-1]

    def level_at(self, tick: int) -> int:
        """Return the highest level of the team by `tick`; 0 before the first Pokemon."""
        reached = (held for history in self.levels.values() for held in history)
        return max((held.value for held in reached if held.tick <= tick), default=0)

    def turns_to(self, tick: int) -> int:
        """Return the turns of all battles that ended by `tick`."""
        return sum(fight.turns for fight in self.fights if fight.last_tick <= tick)


def truth_of(run: Path, cartridge: Cartridge) -> GameTruth:
    """Return the truth about a recorded game: its live steps are driven again, and RAM is read after each.

    Raises Divergence where the replay differs from the recording.
    """
    story, dex = Story.of(cartridge.kind), Dex.of(cartridge)
    fights, truth, here = FightTracker(story, dex), None, None
    with closing(read_run(run)) as folder, closing(PyBoyConsole(cartridge)) as console:
        records = readable_records(folder.store.record.steps())
        for record in records:
            console.perform(record.step)
            if differs := mismatch(console, record):
                raise differs
            tick, state = record.tick, read_state(console.ram(), console.frame)
            truth = truth or GameTruth(folder.store.run_id, folder.settings["seed"], state)
            truth.ticks, truth.last = tick, state
            if not state.game_started:
                continue
            fights.observe(tick, state)
            _record(truth, state, story, dex)
            if state.in_control and state.map.map_id != here:
                here = state.map.map_id
                truth.visits.append(PlaceVisit(tick, story.place_of(state)))
            for each in story.milestones:
                if each.id not in truth.milestones and each.shown_by_ram(state):
                    truth.milestones[each.id] = tick
    assert truth is not None, "a recording without steps shows nothing"
    fights.finish(truth.last)
    truth.fights, truth.team = fights.fights, _team(truth.last, dex)
    return truth


def _record(truth: GameTruth, state: State, story: Story, dex: Dex) -> None:
    """Record money, items and levels."""
    tick = truth.ticks
    _change(truth.money, tick, state.player.money)
    carried: Counter[str] = Counter()
    for stack in state.bag.items:
        carried[dex.item(stack.item).name] += stack.quantity
    for name in carried:
        truth.found_in.setdefault(name, story.place_of(state))
    for name in (*truth.items, *carried):
        _change(truth.items.setdefault(name, []), tick, carried[name])
    for name, level in _team(state, dex):
        truth.starter = truth.starter or name
        _change(truth.levels.setdefault(name, []), tick, level)


def _change(history: list[HeldValue], tick: int, value: int) -> None:
    if not history or history[-1].value != value:
        history.append(HeldValue(tick, value))


def _team(state: State, dex: Dex) -> tuple[tuple[str, int], ...]:
    return tuple((dex.species(mon.species).name, mon.level) for mon in state.party.mons)


NAMELESS: Final = {"-", ""}


class CartridgeNames(NamedTuple):
    """The names of all species, trainers, places, items and milestones, each once."""

    species: Sequence[str]
    trainers: Sequence[str]
    places: Sequence[str]
    items: Sequence[str]
    milestones: Sequence[str]

    @staticmethod
    def of(story: Story, dex: Dex) -> "CartridgeNames":
        """Return the names of a cartridge and of its story."""
        trainers = (
            dex.opponent(each.number, number)
            for each in dex.all_trainers.values()
            if each.name not in NAMELESS
            for number in range(1, len(each.teams) + 1)
        )
        return CartridgeNames(
            species=_once(each.name for each in dex.all_species.values()),
            trainers=_once(trainers),
            places=_once(place.called for place in story.places),
            items=_once(each.name for each in dex.all_items.values()),
            milestones=[each.id for each in story.milestones],
        )


def _once(names: Iterable[str]) -> Sequence[str]:
    return [name for name in dict.fromkeys(names) if name not in NAMELESS]
