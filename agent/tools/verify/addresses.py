"""Facts about addresses: the values at known addresses are consistent whenever the player can move."""

from typing import Final

from agent.tools.verify.fact import FactWatcher
from agent.tools.verify.movement import is_idle
from emulator import State, symbol

COUNT: Final = symbol("wPartyCount")
SPECIES: Final = symbol("wPartySpecies")
MONS: Final = symbol("wPartyMons")
MON_SIZE: Final = 44
MOST_MONS: Final = 6
MONEY: Final = symbol("wPlayerMoney")
ITEMS: Final = symbol("wNumBagItems")
MOST_ITEMS: Final = 20
MOST_OF_ONE: Final = 99
END: Final = 0xFF
PLAYER_Y: Final = symbol("wSpriteStateData2") + 4
OWNED: Final = symbol("wPokedexOwned")
SEEN: Final = symbol("wPokedexSeen")
DEX_SIZE: Final = 19


class AddressWatcher(FactWatcher):
    """Checks RAM each time the player stands idle after a step."""

    def after_step(self, state: State) -> None:
        """Check RAM after a step, when the player is idle."""
        if not is_idle(state):
            return  # a map may be partly loaded while the player crosses its edge
        checks = {
            "addresses.party": _party(state),
            "addresses.hp": _hp(state),
            "addresses.level": self._level(state),
            "addresses.pp": self._pp(state),
            "addresses.money": _money(state),
            "addresses.bag": _bag(state),
            "addresses.map": self._map(state),
            "addresses.position": _position(state),
            "addresses.tile": self._tile(state),
            "addresses.dex": self._owned(state),
            "addresses.clock": _clock(state),
        }
        self.log.record_all(checks, state.ram, state.frame)

    def _level(self, state: State) -> str | None:
        for mon in state.party.mons:
            known = self.dex.all_species.get(mon.species)
            level = known.growth.level_at(mon.exp) if known is not None else mon.level
            if level != mon.level:
                return f"{mon.exp} experience at level {mon.level}, where level {level} is expected"
        return None

    def _pp(self, state: State) -> str | None:
        for mon in state.party.mons:
            for move in mon.moves:
                maximum = self.max_pp(move)
                if move.pp > maximum:
                    return f"move {move.move} with {move.pp} PP of {maximum}"
        return None

    def _map(self, state: State) -> str | None:
        here = state.map
        if here.map_id not in self.world.map_ids:
            return "no map has this id"
        header = self.world.map(here.map_id).header
        seen = (here.tileset, here.height, here.width)
        written = (header.tileset_id, header.height, header.width)
        return None if seen == written else f"{seen} in RAM and {written} in the header"

    def _tile(self, state: State) -> str | None:
        shown = state.tiles_in_sight
        live = self.world.live_map(state)
        if shown is None:
            return None
        if live is None:
            return "the live blocks do not have the layout of a map of that size"
        different = live.count_differences(shown)
        return None if not different else f"{different} of {len(shown)} squares show another tile"

    def _owned(self, state: State) -> str | None:
        owned = int.from_bytes(state.ram.span(OWNED, DEX_SIZE), "little")
        seen = int.from_bytes(state.ram.span(SEEN, DEX_SIZE), "little")
        if owned & ~seen:
            return f"owned without being seen: {(owned & ~seen).bit_count()} species"
        for mon in state.party.mons:
            known = self.dex.all_species.get(mon.species)
            if known is not None and not owned >> (known.dex - 1) & 1:
                return f"species {mon.species} in the team and not owned"
        return None


def _party(state: State) -> str | None:
    ram = state.ram
    count, listed = ram.byte(COUNT), ram.span(SPECIES, MOST_MONS + 1)
    if count > MOST_MONS:
        return f"a count of {count}"
    if listed.find(END) != count:
        return f"a count of {count}, and 0xFF after {listed.find(END)} species"
    mons = bytes(ram.byte(MONS + MON_SIZE * n) for n in range(count))
    same = mons == listed[:count]
    return None if same else f"species {list(listed[:count])} listed, {list(mons)} in the mons"


def _hp(state: State) -> str | None:
    for mon in state.party.mons:
        if mon.hp > mon.stats.hp or not 1 <= mon.level <= 100:
            return f"{mon.hp} of {mon.stats.hp} HP at level {mon.level}"
    return None


def _money(state: State) -> str | None:
    digits = state.ram.span(MONEY, 3).hex()
    return None if digits.isdecimal() else f"the bytes {digits}"


def _bag(state: State) -> str | None:
    block = state.ram.span(ITEMS, 2 + 2 * MOST_ITEMS)
    count = block[0]
    if count > MOST_ITEMS or block[1 + 2 * count] != END:
        return f"a count of {count} without 0xFF after that many pairs"
    pairs = list(zip(block[1 : 1 + 2 * count : 2], block[2 : 2 + 2 * count : 2], strict=False))
    valid = all(item and 1 <= quantity <= MOST_OF_ONE for item, quantity in pairs)
    return None if valid else f"the pairs {pairs}"


def _position(state: State) -> str | None:
    here = state.map
    y, x = state.ram.span(PLAYER_Y, 2)
    if not here.on_map:
        return f"({here.x},{here.y}) on a map of {2 * here.width} by {2 * here.height}"
    if x or y:
        return f"({here.x},{here.y}), and ({x},{y}) in the player's slot"
    return None


def _clock(state: State) -> str | None:
    _, *rest = state.player.play_time
    return None if max(rest) < 60 else f"{rest}"
