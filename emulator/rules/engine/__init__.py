"""The turn engine of generation 1: battles played on numbers alone, compiled; importing it takes numba."""

from emulator.rules.engine.choices import (
    AS_THE_GAME,
    ATTACKS,
    CAREFUL,
    best_move,
    choose,
    legal_choices,
)
from emulator.rules.engine.foe import ROUTINES
from emulator.rules.engine.from_ram import put_team, read_position
from emulator.rules.engine.items import (
    ETHER,
    MAX_ELIXIR,
    MAX_REVIVE,
    REVIVE,
    X_ATTACK,
    X_SPECIAL,
    hp_restored,
    needs_member,
)
from emulator.rules.engine.move_value import CERTAIN, best_attack_value
from emulator.rules.engine.stages import NOT_COUNTED, keep, start_battle
from emulator.rules.engine.turn import play_on, play_turn, send
