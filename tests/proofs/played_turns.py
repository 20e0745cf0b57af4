"""Battle turns that a cartridge has played, read from its states: the position, what was ordered, and what came of it.

A turn is all that happens from one opening of the battle menu to the next, or to the end of the battle.
"""

from dataclasses import dataclass, field, replace
from typing import Final

from agent.battle.odds import position_in, tables_of
from agent.skills.fight import BAG, FIGHT, RUN, TEAM
from emulator import BattleResult, Dex, Phase, State
from emulator.engine.choices import legal_choices
from emulator.engine.items import needs_member
from emulator.engine.stages import keep
from emulator.ram.battle import BattleType
from emulator.ram.battle_mon import BattleMon
from emulator.rules import codes, effects
from emulator.rules.codes import OURS, THEIRS, choice_of_item
from emulator.rules.position import Position

NO_CHANGE: Final = -1
UNKNOWN: Final = -2  # the order cannot be determined
LEFT: Final = (codes.RAN, codes.CAUGHT, codes.FOE_LEFT)
OUTCOMES: Final = {
    BattleResult.WON: (codes.WON,),
    BattleResult.LOST: (codes.LOST,),
    BattleResult.LEFT: LEFT,
}
# The foe chooses more than once before the next menu opens.
GO_ON_BY_THEMSELVES: Final = (
    *(effects.CHARGE, effects.FLY, effects.THRASH, effects.HYPER_BEAM, effects.RAGE),
    *(effects.METRONOME, effects.MIRROR_MOVE),
)


@dataclass(frozen=True)
class PlayedTurn:
    """A turn: the position before, our choice and the slot of the foe's (DECIDES if several or unknown), and after.

    `sent` are the places of those who replaced a fainted Pokemon of ours, `changed` the one that came before the
    trainer's next. `ends` are the outcomes that fit what the game says, none while the battle goes on; then `after`
    has the teams and the bag only.
    """

    before: Position
    choice: int
    foe_slot: int
    sent: tuple[int, ...]
    changed: int
    after: Position
    ends: tuple[int, ...]

    @property
    def move(self) -> int:
        """The number of the move that we chose, or 0."""
        ours = self.before.sides[OURS]
        return int(ours.moves[self.choice]) if 0 <= self.choice < codes.SLOTS else 0

    @property
    def foe_move(self) -> int:
        """The number of the move that the foe chose, or 0."""
        return int(self.before.sides[THEIRS].moves[self.foe_slot]) if self.foe_slot >= 0 else 0

    @property
    def may_be_healed(self) -> bool:
        """Whether all of ours have full HP after the end: a team is healed after a defeat, or by the story."""
        ours = self.after.sides[OURS]
        full = [ours.team[at].hp == ours.team[at].max_hp for at in range(ours.count)]
        return bool(self.ends) and all(full)


@dataclass
class TurnWatcher:
    """Collects the turns of the battles in a sequence of states: all of a game, or of one battle, in order."""

    dex: Dex
    turns: list[PlayedTurn] = field(default_factory=list)
    _before: State | None = None
    _last: State | None = None  # with both sides in battle
    _entry: int = FIGHT
    _slot: int | None = None
    _member: int = 0
    _selected: int = 0
    _positions: list[tuple[int, bool]] = field(default_factory=list)

    def see(self, state: State) -> None:
        """Take the next state."""
        battle = state.battle
        if battle is None or not state.in_battle:
            self._close(state, ended=True)
            self._before = None
        elif battle.phase is Phase.MAIN_MENU and battle.type is BattleType.NORMAL:
            self._at_menu(state)
        elif self._before is not None:
            self._on_the_way(state)

    def _at_menu(self, state: State) -> None:
        if self._last is not None:
            self._close(state, ended=False)
        self._before, self._last, self._slot, self._member = state, None, None, 0
        self._positions = []
        if state.menu is not None:
            self._entry = state.menu.index

    def _on_the_way(self, state: State) -> None:
        battle, menu, before = state.battle, state.menu, self._last or self._before
        if battle is None or battle.own is None or battle.enemy is None or before is None:
            return
        if menu is not None and battle.phase is Phase.MOVE_MENU:
            self._slot = menu.index
        if menu is not None and battle.phase is Phase.PARTY and battle.own.hp:
            self._member = menu.index
        was = before.battle.own if before.battle is not None else None
        if was is not None and was.position != battle.own.position:
            self._positions.append((battle.own.position, was.hp > 0))
        self._note_selected(state)
        self._last = state

    def _note_selected(self, state: State) -> None:
        """Note the foe's move while the foe is the one that chose it."""
        first, foe = self._before, _enemy(state)
        met = _enemy(first) if first is not None else None
        if foe is None or met is None or foe.position != met.position or state.battle is None:
            return
        self._selected = state.battle.enemy_move or 0

    def _close(self, state: State, *, ended: bool) -> None:
        first, last = self._before, self._last
        if first is None or last is None:
            return
        before = position_in(self.dex, first)
        if before is None:
            return
        choice = self._choice(before, first, state)
        after = self._after(last, state, ended=ended)
        if choice == UNKNOWN or after is None:
            return
        self._note_selected(state)
        result = state.battle_result
        ends = OUTCOMES[result] if ended and result is not None else ()
        arrived = self._positions[codes.SWITCH <= choice < codes.RUN :]
        self.turns.append(
            PlayedTurn(
                before=before,
                choice=choice,
                foe_slot=self._foe_slot(before, choice),
                sent=tuple([place for place, alive in arrived if not alive]),
                changed=next((place for place, alive in arrived if alive), NO_CHANGE),
                after=after,
                ends=ends,
            )
        )

    def _choice(self, before: Position, first: State, state: State) -> int:
        legal = [int(each) for each in legal_choices(before, OURS)]
        choice = UNKNOWN
        if self._entry == FIGHT:
            instead = [each for each in legal if each in (codes.GO_ON, codes.STRUGGLES)]
            choice = instead[0] if instead else UNKNOWN if self._slot is None else self._slot
        elif self._entry == BAG:
            used = [
                each.item
                for each in first.bag.items
                if state.bag.quantity(each.item) < each.quantity
            ]
            if used:
                choice = choice_of_item(used[0], self._member if needs_member(used[0]) else 0)
        elif self._entry == TEAM:
            choice = codes.SWITCH + self._positions[0][0] if self._positions else UNKNOWN
        elif self._entry == RUN:
            choice = codes.RUN
        return choice if choice in legal else UNKNOWN

    def _foe_slot(self, before: Position, choice: int) -> int:
        ours, foe = before.sides[OURS], before.sides[THEIRS]
        if 0 <= choice < codes.SLOTS:
            effect = tables_of(self.dex).moves[ours.moves[choice]].effect
            if effect in GO_ON_BY_THEMSELVES:
                return codes.DECIDES
        slots = [slot for slot in range(codes.SLOTS) if foe.moves[slot] == self._selected]
        return slots[0] if slots and self._selected else codes.DECIDES

    def _after(self, last: State, state: State, *, ended: bool) -> Position | None:
        battle = last.battle
        if not ended:
            after = position_in(self.dex, state)
        elif battle is not None and battle.own is not None:
            mon = state.party[battle.own.position]
            own = replace(battle.own, hp=mon.hp, status=mon.status)
            after = position_in(self.dex, replace(state, battle=replace(battle, own=own)))
        else:
            after = None
        if after is not None:
            keep(after, OURS)
            keep(after, THEIRS)
        return after


def _enemy(state: State) -> BattleMon | None:
    return state.battle.enemy if state.battle is not None else None
