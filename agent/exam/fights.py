"""Following the fights of a recorded game by RAM alone, without what memory makes of them."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from agent.capabilities import Story
from emulator import Battle, BattleResult, Dex, Phase, State


class Outcome(Enum):
    """How a fight ended."""

    WON = "won"
    LOST = "lost"
    FLED = "fled"
    CAUGHT = "caught"


_RESULTS: Final = {BattleResult.WON: Outcome.WON, BattleResult.LOST: Outcome.LOST}


@dataclass(frozen=True, slots=True)
class Fight:
    """One fight; `own` and `own_level` are who began it, `finisher` who was out in the end.

    `enemies` are the species that came out, `opponent` the trainer who led them, or nothing. `moves` are those that
    cost PP, each once, in the order of their first use.
    """

    first_tick: int
    last_tick: int
    place: str
    opponent: str
    enemies: tuple[str, ...]
    own: str
    own_level: int
    finisher: str
    moves: tuple[str, ...]
    turns: int
    outcome: Outcome
    blacked_out: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Everybody who was met in it: the species, and the trainer if there was one."""
        return (*self.enemies, self.opponent) if self.opponent else self.enemies


@dataclass(slots=True)
class _Going:
    """A fight under way."""

    first_tick: int
    place: str
    money: int
    owned: int  # mons, in the team and the box
    last_tick: int = 0
    opponent: str = ""
    own: str = ""
    own_level: int = 0
    finisher: str = ""
    turns: int = 0
    asked: bool = False
    result: BattleResult | None = None
    enemies: dict[str, None] = field(default_factory=dict)
    moves: dict[str, None] = field(default_factory=dict)
    pp: dict[tuple[int, int], int] = field(default_factory=dict)


class FightWatch:
    """Gathers fights from states in their order; one is told when the player is free again, and what it cost is known."""

    def __init__(self, story: Story, dex: Dex) -> None:
        self.fights: list[Fight] = []
        self._story = story
        self._dex = dex
        self._going: _Going | None = None

    def saw(self, tick: int, state: State) -> None:
        """Take note of one state."""
        if not state.game_started:
            return
        battle = state.battle
        if battle is not None and state.in_battle:
            if self._going is not None and self._going.last_tick < tick - 1:
                self._tell(self._going, state)
            self._follow(tick, state, battle)
        elif self._going is not None:
            going = self._going
            if going.result is None:
                going.result = state.battle_result
            if state.in_control:
                self._tell(going, state)

    def finish(self, state: State) -> None:
        """Tell a fight whose aftermath the recording does not show."""
        if self._going is not None and self._going.result is not None:
            self._tell(self._going, state)

    def _follow(self, tick: int, state: State, battle: Battle) -> None:
        going = self._going
        if going is None:
            place, owned = self._story.place_of(state), len(state.party) + len(state.box)
            going = self._going = _Going(tick, place, state.player.money, owned)
        going.last_tick = tick
        asked = battle.phase is Phase.MAIN_MENU
        if not (asked or going.turns) or battle.own is None or battle.enemy is None:
            return  # until somebody is asked, RAM may still hold the fight before
        going.turns += asked and not going.asked
        going.asked = asked
        species = battle.enemy.species
        if battle.is_trainer:
            going.opponent = self._dex.opponent(battle.trainer_class, battle.trainer_number)
            species = battle.enemy_party.mons[battle.enemy.position].species
        going.enemies[self._dex.species(species).name] = None
        mon = state.party.mons[battle.own.position]
        going.finisher = self._dex.species(mon.species).name
        if not going.own:
            going.own, going.own_level = going.finisher, mon.level
        self._note_moves(going, battle)

    def _note_moves(self, going: _Going, battle: Battle) -> None:
        assert battle.own is not None
        for slot in battle.own.moves:
            at = (battle.own.position, slot.move)
            if slot.pp < going.pp.get(at, slot.pp):
                going.moves[self._dex.move(slot.move).name] = None
            going.pp[at] = slot.pp

    def _tell(self, going: _Going, state: State) -> None:
        self._going = None
        if not going.turns:
            return  # nobody was ever asked: there was nothing to fight
        grew = len(state.party) + len(state.box) > going.owned
        result = going.result
        left = Outcome.CAUGHT if grew else Outcome.FLED
        outcome = left if result is None else _RESULTS.get(result, left)
        lost = outcome is Outcome.LOST
        self.fights.append(
            Fight(
                first_tick=going.first_tick,
                last_tick=going.last_tick + 1,
                place=going.place,
                opponent=going.opponent,
                enemies=tuple(going.enemies),
                own=going.own,
                own_level=going.own_level,
                finisher=going.finisher,
                moves=tuple(going.moves),
                turns=going.turns,
                outcome=outcome,
                blacked_out=lost and state.player.money < going.money,
            )
        )
