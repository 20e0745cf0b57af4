"""The exact arithmetic of battles and growth, from records alone. Knows no cartridge and no RAM addresses."""

from emulator.rules.chances import (
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
    damage_spread,
    full_damage,
    self_hit,
    standing,
    use_spread,
)
from emulator.rules.moves import Attacker, Defender, MoveData, MoveTurns, move_turns
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

__all__ = [
    "TURNS",
    "Attacker",
    "Defender",
    "Growth",
    "Matchup",
    "MoveData",
    "MoveTurns",
    "Odds",
    "RuleBook",
    "Spread",
    "StageChange",
    "StageRatio",
    "TypeChart",
    "after_change",
    "critical_chance",
    "damage_spread",
    "experience_gained",
    "first_chance",
    "full_damage",
    "hit_chance",
    "move_turns",
    "residual_loss",
    "run_chance",
    "self_hit",
    "stage_change",
    "staged",
    "standing",
    "stats_of",
    "use_spread",
]
