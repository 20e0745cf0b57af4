"""A Game Boy, what is in its slot, and what its memory and picture say.

Knows the machine and the format of the game's data; knows nothing of who plays or remembers.
"""

from emulator.cartridge import Cartridge, CartridgeKind, Rom, demo_cartridge_path, load_cartridge
from emulator.console import DIGEST_RANGES, FRAMES_PER_SECOND, WATCHED_RANGES, Button, Console, Step
from emulator.dex.dex import Dex
from emulator.dex.items import Item
from emulator.dex.species import Evolution, EvolvesBy, LevelUpMove, Species
from emulator.dex.trainers import Member, Team, TrainerClass
from emulator.dex.wild import Wild, WildSlot, WildTable
from emulator.errors import (
    CartridgeError,
    ConsoleError,
    Divergence,
    DivergenceKind,
    EmulatorError,
    ReadingError,
    StateError,
)
from emulator.profile import RED, label_of
from emulator.pyboy_console import EMULATOR, PyBoyConsole
from emulator.ram.battle import Battle, BattleKind, BattleResult, BattleType, Phase
from emulator.ram.battle_mon import BattleMon, Stages, Volatile
from emulator.ram.control import Doubt
from emulator.ram.dialogue import Dialogue, Waiting
from emulator.ram.map import Facing, Person, Position, Travel
from emulator.ram.menu import Menu, read_offer
from emulator.ram.menu_kind import MenuKind
from emulator.ram.party import Box, BoxedMon, Dvs, MoveSlot, Party, PartyMon, Stats, Status
from emulator.ram.player import Bag, Stack
from emulator.ram.state import ScreenType, State, read_state
from emulator.ram.tile_map import is_in_sight
from emulator.ram.view import HIGH_RAM, WORK_RAM, Ram
from emulator.recording import (
    MOST_PACKED,
    Link,
    PlayingConsole,
    RecordingConsole,
    StepRecord,
    first_divergence,
    mismatch,
    pack,
    unpack,
    verify_chain,
)
from emulator.rules.chances import (
    act_chance,
    critical_chance,
    first_chance,
    hit_chance,
    residual_loss,
    run_chance,
)
from emulator.rules.damage import (
    TURNS,
    Odds,
    Spread,
    damage,
    damage_spread,
    self_hit,
    standing,
    use_spread,
)
from emulator.rules.moves import Attacker, Defender, MoveData, MoveTurns, move_turns, user_hp_change
from emulator.rules.rule_book import Matchup, RuleBook, StageRatio, TypeChart
from emulator.rules.stats import (
    Growth,
    StageChange,
    after_change,
    experience_gained,
    stage_change,
    staged,
    stats_of,
)
from emulator.savestate import StateOrigin, state_origin
from emulator.screen.glyphs import (
    Accuracy,
    Font,
    GlyphReader,
    TextReader,
    Unavailable,
    accuracy,
    agreement,
    read_glyphs,
)
from emulator.screen.picture import Screen
from emulator.screen.scene import Scene, ScenePlace, draw_map, locate
from emulator.screen.tesseract import TesseractReader, find_tesseract
from emulator.soundness.check import CartridgeCheck
from emulator.soundness.survey import UNSOUND_ADVICE, refuse_unsound, survey
from emulator.world.game_map import LAST_MAP, GameMap, Warp, WarpTrigger
from emulator.world.header import FIRST_INDOOR_MAP, Connection
from emulator.world.residents import Lookout, Opponent, Resident, ResidentKind
from emulator.world.tileset import Obstacle
from emulator.world.world import Floor, Lift, MapSquare, World

__all__ = [
    "DIGEST_RANGES",
    "EMULATOR",
    "FIRST_INDOOR_MAP",
    "FRAMES_PER_SECOND",
    "HIGH_RAM",
    "LAST_MAP",
    "MOST_PACKED",
    "RED",
    "TURNS",
    "UNSOUND_ADVICE",
    "WATCHED_RANGES",
    "WORK_RAM",
    "Accuracy",
    "Attacker",
    "Bag",
    "Battle",
    "BattleKind",
    "BattleMon",
    "BattleResult",
    "BattleType",
    "Box",
    "BoxedMon",
    "Button",
    "Cartridge",
    "CartridgeCheck",
    "CartridgeError",
    "CartridgeKind",
    "Connection",
    "Console",
    "ConsoleError",
    "Defender",
    "Dex",
    "Dialogue",
    "Divergence",
    "DivergenceKind",
    "Doubt",
    "Dvs",
    "EmulatorError",
    "Evolution",
    "EvolvesBy",
    "Facing",
    "Floor",
    "Font",
    "GameMap",
    "GlyphReader",
    "Growth",
    "Item",
    "LevelUpMove",
    "Lift",
    "Link",
    "Lookout",
    "MapSquare",
    "Matchup",
    "Member",
    "Menu",
    "MenuKind",
    "MoveData",
    "MoveSlot",
    "MoveTurns",
    "Obstacle",
    "Odds",
    "Opponent",
    "Party",
    "PartyMon",
    "Person",
    "Phase",
    "PlayingConsole",
    "Position",
    "PyBoyConsole",
    "Ram",
    "ReadingError",
    "RecordingConsole",
    "Resident",
    "ResidentKind",
    "Rom",
    "RuleBook",
    "Scene",
    "ScenePlace",
    "Screen",
    "ScreenType",
    "Species",
    "Spread",
    "Stack",
    "StageChange",
    "StageRatio",
    "Stages",
    "State",
    "StateError",
    "StateOrigin",
    "Stats",
    "Status",
    "Step",
    "StepRecord",
    "Team",
    "TesseractReader",
    "TextReader",
    "TrainerClass",
    "Travel",
    "TypeChart",
    "Unavailable",
    "Volatile",
    "Waiting",
    "Warp",
    "WarpTrigger",
    "Wild",
    "WildSlot",
    "WildTable",
    "World",
    "accuracy",
    "act_chance",
    "after_change",
    "agreement",
    "critical_chance",
    "damage",
    "damage_spread",
    "demo_cartridge_path",
    "draw_map",
    "experience_gained",
    "find_tesseract",
    "first_chance",
    "first_divergence",
    "hit_chance",
    "is_in_sight",
    "label_of",
    "load_cartridge",
    "locate",
    "mismatch",
    "move_turns",
    "pack",
    "read_glyphs",
    "read_offer",
    "read_state",
    "refuse_unsound",
    "residual_loss",
    "run_chance",
    "self_hit",
    "stage_change",
    "staged",
    "standing",
    "state_origin",
    "stats_of",
    "survey",
    "unpack",
    "use_spread",
    "user_hp_change",
    "verify_chain",
]
