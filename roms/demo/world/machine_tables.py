"""The contract's tables of machines: moves, prices, and the bits of the creatures that can learn them."""

from collections.abc import Iterable, Iterator

from world.banks import Place, Placement
from world.machines import HMS, TMS, Machines

MOVES = Place(4, 0x7773)
PRICES = Place(30, 0x7FA7)
BITS_SIZE = 7


def placements(machines: Machines) -> Iterator[Placement]:
    """Yield the tables; a machine that no source defines costs nothing."""
    by_bit = {machine.bit: machine for machine in machines.by_word.values()}
    numbers = range(TMS + HMS)
    moves = bytes(by_bit[bit].move if bit in by_bit else machines.others for bit in numbers)
    yield Placement(MOVES.offset, moves, "TechnicalMachines")
    nibbles = [by_bit[bit].price if bit in by_bit else 0 for bit in range(TMS)]
    pairs = zip(nibbles[::2], nibbles[1::2], strict=True)
    prices = bytes(high << 4 | low for high, low in pairs)
    yield Placement(PRICES.offset, prices, "TechnicalMachinePrices")


def bits(machines: Iterable[int]) -> bytes:
    """Return the bits of these machines, as stored in base data."""
    return sum(1 << bit for bit in set(machines)).to_bytes(BITS_SIZE, "little")
