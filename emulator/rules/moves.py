"""Inputs of the battle arithmetic: a move, its user and its target."""

from dataclasses import dataclass
from typing import Final

from emulator.ram.battle_mon import BattleMon, Volatile

FIXED_AMOUNTS: Final = {49: 20, 82: 40}
LEVEL_AMOUNTS: Final = (69, 101)  # damage equal to the user's level
RANDOM_AMOUNT: Final = 149
SELF_HIT_POWER: Final = 40


SPECIAL_TYPES: Final = 0x14  # types from here on use Special instead of Attack and Defense


@dataclass(frozen=True, slots=True)
class MoveData:
    """The data of a move; `accuracy` is out of 256, `effect` is the game's effect number."""

    number: int
    effect: int
    power: int
    type: int
    accuracy: int
    high_critical: bool

    @property
    def special(self) -> bool:
        """Whether it uses Special on both sides."""
        return self.type >= SPECIAL_TYPES


@dataclass(frozen=True, slots=True)
class Attacker:
    """The user of a move; `plain_` values are those that critical hits use."""

    level: int
    types: tuple[int, int]
    attack: int
    special: int
    plain_attack: int
    plain_special: int
    speed: int
    base_speed: int  # of its species, for critical hits
    accuracy: int = 0  # stage, -6 to 6
    focused: bool = False
    always_hits: bool = False

    @classmethod
    def of(cls, mon: BattleMon, base_speed: int) -> "Attacker":
        """Return a Pokemon in battle as the user of a move."""
        return cls(
            level=mon.level,
            types=mon.types,
            attack=mon.stats.attack,
            special=mon.stats.special,
            plain_attack=mon.unmodified.attack,
            plain_special=mon.unmodified.special,
            speed=mon.stats.speed,
            base_speed=base_speed,
            accuracy=mon.stages.accuracy,
            focused=Volatile.FOCUSED in mon.volatile,
            always_hits=Volatile.ALWAYS_HITS in mon.volatile,
        )


@dataclass(frozen=True, slots=True)
class Defender:
    """The target of a move; `plain_` values are those that critical hits use."""

    hp: int
    types: tuple[int, int]
    defense: int
    special: int
    plain_defense: int
    plain_special: int
    speed: int
    evasion: int = 0  # stage, -6 to 6
    reflect: bool = False
    light_screen: bool = False
    invulnerable: bool = False
    asleep: bool = False
    substitute: bool = False

    @classmethod
    def of(cls, mon: BattleMon) -> "Defender":
        """Return a Pokemon in battle as the target of a move."""
        return cls(
            hp=mon.hp,
            types=mon.types,
            defense=mon.stats.defense,
            special=mon.stats.special,
            plain_defense=mon.unmodified.defense,
            plain_special=mon.unmodified.special,
            speed=mon.stats.speed,
            evasion=mon.stages.evasion,
            reflect=Volatile.REFLECT in mon.volatile,
            light_screen=Volatile.LIGHT_SCREEN in mon.volatile,
            invulnerable=Volatile.INVULNERABLE in mon.volatile,
            asleep=mon.status.sleep > 0,
            substitute=Volatile.SUBSTITUTE in mon.volatile,
        )
