"""Battles of the model: fought turn by turn by the turn engine, and written into RAM before each choice."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from agent.battle.odds import Foe, mon_from, tables_of
from agent.skills import Attack, Commander, Flee, Order, Switch, Throw, TriedOrders, UseItem
from emulator import BattleResult, Dex, Party, PartyMon, State, Status
from emulator.engine import (
    evolve,
    keep,
    legal_choices,
    next_member,
    play_turn,
    put_team,
    run_instead,
    send,
    send_out,
    start_battle,
)
from emulator.model import GameRam, end_battle, position_of, put_position, wild_mon, with_member
from emulator.ram import Dvs, MoveOffer, MoveSlot, Stats
from emulator.rules import Position, codes, empty_positions, stats_of
from memory import Json

HEALTHY: Final = Status(0, poisoned=False, burned=False, frozen=False, paralyzed=False)
NOTHING_TRIED: Final = TriedOrders()
UNTRAINED: Final = Stats(0, 0, 0, 0, 0)
SLOTS: Final = 4
RESULTS: Final = {codes.WON: BattleResult.WON, codes.LOST: BattleResult.LOST}


Look: TypeAlias = Callable[[], State]


class Trainer(NamedTuple):
    """A trainer to fight: class and number, and the team; class 0 is a wild Pokemon."""

    trainer_class: int
    number: int
    team: tuple[Foe, ...]


def new_mon(dex: Dex, species: int, level: int, dvs: int, ot_id: int = 0) -> PartyMon:
    """Return a Pokemon that has just come to its level, with DVs as two stored bytes."""
    row = dex.species(species)
    values = Dvs(*[dvs >> shift & 15 for shift in (12, 8, 4, 0)])
    stats = stats_of(row.base, values, level)
    return PartyMon(
        species=species,
        nickname=row.name,
        ot_id=ot_id,
        level=level,
        hp=stats.hp,
        status=HEALTHY,
        types=row.types,
        catch_rate=row.catch_rate,
        moves=tuple(MoveSlot(move, dex.move(move).pp, 0) for move in row.moves_at(level)),
        exp=row.growth.experience_at(level),
        stat_exp=UNTRAINED,
        dvs=values,
        stats=stats,
    )


class Ended(NamedTuple):
    """How a battle ended: the outcome, the team after it, the money won, and what was caught."""

    outcome: int
    party: Party
    money: int
    caught: PartyMon | None


@dataclass
class ModelBattle:
    """One battle: the position, the team it began with, and the other side."""

    dex: Dex
    position: Position
    party: Party
    foes: Party
    trainer: Trainer
    turns: int = 0
    tried: TriedOrders = NOTHING_TRIED

    @classmethod
    def begin(
        cls, dex: Dex, state: State, trainer: Trainer, seed: int, dvs: int, *, in_safari: bool
    ) -> "ModelBattle":
        """Return a battle of the team in `state`; a wild Pokemon has DVs `dvs`.

        In the Safari Zone balls are thrown, and there is no fight.
        """
        tables = tables_of(dex)
        if trainer.trainer_class:
            made = [mon_from(dex, foe) for foe in trainer.team]
            foes = Party(tuple(mon for mon in made if mon is not None))
        else:
            (foe,) = trainer.team
            foes = Party((new_mon(dex, foe.species, foe.level, dvs),))
        position: Position = empty_positions(1)[0]
        position.kind = codes.TRAINER if trainer.trainer_class else codes.WILD
        if in_safari and not trainer.trainer_class:
            position.kind, position.balls = codes.SAFARI, state.safari.balls
        position.trainer_class, position.seed = trainer.trainer_class, seed
        position.badges = sum(1 << bit for bit in state.player.badges)
        for at, stack in enumerate(state.bag.items[: codes.BAG]):
            position.bag_items[at], position.bag_counts[at] = stack
        put_team(position.sides[codes.OURS], state.party, tables, state.player.player_id)
        put_team(position.sides[codes.THEIRS], foes, tables)
        start_battle(position, tables)
        return cls(dex, position, state.party, foes, trainer)

    @classmethod
    def restore(
        cls, dex: Dex, state: State, position: bytes, data: Mapping[str, Any]
    ) -> "ModelBattle":
        """Return the battle that RAM shows in `state`, with the position and the rest that was saved."""
        battle = state.battle
        assert battle is not None
        foes = battle.enemy_party if battle.is_trainer else Party((wild_mon(battle),))
        trainer = Trainer(battle.trainer_class, battle.trainer_number, ())
        read = position_of(position)
        tried = TriedOrders(frozenset(), data["balls"], frozenset(data["used"]))
        return cls(dex, read, state.party, foes, trainer, data["turns"], tried)

    def to_json(self) -> dict[str, Json]:
        """Return what neither RAM nor the position holds."""
        return {"turns": self.turns, "balls": self.tried.balls, "used": sorted(self.tried.used)}

    def show(self, ram: GameRam) -> None:
        """Write the battle into RAM as it is when the player can choose."""
        opponent = self.trainer.trainer_class, self.trainer.number
        put_position(ram, self.position, self.party, self.foes, opponent)

    def play(self, order: Order, commander: Commander, ram: GameRam, look: Look) -> bool:
        """Play one turn by an order, and replacements after it; return whether the battle goes on."""
        tables, position = tables_of(self.dex), self.position
        before = [int(each.level) for each in position.sides[codes.OURS].team]
        foe_out = int(position.sides[codes.THEIRS].out)
        used = self._used(order)
        outcome = play_turn(position, self._choice(order), codes.DECIDES, tables)
        self.turns += 1
        thrown = self.tried.balls + isinstance(order, Throw)
        self.tried = TriedOrders(frozenset(), thrown, self.tried.used | used)
        self.show(ram)
        self._learn(before, commander, ram, look)
        if outcome == codes.WE_SEND:
            if position.kind == codes.WILD and not commander.fights_on(look()):
                outcome = run_instead(position)
            if outcome == codes.WE_SEND or position.outcome == codes.WE_SEND:
                position.outcome = codes.WE_SEND
                place = commander.next_mon(look())
                if not position.sides[codes.OURS].team[place].hp:
                    place = next_member(position, codes.OURS)
                outcome = send(position, codes.OURS, place, tables)
        elif outcome == codes.GOES_ON and int(position.sides[codes.THEIRS].out) != foe_out:
            self._change(commander, look)
        self.show(ram)
        return outcome == codes.GOES_ON

    def end(self, ram: GameRam, commander: Commander, look: Look) -> Ended:
        """End the battle: write it into RAM, let the team evolve, and return what it brought."""
        position, tables = self.position, tables_of(self.dex)
        outcome = int(position.outcome)
        keep(position, codes.OURS)
        ours = position.sides[codes.OURS]
        if outcome != codes.LOST:
            before = [int(each.level) - 1 for each in ours.team]
            evolved = evolve(position, tables)
            if evolved:
                self._learn(before, commander, ram, look)
        mons = [self._after(mon, at) for at, mon in enumerate(self.party.mons)]
        self.party = Party(tuple(mons))
        ram.put_party(mons)
        end_battle(ram, RESULTS.get(outcome, BattleResult.LEFT).value)
        caught = None
        if outcome == codes.CAUGHT:
            caught = with_member(self.foes[0], position.sides[codes.THEIRS], 0)
        return Ended(outcome, self.party, self._prize() if outcome == codes.WON else 0, caught)

    def _prize(self) -> int:
        """Return the money that winning brings: the trainer's, and the coins of Pay Day."""
        trainer, coins = self.trainer, int(self.position.pay_day)
        if not trainer.trainer_class:
            return coins
        return coins + self.dex.trainer(trainer.trainer_class).prize(trainer.number)

    def _after(self, mon: PartyMon, at: int) -> PartyMon:
        now = with_member(mon, self.position.sides[codes.OURS], at)
        if now.species == mon.species:
            return now
        old, new = self.dex.species(mon.species), self.dex.species(now.species)
        named = new.name if mon.nickname == old.name else mon.nickname
        return replace(now, types=new.types, nickname=named)

    def _choice(self, order: Order) -> int:
        legal = legal_choices(self.position, codes.OURS)
        match order:
            case Attack(slot):
                forced = [each for each in legal if each in (codes.GO_ON, codes.STRUGGLES)]
                copies = [each for each in legal if (each - codes.MIMIC_ONE) // SLOTS == slot]
                mimics = [each for each in copies if codes.MIMIC_ONE <= each < codes.ITEM]
                return int([*forced, *mimics, slot][0])
            case Switch(place):
                return codes.SWITCH + place
            case Flee():
                return codes.RUN
            case UseItem(item, place):
                return codes.choice_of_item(item, place or 0)
            case Throw(ball):
                return codes.choice_of_item(ball)

    def _used(self, order: Order) -> frozenset[int]:
        own = self.position.sides[codes.OURS]
        if isinstance(order, Attack) and order.slot < SLOTS and own.moves[order.slot]:
            return frozenset({int(own.moves[order.slot])})
        return frozenset()

    def _change(self, commander: Commander, look: Look) -> None:
        """Let the player change before the trainer's next Pokemon, which costs no turn."""
        place = commander.change(look())
        if place is not None and place != int(self.position.sides[codes.OURS].out):
            send_out(self.position, codes.OURS, place, tables_of(self.dex))

    def _learn(self, before: list[int], commander: Commander, ram: GameRam, look: Look) -> None:
        """Ask which move to forget for each move of a new level that found no free place."""
        ours = self.position.sides[codes.OURS]
        for place in range(int(ours.count)):
            member = ours.team[place]
            for move in self._missed(member, before[place]):
                ram.put_offer(MoveOffer(place, move))
                slot = commander.forget(look())
                if slot is None:
                    continue
                member.moves[slot] = move
                member.pp[slot] = member.max_pp[slot] = self.dex.move(move).pp
                if place == ours.out and not ours.volatile & codes.TRANSFORMED:
                    ours.moves[slot], ours.pp[slot] = member.moves[slot], member.pp[slot]

    def _missed(self, member: "np.record", before: int) -> Iterator[int]:
        if member.level == before:
            return
        for lesson in self.dex.species(int(member.species)).level_up_moves:
            if lesson.level == member.level and lesson.move not in member.moves:
                yield lesson.move
