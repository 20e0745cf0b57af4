"""A complete cartridge image, written from the facts alone.

Nothing here imports the decoders: encoder and decoder share no code. The image has tables only, at
the addresses of Pokemon Red (US); a console that runs it stays at its first instruction.
"""

from tests.emulator.synthetic.battle import put_battle
from tests.emulator.synthetic.creatures import put_creatures
from tests.emulator.synthetic.image import Image
from tests.emulator.synthetic.item_tables import put_items
from tests.emulator.synthetic.map_id_tables import put_map_id_tables
from tests.emulator.synthetic.maps import put_maps, reserve_maps


def build() -> bytes:
    """Return the image; tables with fixed places are written before those that only need space."""
    image = Image()
    reserve_maps(image)
    put_items(image)
    put_battle(image)
    put_creatures(image)
    put_map_id_tables(image)
    put_maps(image)
    return image.finish()
