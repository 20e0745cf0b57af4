"""A Game Boy, what is in its slot, and what its memory and picture say.

Knows the machine and the format of the game's data; knows nothing of who plays or remembers.
"""

from emulator.cartridge import Cartridge, CartridgeKind, demo_cartridge_path, load_cartridge
from emulator.console import DIGEST_RANGES, FRAMES_PER_SECOND, WATCHED_RANGES, Button, Console, Step
from emulator.dex.dex import Dex
from emulator.dex.items import Item
from emulator.dex.moves import Move
from emulator.dex.species import Evolution, EvolvesBy, Lesson, Species
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
from emulator.packing import MOST_PACKED, pack, unpack
from emulator.profile import RED, label_of
from emulator.pyboy_console import EMULATOR, PyBoyConsole
from emulator.ram.bag import Bag, Stack
from emulator.ram.battle import Battle, BattleKind, BattleResult, BattleType
from emulator.ram.battle_mon import BattleMon, Stages, Volatile
from emulator.ram.box import Box, BoxedMon
from emulator.ram.control import Control, Doubt
from emulator.ram.dialogue import Dialogue, Waiting
from emulator.ram.flags import Flags
from emulator.ram.in_sight import is_in_sight
from emulator.ram.map import Connections, Facing, MapState, Position, Travel
from emulator.ram.menu import Menu
from emulator.ram.menu_kind import MenuKind
from emulator.ram.offer import MoveOffer, read_offer
from emulator.ram.party import Dvs, MoveSlot, Party, PartyMon, Stats, Status
from emulator.ram.phase import Phase
from emulator.ram.player import Player, PlayTime
from emulator.ram.sprites import Person
from emulator.ram.state import ScreenType, State, read_state
from emulator.ram.view import HIGH_RAM, WORK_RAM, Ram
from emulator.recording import (
    Link,
    PlayingConsole,
    RecordingConsole,
    StepRecord,
    first_divergence,
    mismatch,
    verify_chain,
)
from emulator.rules.ailments import act_chance, residual_loss
from emulator.rules.book import Ratio, RuleBook
from emulator.rules.chances import critical_chance, first_chance, hit_chance, run_chance
from emulator.rules.chart import Matchup, TypeChart
from emulator.rules.course import Course, course, own_change
from emulator.rules.damage import damage, self_hit
from emulator.rules.experience import Growth, experience_gained
from emulator.rules.records import Attacker, Defender, MoveData
from emulator.rules.spread import TURNS, Odds, Spread, damage_spread, standing, use_spread
from emulator.rules.stages import StageChange, after_change, stage_change
from emulator.rules.stats import staged, stats_of
from emulator.savestate import StateOrigin, state_origin
from emulator.screen.glyphs import Font, agreement, read_glyphs
from emulator.screen.map_picture import draw_map
from emulator.screen.picture import Screen
from emulator.screen.reader import Accuracy, GlyphReader, TextReader, Unavailable, accuracy
from emulator.screen.scene import Place, Scene, locate
from emulator.screen.tesseract import TesseractReader, find_tesseract
from emulator.soundness.check import Check
from emulator.soundness.survey import UNSOUND_ADVICE, refuse_unsound, survey
from emulator.world.game_map import LAST_MAP, Crossing, GameMap, Trigger, Warp
from emulator.world.header import Connection, Sign
from emulator.world.lift import Floor, Lift
from emulator.world.lookouts import Lookout
from emulator.world.obstacle import Obstacle
from emulator.world.residents import Kind, Opponent, Resident
from emulator.world.rom import Rom
from emulator.world.tileset import Tileset
from emulator.world.town_map import FIRST_INDOOR_MAP
from emulator.world.world import MapSquare, World

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
    "CartridgeError",
    "CartridgeKind",
    "Check",
    "Connection",
    "Connections",
    "Console",
    "ConsoleError",
    "Control",
    "Course",
    "Crossing",
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
    "Flags",
    "Floor",
    "Font",
    "GameMap",
    "GlyphReader",
    "Growth",
    "Item",
    "Kind",
    "Lesson",
    "Lift",
    "Link",
    "Lookout",
    "MapSquare",
    "MapState",
    "Matchup",
    "Member",
    "Menu",
    "MenuKind",
    "Move",
    "MoveData",
    "MoveOffer",
    "MoveSlot",
    "Obstacle",
    "Odds",
    "Opponent",
    "Party",
    "PartyMon",
    "Person",
    "Phase",
    "Place",
    "PlayTime",
    "Player",
    "PlayingConsole",
    "Position",
    "PyBoyConsole",
    "Ram",
    "Ratio",
    "ReadingError",
    "RecordingConsole",
    "Resident",
    "Rom",
    "RuleBook",
    "Scene",
    "Screen",
    "ScreenType",
    "Sign",
    "Species",
    "Spread",
    "Stack",
    "StageChange",
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
    "Tileset",
    "TrainerClass",
    "Travel",
    "Trigger",
    "TypeChart",
    "Unavailable",
    "Volatile",
    "Waiting",
    "Warp",
    "Wild",
    "WildSlot",
    "WildTable",
    "World",
    "accuracy",
    "act_chance",
    "after_change",
    "agreement",
    "course",
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
    "own_change",
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
    "verify_chain",
]
