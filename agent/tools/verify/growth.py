"""Facts about growth: experience and levels, money won and paid, and healing."""

from typing import Final

from agent.tools.verify.fact import IN_BATTLE, FactWatcher
from emulator import BattleKind, BattleResult, Button, MenuKind, Party, PartyMon, Ram, State, symbol
from emulator.ram import ENEMY, read_battle_mon, read_menu, read_party
from emulator.rules import experience_gained, stats_of

FOUGHT: Final = symbol("wPartyGainExpFlags")
PLAYER_ID: Final = symbol("wPlayerID")
MONS: Final = symbol("wPartyMons")
EXPERIENCE: Final = MONS + 14
MON_SIZE: Final = 44
BAG: Final = symbol("wBagItems")
EXP_ALL: Final = 0x4B
TRAINERS: Final = 2
FIGHTS: Final = (1, 2)
SETTLED: Final = 6  # frames after which all numbers of a change are written
HIGHEST: Final = 100
# Frames without a change after which a new level is complete: the game computes square roots slowly.
STILL: Final = 10
LONGEST: Final = 120  # maximum frames to wait for that


class ExperienceWatcher(FactWatcher):
    """Checks the team whenever a member's experience changes in battle."""

    # A change is not written in one frame, so it is compared with RAM some frames earlier.
    _earlier: tuple[Ram, ...] = ()
    _before: Ram | None = None
    _due = 0

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Detect a change of experience, and check it a few frames later."""
        if now.byte(IN_BATTLE) not in FIGHTS or before.byte(IN_BATTLE) not in FIGHTS:
            self._earlier, self._before = (), None
            return
        self._earlier = (*self._earlier, before)[-SETTLED:]
        if self._before is None:
            if _experience(before) != _experience(now):
                self._before, self._due = self._earlier[0], SETTLED
            return
        self._due -= 1
        if not self._due:
            self._look(self._before, now, number)
            self._earlier, self._before = (), None

    def _look(self, before: Ram, now: Ram, number: int) -> None:
        old, new = read_party(before), read_party(now)
        fallen = read_battle_mon(before, ENEMY, 0)
        shared_by = before.byte(FOUGHT).bit_count()
        if len(old) != len(new) or fallen is None or not shared_by:
            return
        species = self.dex.all_species.get(fallen.species)
        if species is None or fallen.transformed or EXP_ALL in before.span(BAG, 40)[::2]:
            return
        for mon, grown in zip(old.mons, new.mons, strict=True):
            gained = grown.exp - mon.exp
            if not gained or mon.level == HIGHEST:
                continue
            wanted = experience_gained(
                species.base_experience,
                fallen.level,
                shared_by=shared_by,
                trainer=before.byte(IN_BATTLE) == TRAINERS,
                traded=mon.ot_id != int.from_bytes(before.span(PLAYER_ID, 2), "big"),
            )
            seen = None if gained == wanted else f"{gained} instead of {wanted}"
            self.log.record("battles.experience", seen, now, number)
            given = tuple(g - m for g, m in zip(grown.stat_exp, mon.stat_exp, strict=True))
            due = tuple(each // shared_by for each in species.base)
            if max(grown.stat_exp) < 0xFFFF:
                wrong = None if given == due else f"{given} instead of {due}"
                self.log.record("battles.stat_experience", wrong, now, number)


class LevelWatcher(FactWatcher):
    """Checks the team shortly after a member's level has changed."""

    _before: Party | None = None
    _still = 0
    _waited = 0

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Detect a new level, and check its stats once all of them are written."""
        if now.byte(IN_BATTLE) not in FIGHTS:
            self._before = None
        elif self._before is None:
            if _levels(before) != _levels(now):
                self._before, self._still, self._waited = read_party(before), 0, 0
        else:
            self._waited += 1
            self._still = self._still + 1 if _mons(before) == _mons(now) else 0
            if self._still == STILL or self._waited == LONGEST:
                self._look(self._before, read_party(now), now, number)
                self._before = None

    def _look(self, old: Party, new: Party, now: Ram, number: int) -> None:
        if [mon.species for mon in old.mons] != [mon.species for mon in new.mons]:
            return
        for mon, grown in zip(old.mons, new.mons, strict=True):
            if mon.level != grown.level:
                self.log.record("battles.level_up", self._wrong(mon, grown), now, number)

    def _wrong(self, mon: PartyMon, grown: PartyMon) -> str | None:
        known = self.dex.all_species.get(grown.species)
        if known is None:
            return None
        wanted = stats_of(known.base, grown.dvs, grown.level, grown.stat_exp)
        if grown.stats != wanted:
            return f"stats {tuple(grown.stats)} at level {grown.level}, not {tuple(wanted)}"
        hp = mon.hp + grown.stats.hp - mon.stats.hp
        return None if grown.hp == hp else f"{grown.hp} HP where {hp} are expected"


def _experience(ram: Ram) -> tuple[bytes, ...]:
    return tuple([ram.span(EXPERIENCE + MON_SIZE * n, 3) for n in range(6)])


def _mons(ram: Ram) -> bytes:
    return ram.span(MONS, 6 * MON_SIZE)


def _levels(ram: Ram) -> tuple[int, ...]:
    return tuple([ram.byte(EXPERIENCE + 19 + MON_SIZE * n) for n in range(6)])


MOST: Final = 999_999


class MoneyWatcher(FactWatcher):
    """Checks changes of money from step to step."""

    _last: State | None = None
    _fought: State | None = None  # the last step of a trainer battle
    _money_before = 0  # at the start of that battle
    _lost: State | None = None

    def after_step(self, state: State) -> None:
        """Check what has changed since the last step."""
        last, self._last = self._last, state
        if last is None or not state.game_started:
            return
        battle = state.battle
        if battle is not None:
            if last.battle is None:
                self._money_before = last.player.money
            if battle.kind is BattleKind.TRAINER:
                self._fought = state
            elif battle.kind is BattleKind.LOST:
                self._lost = self._lost or last
            return
        if self._fought is not None and last.battle is not None:
            if state.battle_result is BattleResult.WON:
                self._won(self._fought, state)
            self._fought = None
        elif state.player.money < last.player.money and self._lost is None:
            self._paid(last, state)
        self._black_out(state)

    def _won(self, fought: State, state: State) -> None:
        battle = fought.battle
        if battle is None or battle.trainer_class not in self.dex.all_trainers:
            return
        known = self.dex.all_trainers[battle.trainer_class]
        if battle.trainer_number not in range(1, len(known.teams) + 1):
            return
        wanted = min(known.prize(battle.trainer_number), MOST - self._money_before)
        won = state.player.money - self._money_before
        seen = None if won == wanted else f"{won} from class {battle.trainer_class}, not {wanted}"
        self.log.record("money.prize", seen, state.ram, state.frame)

    def _paid(self, last: State, state: State) -> None:
        had = dict(last.bag.items)
        more = [(i, q - had.get(i, 0)) for i, q in state.bag.items if q > had.get(i, 0)]
        if len(more) != 1 or more[0][0] not in self.dex.all_items:
            return  # a fee, or a PC deposit
        item, quantity = more[0]
        wanted = self.dex.all_items[item].price * quantity
        paid = last.player.money - state.player.money
        if paid == self.dex.vending.get(item):
            return  # a vending machine has its own prices
        seen = None if paid == wanted else f"{paid} for {quantity} of item {item}, not {wanted}"
        self.log.record("money.price", seen, state.ram, state.frame)

    def _black_out(self, state: State) -> None:
        if self._lost is None or not state.in_control:
            return
        had, left = self._lost.player.money, state.player.money
        self._lost = None
        if state.map.map_id != state.flags.blackout_map:
            return  # the first battle of the story, whose loss costs nothing
        seen = None if left == had // 2 else f"{left} were left of {had}"
        self.log.record("money.blackout", seen, state.ram, state.frame)


OFFERED: Final = MenuKind.PRICED_ITEMS
STOCK: Final = symbol("wItemList")
MOST_ITEMS: Final = 14


class StockWatcher(FactWatcher):
    """Checks what a shop offers when its list opens."""

    _is_open = False

    def after_step(self, state: State) -> None:
        """Compare the list with those of the clerks on the map."""
        menu, map_id = state.menu, state.map.map_id
        was_open, self._is_open = self._is_open, menu is not None and menu.kind is OFFERED
        shops = self.world.map(map_id).header.shops if map_id in self.world.map_ids else ()
        if was_open or not self._is_open or not shops:
            return  # a script of its own fills the list where no clerk of the map has one
        count = min(state.ram.byte(STOCK), MOST_ITEMS)
        listed = tuple(state.ram.span(STOCK + 1, count))
        wrong = f"items {listed}, and the clerks' lists are {[each.items for each in shops]}"
        is_known = any(listed == each.items[:MOST_ITEMS] for each in shops)
        self.log.record("money.stock", None if is_known else wrong, state.ram, state.frame)


BLACKOUT_MAP: Final = symbol("wLastBlackoutMap")
LAST_MAP: Final = symbol("wLastMap")
TOP_X: Final = symbol("wTopMenuItemX")
NURSE_X: Final = 12
HEALTHY: Final = (0, False, False, False, False)


class HealingWatcher(FactWatcher):
    """Records that HEAL was chosen, and checks the team when the player can move again."""

    _chose_heal = False

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Detect whether A chooses HEAL."""
        if button is not Button.A or now.byte(TOP_X) != NURSE_X:
            return
        menu = read_menu(before)
        if menu is not None and menu.kind is MenuKind.NURSE:
            self._chose_heal = menu.current == 0

    def after_step(self, state: State) -> None:
        """Check the team."""
        if not self._chose_heal or not state.in_control:
            return
        self._chose_heal = False
        checks = {
            "healing.hp": _hp_problem(state),
            "healing.pp": self._pp_problem(state),
            "healing.home": _blackout_map_problem(state),
        }
        self.log.record_all(checks, state.ram, state.frame)

    def _pp_problem(self, state: State) -> str | None:
        for mon in state.party.mons:
            for move in mon.moves:
                maximum = self.max_pp(move)
                if move.pp != maximum:
                    return f"move {move.move} with {move.pp} of {maximum} PP"
        return None


def _hp_problem(state: State) -> str | None:
    for mon in state.party.mons:
        if mon.hp != mon.stats.hp or tuple(mon.status) != HEALTHY:
            return f"{mon.hp} of {mon.stats.hp} HP, status {tuple(mon.status)}"
    return None


def _blackout_map_problem(state: State) -> str | None:
    home, last = state.ram.byte(BLACKOUT_MAP), state.ram.byte(LAST_MAP)
    return None if home == last else f"wLastBlackoutMap is {home}, wLastMap is {last}"
