"""Following battles from tick to tick, so that each can be told as one record when it is over."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from agent.perception import Percept
from emulator import Battle, BattleMon, BattleResult, Dex, Phase, State
from memory import BattleRecord, Json

OUTCOMES: Final = {
    BattleResult.WON: "victory",
    BattleResult.LOST: "defeat",
    BattleResult.LEFT: "runaway",
}


@dataclass(slots=True)
class Fight:
    """A battle under way, as far as it went; the mons are those it began with."""

    start: int
    enemy: str
    enemy_level: int
    own: str
    own_level: int
    turns: int = 0
    moves: list[str] = field(default_factory=list)
    hp_percent: float = 100.0
    asked: bool = False  # whether the last tick was one at which the battle menu waited


class BattleWatch:
    """Follows the battle under way; part of a checkpoint."""

    def __init__(self, dex: Dex) -> None:
        self._dex = dex
        self._fight: Fight | None = None

    def saw(self, percept: Percept) -> BattleRecord | None:
        """Take note of one moment, and return the battle that ended with it, if one did."""
        state, fight = percept.state, self._fight
        if state.battle is not None and state.in_battle:
            self._follow(state.battle, percept.tick)
            return None
        if fight is None:
            return None
        self._fight = None
        return _record(fight, state, percept.tick)

    def to_json(self) -> dict[str, Json]:
        """Return the battle under way."""
        return {"fight": asdict(self._fight) if self._fight is not None else None}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Take over what `to_json` returned."""
        self._fight = Fight(**data["fight"]) if data["fight"] is not None else None

    def _follow(self, battle: Battle, tick: int) -> None:
        own, enemy = battle.own, battle.enemy
        if own is None or enemy is None:
            return  # nobody is out yet
        fight = self._fight
        if fight is None:
            other, name = self._name(enemy), self._name(own)
            fight = self._fight = Fight(tick, other, enemy.level, name, own.level)
        asked = battle.phase is Phase.MAIN_MENU
        if asked and not fight.asked:
            fight.turns += 1
        fight.asked = asked
        fight.hp_percent = round(100 * own.hp / own.max_hp, 1)
        if battle.phase is Phase.BUSY and battle.own_move is not None:
            move = self._dex.all_moves.get(battle.own_move)
            if move is not None and move.name not in fight.moves:
                fight.moves.append(move.name)

    def _name(self, mon: BattleMon) -> str:
        species = self._dex.all_species.get(mon.species)
        return species.name if species is not None else mon.nickname


def _record(fight: Fight, state: State, tick: int) -> BattleRecord:
    result = state.battle_result
    return BattleRecord(
        battle_id=f"{fight.start}:{fight.enemy}",
        start_tick=fight.start,
        end_tick=tick,
        enemy_pokemon=fight.enemy,
        enemy_level=fight.enemy_level,
        player_pokemon=fight.own,
        player_level=fight.own_level,
        outcome=OUTCOMES[result] if result is not None else "runaway",
        turns_taken=fight.turns,
        player_hp_remaining=fight.hp_percent,
        moves_used=tuple(fight.moves),
        items_used=(),
        key_decisions=(),
    )
