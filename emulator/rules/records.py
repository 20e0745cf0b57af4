"""What the arithmetic of battles needs to know about who attacks whom with what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from emulator.ram.battle_mon import BattleMon, Volatile

SPECIAL_TYPES: Final = 0x14  # types from here on use Special instead of Attack and Defense


@dataclass(frozen=True, slots=True)
class MoveData:
    """What a move does; `accuracy` is out of 256, `effect` a number of the contract."""

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
    """Who uses a move; `plain_` values are those that critical hits use."""

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
    def of(cls, mon: BattleMon, base_speed: int) -> Attacker:
        """Return a mon that fights as one who attacks."""
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
    """Whom a move is used on; `plain_` values are those that critical hits use."""

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
    def of(cls, mon: BattleMon) -> Defender:
        """Return a mon that fights as one who is attacked."""
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
