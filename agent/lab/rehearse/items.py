"""Items in the model: trades with clerks, drinks, medicine and machines."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

from agent.lab.rehearse.costs import COSTS
from agent.lab.rehearse.game import ModelGame
from emulator import PartyMon
from emulator.engine import MAX_REVIVE, REVIVE, hp_restored, status_cured
from emulator.model import without
from emulator.ram import MoveSlot

SLOTS: Final = 4
REPELS: Final = {30: 100, 56: 200, 57: 250}  # Repel, Super Repel and Max Repel, with their steps


def stock_of(game: ModelGame, slot: int) -> tuple[int, ...]:
    """Return what the clerk in a sprite slot of the map sells."""
    story, here = game.story, game.here.map_id
    clerks = [each for each in story.clerks if story.place(each.place).map_id == here]
    own = [each.sells for each in clerks if each.person == slot and each.sells]
    shops = game.world.map(here).header.shops
    return own[0] if own else next((shop.items for shop in shops if shop.slot == slot), ())


def buy_from(game: ModelGame, slot: int, wanted: Mapping[int, int]) -> int:
    """Buy until the bag holds the wanted quantities, as far as stock, money and room suffice; return the frames."""
    listed = stock_of(game, slot)
    return game.talk(slot) + sum(
        _buy(game, item, target) for item, target in wanted.items() if item in listed
    )


def _buy(game: ModelGame, item: int, target: int) -> int:
    state, price = game.state(), game.dex.all_items[item].price
    affordable = state.player.money // price if price else 0
    count = min(target - state.bag.quantity(item), affordable)
    if count <= 0 or (state.bag.full and not state.bag.quantity(item)):
        return 0
    game.ram.put_money(state.player.money - count * price)
    game.give(item, count)
    return COSTS.trade


def sell_to(game: ModelGame, slot: int, goods: Collection[int]) -> int:
    """Sell all of some items for half their price; return the frames."""
    bag, money = game.state().bag, game.state().player.money
    gone = [stack for stack in bag.items if stack.item in goods]
    paid = sum(game.dex.all_items[each.item].price // 2 * each.quantity for each in gone)
    game.ram.put_bag(stack for stack in bag.items if stack.item not in goods)
    game.ram.put_money(money + paid)
    return game.talk(slot) + COSTS.trade * len(gone)


def take_drink(game: ModelGame, item: int) -> int:
    """Buy one drink from a machine; return the frames."""
    price, money = game.dex.vending.get(item, 0), game.state().player.money
    if money < price:
        return COSTS.talk
    game.ram.put_money(money - price)
    game.give(item, 1)
    return COSTS.trade


def after_medicine(mon: PartyMon, item: int) -> PartyMon:
    """Return a member of the team after an item was used on it."""
    most = mon.stats.hp
    if item in (REVIVE, MAX_REVIVE):
        return replace(mon, hp=most if item == MAX_REVIVE else most // 2)
    hp = min(mon.hp + int(hp_restored(item)), most) if mon.hp else 0
    return replace(mon, hp=hp, status=without(mon.status, int(status_cured(item))))


def after_lesson(game: ModelGame, mon: PartyMon, machine: int, forget: int) -> PartyMon:
    """Return a member of the team that has learnt a machine's move, of four instead of the one in slot `forget`."""
    move = game.dex.all_items[machine].teaches or 0
    slot, moves = MoveSlot(move, game.dex.move(move).pp, 0), list(mon.moves)
    if len(moves) < SLOTS:
        moves.append(slot)
    else:
        moves[forget] = slot
    return replace(mon, moves=tuple(moves))
