"""Battles followed from tick to tick in RAM, each reported as one record when it ends."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from agent.perception.percept import Percept
from agent.skills import BALLS
from emulator import Battle, BattleMon, BattleResult, Dex, Phase, State
from memory import BattleRecord, Call, Json
from memory.codec import SavedAttributes
from memory.tiers import StrategistMemory

OUTCOMES: Final = {
    BattleResult.WON: "victory",
    BattleResult.LOST: "defeat",
    BattleResult.LEFT: "runaway",
}
SIDES: Final = ("enemy_pokemon", "enemy_level", "player_pokemon", "player_level")
MOST_DECISIONS: Final = 8  # in the record of one battle


@dataclass(slots=True)
class OngoingBattle:
    """An ongoing battle up to the last tick; `own` and `own_level` are the Pokemon it began with.

    `fighters` are the own ones that were out, in order, and `moves` what each has used, by its place in the team, with
    the `pp` left.
    `enemies` lists the enemies seen, in order; `enemy_level` is their highest level. HP are those of the last menu:
    before what is chosen there. `place` is where it began; `opponent` is the trainer, or empty in a wild battle.
    """

    start: int
    enemies: list[str]
    enemy_level: int
    own: str
    own_level: int
    active: str
    first: int  # place in the team of the one that it began with
    position: int
    bag: list[list[int]]
    money: int = 0
    turns: int = 0
    fighters: list[str] = field(default_factory=list)
    moves: dict[str, list[str]] = field(default_factory=dict)
    pp: dict[str, dict[str, int]] = field(default_factory=dict)
    items: list[str] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)
    hp_percent: float = 100.0
    enemy_hp_percent: float = 100.0
    hp_chosen: float = 100.0
    enemy_hp_chosen: float = 100.0
    asked: bool = False  # whether the battle menu was open at the last tick
    team_hp: int = 0  # percent of the team's HP at the first menu
    place: str = ""
    opponent: str = ""
    thrown: bool = False  # whether the last item used this turn was a ball

    def decide(self, words: str) -> None:
        """Add a decision, up to `MOST_DECISIONS`."""
        if len(self.decisions) < MOST_DECISIONS:
            self.decisions.append(words)

    @property
    def finisher_moves(self) -> list[str]:
        """What the one that is out has used."""
        return self.moves.get(str(self.position), [])


class BattleWatch(SavedAttributes):
    """Follows the ongoing battle and counts finished ones; part of a checkpoint.

    `beaten` is the money at the start of the last battle, if it was lost and its cost is not known yet.
    `around` adds to the last record: the place, the trainer, all own Pokemon that fought, the one that was out at the end
    and its moves, what the battle cost the team in percent of its HP, and the money won.
    """

    SAVED = ("battles", "turns", "lost", "beaten", "around", "_blackouts")

    def __init__(self, dex: Dex, place_of: Callable[[State], str]) -> None:
        self.battles = self.turns = self.lost = 0  # of the whole run
        self.beaten: int | None = None
        self.around: dict[str, Any] = {}
        self._blackouts: list[dict[str, Json]] = []
        self._dex = dex
        self._place_of = place_of
        self._fight: OngoingBattle | None = None

    def observe(self, percept: Percept) -> BattleRecord | None:
        """Update from one percept; return the record of the battle that ended with it, or None."""
        state, fight = percept.state, self._fight
        if state.battle is not None and state.in_battle:
            self._follow(state.battle, state, percept.tick)
            return None
        if fight is None:
            if self.beaten is not None and state.in_control:
                self._record_blackout(percept, self.beaten)
            return None
        self._fight = None
        record = _record(fight, state, percept.tick)
        self.around = {
            "location": fight.place,
            "opponent": fight.opponent,
            "fighters": fight.fighters,
            "finisher": fight.active,
            "finisher_moves": fight.finisher_moves,
            **{name: getattr(record, name) for name in SIDES},
            # After a defeat the team is healed before the player has control again.
            "hp_lost": max(
                0, fight.team_hp - (0 if record.outcome == "defeat" else team_hp(state))
            ),
            "money": max(0, state.player.money - fight.money),
        }
        self.battles += 1
        self.turns += record.turns_taken
        self.lost += record.outcome == "defeat"
        self.beaten = fight.money if record.outcome == "defeat" else None
        return record

    def record(self, strategist: StrategistMemory, _call: Call, percept: Percept) -> None:
        """Update from one percept, and store the record of the battle that ended with it."""
        record = self.observe(percept)
        if record is None:
            return
        around = self.around
        names = ("location", "opponent", "hp_lost", "money")
        more: dict[str, Json] = {name: around[name] for name in names if around[name]}
        if len(around["fighters"]) > 1:
            more |= {name: around[name] for name in ("fighters", "finisher", "finisher_moves")}
        strategist.record_battle(record, **more)

    def explain(self, why: str) -> None:
        """Record why an order was given."""
        if self._fight is not None:
            self._fight.decide(why)

    def to_json(self) -> dict[str, Json]:
        """Return the ongoing battle and the counts."""
        fight = asdict(self._fight) if self._fight is not None else None
        return {**super().to_json(), "fight": fight}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Restore what `to_json` returned."""
        super().restore(data)
        self._fight = OngoingBattle(**data["fight"]) if data["fight"] is not None else None

    def take_blackouts(self) -> list[dict[str, Json]]:
        """Return the defeats that cost money since the last call."""
        taken, self._blackouts = self._blackouts, []
        return taken

    def _record_blackout(self, percept: Percept, money_before: int) -> None:
        """Record the cost of a defeat, once the player has control again."""
        self.beaten, state = None, percept.state
        cost, around = money_before - state.player.money, self.around
        if cost > 0:
            blackout: dict[str, Json] = {
                "tick": percept.tick,
                "place": around["location"],
                "subject": around["opponent"] or around["enemy_pokemon"],
                "cost": cost,
                **{name: around[name] for name in SIDES},
                "woke_in": self._place_of(state),
            }
            self._blackouts.append(blackout)

    def _follow(self, battle: Battle, state: State, tick: int) -> None:
        own, enemy = battle.own, battle.enemy
        if own is None or enemy is None:
            return  # no Pokemon is out yet
        asked = battle.phase is Phase.MAIN_MENU
        fight = self._fight
        if fight is None:
            if not asked:
                return  # until the first menu RAM may still hold the last enemy
            fight = self._fight = self._begun(battle, own, enemy, state, tick)
        other = self._name(enemy)
        if other not in fight.enemies:
            fight.enemies.append(other)
        fight.enemy_level = max(fight.enemy_level, enemy.level)
        self._note_items(fight, state)
        if own.position != fight.position:
            self._note_change(fight, own, other)
        if asked and not fight.asked:
            fight.turns += 1
            fight.thrown = False
        fight.asked = asked
        fight.hp_percent = _percent(own)
        fight.enemy_hp_percent = _percent(enemy)
        if asked:
            fight.hp_chosen, fight.enemy_hp_chosen = fight.hp_percent, fight.enemy_hp_percent
        self._note_moves(fight, own)

    def _note_moves(self, fight: OngoingBattle, own: BattleMon) -> None:
        # A move that cost no PP was chosen but not used.
        left = fight.pp.setdefault(str(own.position), {})
        used = fight.moves.setdefault(str(own.position), [])
        for slot in own.moves:
            move = self._dex.all_moves.get(slot.move)
            if move is None:
                continue
            if slot.pp < left.get(move.name, slot.pp) and move.name not in used:
                used.append(move.name)
            left[move.name] = slot.pp

    def _begun(
        self, battle: Battle, own: BattleMon, enemy: BattleMon, state: State, tick: int
    ) -> OngoingBattle:
        name, trainer = self._name(own), (battle.trainer_class, battle.trainer_number)
        return OngoingBattle(
            start=tick,
            enemies=[self._name(enemy)],
            enemy_level=enemy.level,
            own=name,
            own_level=own.level,
            active=name,
            first=own.position,
            position=own.position,
            fighters=[name],
            bag=_bag(state),
            money=state.player.money,
            team_hp=team_hp(state),
            place=self._place_of(state),
            opponent=self._dex.opponent(*trainer) if battle.is_trainer else "",
        )

    def _note_items(self, fight: OngoingBattle, state: State) -> None:
        bag = _bag(state)
        if bag == fight.bag:
            return
        for number in dict.fromkeys(item for item, _ in fight.bag):
            before = sum(quantity for item, quantity in fight.bag if item == number)
            if state.bag.quantity(number) >= before:
                continue
            name = self._dex.item_name(number)
            fight.items.append(name)
            fight.thrown = number in BALLS
            if fight.thrown:
                fight.decide(f"{name} at {fight.enemies[-1]} with {fight.enemy_hp_chosen:.0f}% HP")
            else:
                fight.decide(f"{name} when {fight.active} had {fight.hp_chosen:.0f}% HP")
        fight.bag = bag

    def _note_change(self, fight: OngoingBattle, own: BattleMon, other: str) -> None:
        name = self._name(own)
        if fight.hp_percent:
            fight.decide(f"{fight.active} at {fight.hp_percent:.0f}% HP back for {name}: {other}")
        else:
            fight.decide(f"{name} against {other} after {fight.active} fell")
        fight.active, fight.position = name, own.position
        fight.fighters.append(name)

    def _name(self, mon: BattleMon) -> str:
        species = self._dex.all_species.get(mon.species)
        return species.name if species is not None else mon.nickname


def team_hp(state: State) -> int:
    """Return the HP of the team in percent."""
    most = sum(mon.stats.hp for mon in state.party.mons)
    return round(100 * sum(mon.hp for mon in state.party.mons) / most) if most else 0


def _percent(mon: BattleMon) -> float:
    return round(100 * mon.hp / mon.max_hp, 1)


def _bag(state: State) -> list[list[int]]:
    return [[item, quantity] for item, quantity in state.bag.items]


def _record(fight: OngoingBattle, state: State, tick: int) -> BattleRecord:
    result = state.battle_result
    outcome = OUTCOMES[result] if result is not None else "runaway"
    if outcome == "runaway":
        if fight.thrown:
            outcome = "catch"
        else:
            fight.decide(f"left {fight.enemies[-1]} with {fight.hp_percent:.0f}% HP")
    enemies = ", ".join(fight.enemies)
    return BattleRecord(
        battle_id=f"{fight.start}:{enemies}",
        start_tick=fight.start,
        end_tick=tick,
        enemy_pokemon=enemies,
        enemy_level=fight.enemy_level,
        player_pokemon=fight.own,
        player_level=fight.own_level,
        outcome=outcome,
        turns_taken=fight.turns,
        player_hp_remaining=fight.hp_percent,
        moves_used=tuple(fight.moves.get(str(fight.first), [])),
        items_used=tuple(fight.items),
        key_decisions=tuple(fight.decisions),
    )
