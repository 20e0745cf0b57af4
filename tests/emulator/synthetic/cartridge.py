"""A whole cartridge image, written from the facts alone.

Nothing here imports what reads it: encoder and decoder share no code. It holds tables only, at
the addresses of Pokemon Red (US); whoever runs it stays at its first instruction.
"""

from tests.emulator.synthetic.battle import put_battle
from tests.emulator.synthetic.creatures import put_creatures
from tests.emulator.synthetic.image import Image
from tests.emulator.synthetic.maps import put_maps, reserve_maps
from tests.emulator.synthetic.places import put_places
from tests.emulator.synthetic.things import put_things


def build() -> bytes:
    """Return the image; what has its place goes before what only needs room."""
    image = Image()
    reserve_maps(image)
    put_things(image)
    put_battle(image)
    put_creatures(image)
    put_places(image)
    put_maps(image)
    return image.finish()
