"""The contract's tables of machines: what each teaches, what it costs, and the bits of who can learn from it."""

from collections.abc import Iterable, Iterator

from world.banks import Place, Placement
from world.machines import HMS, TMS, Machines

MOVES = Place(4, 0x7773)
PRICES = Place(30, 0x7FA7)
BITS_SIZE = 7


def placements(machines: Machines) -> Iterator[Placement]:
    """Yield the tables; a machine that nobody made costs nothing."""
    by_bit = {machine.bit: machine for machine in machines.by_word.values()}
    numbers = range(TMS + HMS)
    moves = bytes(by_bit[bit].move if bit in by_bit else machines.others for bit in numbers)
    yield Placement(MOVES.offset, moves, "TechnicalMachines")
    nibbles = [by_bit[bit].price if bit in by_bit else 0 for bit in range(TMS)]
    pairs = zip(nibbles[::2], nibbles[1::2], strict=True)
    prices = bytes(high << 4 | low for high, low in pairs)
    yield Placement(PRICES.offset, prices, "TechnicalMachinePrices")


def bits(machines: Iterable[int]) -> bytes:
    """Return who can learn from these machines, as base data have it."""
    return sum(1 << bit for bit in set(machines)).to_bytes(BITS_SIZE, "little")
