"""The two sides of a battle, read and written at the contract's addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from emulator.profile import symbol

if TYPE_CHECKING:
    from tests.contract.game import Game

BATTLE_MON: Final = 29  # bytes


class Labels(NamedTuple):
    """Where the data of a side begins: the battle structure, volatile status, counters, stages, plain stats."""

    mon: str
    volatile: str
    counters: str
    stages: str
    plain: str


OWN: Final = Labels(
    "wBattleMon",
    "wPlayerBattleStatus1",
    "wPlayerNumAttacksLeft",
    "wPlayerMonStatMods",
    "wPlayerMonUnmodifiedLevel",
)
ENEMY: Final = Labels(
    "wEnemyMon",
    "wEnemyBattleStatus1",
    "wEnemyNumAttacksLeft",
    "wEnemyMonStatMods",
    "wEnemyMonUnmodifiedLevel",
)


class Number:
    """A number of a side: its offset behind one of the labels, and its size in bytes."""

    def __init__(self, offset: int, size: int = 1, label: str = "mon") -> None:
        self._offset, self._size, self._label = offset, size, label

    def __get__(self, side: Side, _: object = None) -> int:
        data = side.game.block(getattr(side.labels, self._label), self._offset + self._size)
        return int.from_bytes(data[self._offset :])

    def __set__(self, side: Side, value: int) -> None:
        label = getattr(side.labels, self._label)
        side.game.poke(label, value.to_bytes(self._size), self._offset)


class Side:
    """One side of a battle: the Pokemon that is out, and what lasts until it goes back."""

    species, position, status = Number(0), Number(3), Number(4)
    hp, max_hp = Number(1, 2), Number(15, 2)
    type1, type2, level = Number(5), Number(6), Number(14)
    attack, defense, speed, special = Number(17, 2), Number(19, 2), Number(21, 2), Number(23, 2)
    volatile1, volatile2, volatile3 = (Number(at, label="volatile") for at in range(3))
    attacks_left, confused = Number(0, label="counters"), Number(1, label="counters")
    toxic, disabled = Number(2, label="counters"), Number(3, label="counters")

    def __init__(self, game: Game, labels: Labels) -> None:
        self.game, self.labels = game, labels

    @property
    def data(self) -> bytes:
        """The battle structure."""
        return self.game.block(self.labels.mon, BATTLE_MON)

    @property
    def lost(self) -> int:
        """The HP that are missing."""
        return self.max_hp - self.hp

    @property
    def volatile(self) -> tuple[int, int, int]:
        """The three bytes of the volatile status."""
        return self.volatile1, self.volatile2, self.volatile3

    @property
    def stages(self) -> bytes:
        """The stages of Attack, Defense, Speed, Special, accuracy and evasion; 7 is no change."""
        return self.game.block(self.labels.stages, 6)

    @stages.setter
    def stages(self, stages: bytes) -> None:
        self.game.poke(self.labels.stages, stages)

    @property
    def plain(self) -> list[int]:
        """The four stats without stages and penalties."""
        data = self.game.block(self.labels.plain, 11)
        return [int.from_bytes(data[at : at + 2]) for at in (3, 5, 7, 9)]

    def knows(self, *moves: int, pp: int = 20) -> None:
        """Let it know these moves."""
        at = symbol(self.labels.mon)
        for offset, values in ((8, moves), (25, [pp] * len(moves))):
            self.game.pyboy.memory[at + offset : at + offset + 4] = [*values, 0, 0, 0, 0][:4]
