"""The turn engine of generation 1: battles played on numbers alone, compiled; importing it takes numba."""

from emulator.engine.choices import AS_THE_GAME, ATTACKS, CAREFUL, best_move, choose, legal_choices
from emulator.engine.foe import ROUTINES
from emulator.engine.from_ram import put_team, read_position
from emulator.engine.growth import evolve
from emulator.engine.items import (
    ETHER,
    MAX_ELIXIR,
    MAX_REVIVE,
    REVIVE,
    X_ATTACK,
    X_SPECIAL,
    hp_restored,
    needs_member,
    status_cured,
)
from emulator.engine.move_value import CERTAIN, best_attack_value
from emulator.engine.stages import NOT_COUNTED, keep, next_member, send_out, start_battle
from emulator.engine.turn import play_on, play_turn, run_instead, send
