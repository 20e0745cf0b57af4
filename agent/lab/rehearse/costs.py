"""What things take on the console, in frames."""

from typing import Final, NamedTuple


class Costs(NamedTuple):
    """Frames of each thing that the model does at once.

    Those of steps, turns, talks to healers, things, trades and battles were fitted to five games of the demo cartridge to
    the third badge; the others are assumed.
    """

    step: int = 16
    turn: int = 8
    warp: int = 48
    talk: int = 120
    item: int = 134
    heal: int = 600
    script: int = 300
    field_move: int = 300
    trade: int = 292  # for each kind bought or sold
    menu: int = 250
    battle_begins: int = 440
    turn_of_battle: int = 332
    next_foe: int = 1040
    battle_ends: int = 0
    blackout: int = 700
    poison: int = 20
    push: int = 60
    flight: int = 600


COSTS: Final = Costs()
