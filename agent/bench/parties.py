"""A team as the game stores it, made by the rules of the cartridge."""

from collections.abc import Sequence
from typing import Final

from emulator import Dex, Dvs, Member, stats_of
from emulator.profile import symbol

SIZE: Final = 44
NAME_SIZE: Final = 11
NAME: Final = b"\x8c\x8e\x8d\x50".ljust(NAME_SIZE, b"\x50")
NO_MORE: Final = 0xFF


def party_in_ram(dex: Dex, members: Sequence[Member], dvs: int, player_id: int) -> dict[int, bytes]:
    """Return what to write where so that the player has this team, as if it had just reached its levels."""
    count, species = len(members), bytes([member.species for member in members])
    mons = b"".join([_mon(dex, member, dvs, player_id) for member in members])
    return {
        symbol("wPartyCount"): bytes([count]),
        symbol("wPartySpecies"): species + bytes([NO_MORE]),
        symbol("wPartyMons"): mons,
        symbol("wPartyMonOT"): NAME * count,
        symbol("wPartyMonNicks"): NAME * count,
    }


def _mon(dex: Dex, member: Member, dvs: int, player_id: int) -> bytes:
    species = dex.species(member.species)
    attack, defense, speed, special = [dvs >> shift & 15 for shift in (12, 8, 4, 0)]
    stats = stats_of(species.base, Dvs(attack, defense, speed, special), member.level)
    moves = species.moves_at(member.level)
    data = bytearray(SIZE)
    data[0], data[3], data[33] = species.index, member.level, member.level
    data[1:3] = stats.hp.to_bytes(2)
    data[5:8] = bytes([*species.types, species.catch_rate])
    data[8 : 8 + len(moves)] = bytes(moves)
    data[12:14] = player_id.to_bytes(2)
    data[14:17] = species.growth.experience_at(member.level).to_bytes(3)
    data[27:29] = dvs.to_bytes(2)
    data[29 : 29 + len(moves)] = bytes([dex.move(move).pp for move in moves])
    data[34:44] = b"".join([stat.to_bytes(2) for stat in stats])
    return bytes(data)
