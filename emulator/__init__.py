"""The Game Boy, the cartridge in it, and readers of its memory and screen.

Covers the machine and the format of the game's data; does not depend on the agent or its memory.
"""

from emulator.cartridge import (
    HEADER_CHECKSUM,
    Cartridge,
    CartridgeKind,
    demo_cartridge_path,
    header_checksum,
    load_cartridge,
)
from emulator.console import FRAMES_PER_SECOND, Button, Console, Step
from emulator.dex.dex import Dex
from emulator.dex.species import Species
from emulator.errors import (
    CartridgeError,
    ConsoleError,
    Divergence,
    DivergenceKind,
    EmulatorError,
    ReadingError,
    StateError,
)
from emulator.profile import RED, label_of, symbol
from emulator.pyboy_console import EMULATOR, PyBoyConsole
from emulator.ram.battle import Battle, BattleKind, BattleResult, Phase
from emulator.ram.battle_mon import BattleMon, Volatile
from emulator.ram.map import Facing, Person, Position
from emulator.ram.menu import Menu
from emulator.ram.menu_kind import MenuKind
from emulator.ram.party import Party, PartyMon, Status
from emulator.ram.state import ScreenType, State, read_state
from emulator.ram.view import Ram
from emulator.recording import (
    MAX_RECORD_SIZE,
    Link,
    RecordingConsole,
    StepRecord,
    first_divergence,
    mismatch,
    pack,
    unpack,
    verify_chain,
)
from emulator.savestate import StateOrigin, state_origin
from emulator.screen.glyphs import Font
from emulator.screen.picture import Screen
from emulator.world.game_map import GameMap
from emulator.world.tileset import Obstacle
from emulator.world.world import MapSquare, World
