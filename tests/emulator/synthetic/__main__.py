"""Write the synthetic image to a file, for tools that take a cartridge: `python -m tests.emulator.synthetic PATH`."""

import sys
from pathlib import Path

from tests.emulator.synthetic.cartridge import build
from tests.emulator.synthetic.facts import FOLDER, MISSING

if not FOLDER.exists():
    sys.exit(MISSING)
Path(sys.argv[1]).write_bytes(build())
