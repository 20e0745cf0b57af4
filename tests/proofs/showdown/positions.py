"""Rows of Showdown as positions of the turn engine, and positions of the engine as such rows.

A battle is a link battle here: both sides have PP, no badges, and no misses that only the game's own side has.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from emulator import Dex
from emulator.ram.battle_mon import Volatile
from emulator.rules.codes import LINK
from emulator.rules.position import NUMBER, POSITION, empty_positions

Rows: TypeAlias = NDArray[np.int64]

SIDES: Final = (0, 1)
MEMBERS: Final = 6
STATS: Final = ("attack", "defense", "speed", "special")
STAGES: Final = (*STATS, "accuracy", "evasion")
SLOTS: Final = 4
WORD: Final = np.dtype(NUMBER).itemsize

# Counters that count while a bit of the volatile status is set, and the columns that only say whether it is.
COUNTERS: Final[Mapping[str, tuple[str, Volatile]]] = {
    "confusion": ("confused", Volatile.CONFUSED),
    "bide": ("attacks_left", Volatile.BIDING),
    "bide_damage": ("bide_damage", Volatile.BIDING),
    "thrash": ("attacks_left", Volatile.THRASHING),
    "trapping": ("attacks_left", Volatile.TRAPPING),
    "substitute": ("substitute", Volatile.SUBSTITUTE),
}
FLAGS: Final[Mapping[str, Volatile]] = {
    **{name: Volatile[name.upper()] for name in (
        "charging", "invulnerable", "seeded", "mist", "focused", "light_screen", "reflect", "transformed"
    )},
    "toxic": Volatile.BADLY_POISONED,
    "recharge": Volatile.RECHARGING,
    "rage": Volatile.RAGING,
}  # fmt: skip
PLAIN: Final[Mapping[str, str]] = {
    "type1": "type1",
    "type2": "type2",
    "disabled_slot": "disabled",
    "disabled": "disabled_turns",
}


class Reader(NamedTuple):
    """How a column is read from the words of a position: by its word, plus `more` while a bit of `flag` is set."""

    word: int
    flag: tuple[int, int] = (0, 0)
    more: int = 0
    is_flag: bool = False
    # A word, the value that says who is out, the word for that one.
    out: tuple[int, int, int] | None = None

    def read(self, words: Rows) -> Rows:
        """Return the values of this column, one for each row of words."""
        word, bit = self.flag
        if bit:
            is_set = words[:, word] & bit != 0
            return is_set if self.is_flag else np.where(is_set, words[:, self.word] + self.more, 0)
        if self.out is None:
            return words[:, self.word]
        place, member, instead = self.out
        return np.where(words[:, place] == member, words[:, instead], words[:, self.word])


class Columns:
    """Finds a column of Showdown's rows by its name."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.at = {name: at for at, name in enumerate(names)}

    def of(self, rows: Rows, name: str) -> Rows:
        """Return the values of one column."""
        return rows[..., self.at[name]]

    def several(self, rows: Rows, names: Sequence[str]) -> Rows:
        """Return the values of some columns."""
        return rows[..., [self.at[name] for name in names]]


class Translator:
    """Translates between both; `dex` is that of the real game."""

    def __init__(self, columns: Columns, dex: Dex) -> None:
        self.columns = columns
        self._species = np.zeros(len(dex.all_species) + 1, np.int64)
        for index, species in dex.all_species.items():
            self._species[species.dex] = index
        self._moves = np.zeros((256, 5), np.int64)
        for number, move in dex.all_moves.items():
            self._moves[number] = number, move.effect, move.power, move.type, move.accuracy
        readers = self._readers()
        self.compared = [columns.at[name] for name in readers]
        self._readers_in_order = list(readers.values())
        names = [columns.names[at].split(".") for at in self.compared]
        self._in_battle = [
            [
                at
                for at, name in enumerate(names)
                if name[0] == f"{side}" and len(name) == 2 and name[1] != "out"
            ]
            for side in SIDES
        ]

    def positions(self, rows: Rows) -> NDArray[np.void]:
        """Return a position for each row."""
        positions = empty_positions(len(rows))
        positions["kind"] = LINK
        positions["damage"] = self.columns.of(rows, "last_damage")
        for side in SIDES:
            self._fill(positions["sides"][:, side], rows, f"{side}.")
        return positions

    def _fill(self, side: NDArray[np.void], rows: Rows, name: str) -> None:
        columns = self.columns

        def of(column: str) -> Rows:
            return columns.of(rows, name + column)

        def several(names: Sequence[str], before: str = "") -> Rows:
            return columns.several(rows, [f"{name}{before}{each}" for each in names])

        moves, pp = [f"move{i}" for i in range(SLOTS)], [f"pp{i}" for i in range(SLOTS)]
        side["out"], side["count"] = of("out"), of("members")
        for i in range(MEMBERS):
            member = side["team"][:, i]
            member["species"] = self._species[of(f"{i}.species")]
            for field in ("level", "hp", "max_hp", "status"):
                member[field] = of(f"{i}.{field}")
            member["moves"], member["pp"] = several(moves, f"{i}."), several(pp, f"{i}.")
            member["max_pp"] = 63
            member["stats"] = several(STATS, f"{i}.")
        out = side["team"][np.arange(len(rows)), side["out"]]
        for field in ("level", "hp", "max_hp", "status"):
            side[field] = out[field]
        side["plain"] = out["stats"]
        side["species"] = self._species[of("species")]
        side["type1"], side["type2"] = of("type1"), of("type2")
        side["stats"] = several(STATS)
        side["unmodified"] = several([f"plain_{each}" for each in STATS])
        side["stages"] = several([f"stage_{each}" for each in STAGES])
        side["moves"], side["pp"] = several(moves), several(pp)
        self._fill_volatile(side, of)

    def _fill_volatile(self, side: NDArray[np.void], of: Callable[[str], Rows]) -> None:
        for column, (field, bit) in COUNTERS.items():
            value = of(column) - (column == "substitute")
            side[field] = np.where(of(column) > 0, value, side[field])
            if column != "bide_damage":
                side["volatile"] |= np.where(of(column) > 0, bit.value, 0)
        for column, bit in FLAGS.items():
            side["volatile"] |= np.where(of(column) > 0, bit.value, 0)
        side["toxic"] = of("toxic_counter")
        side["disabled"], side["disabled_turns"] = of("disabled_slot"), of("disabled")
        rows = np.arange(len(side))
        slot = np.maximum(side["disabled"] - 1, 0)
        side["disabled_move"] = np.where(side["disabled"] > 0, side["moves"][rows, slot], 0)
        side["selected"], side["slot"] = of("selected"), of("selected_slot")
        side["used"] = of("last_move")
        loaded = self._moves[self._loaded(of)]
        for at, field in enumerate(("number", "effect", "power", "type", "accuracy")):
            side["move"][field] = loaded[:, at]
        side["move"]["effect"] *= of("bide") == 0  # cleared when it began
        for counter in ("rage", "thrash"):
            kept = of(f"{counter}_accuracy")
            side["move"]["accuracy"] = np.where(of(counter) > 0, kept, side["move"]["accuracy"])

    @staticmethod
    def _loaded(of: Callable[[str], Rows]) -> Rows:
        """Return the move that the game has loaded: that of which a side is in the middle, else the last one."""
        loaded = of("used")
        for column in ("thrash_move", "trapping_move", "charging"):
            loaded = np.where(of(column) > 0, of(column), loaded)
        return loaded

    def _readers(self) -> dict[str, Reader]:
        """Return how each compared column is read from the words of a position."""
        # A position in which each number is its own place.
        places = np.arange(POSITION.itemsize // WORD).view(POSITION)[0]
        readers: dict[str, Reader] = {}
        for at in SIDES:
            side = places["sides"][at]
            readers |= {f"{at}.{name}": reader for name, reader in _side_readers(side).items()}
            for i in range(MEMBERS):
                member = side["team"][i]
                # The one that is out is up to date in the side only.
                hp, status = int(member["hp"]), int(member["status"])
                readers[f"{at}.{i}.hp"] = Reader(hp, out=(int(side["out"]), i, int(side["hp"])))
                readers[f"{at}.{i}.status"] = Reader(
                    status, out=(int(side["out"]), i, int(side["status"]))
                )
                for slot in range(SLOTS):
                    readers[f"{at}.{i}.pp{slot}"] = Reader(int(member["pp"][slot]))
        return readers

    def seen(self, positions: NDArray[np.void]) -> Rows:
        """Return the compared columns of each position."""
        words = positions.view(NUMBER).reshape(len(positions), -1)
        values = np.empty((len(words), len(self._readers_in_order)), np.int64)
        for at, reader in enumerate(self._readers_in_order):
            values[:, at] = reader.read(words)
        return self._without_fainted(values)

    def place(self, name: str) -> int:
        """Return the place of a column among the compared ones."""
        return self.compared.index(self.columns.at[name])

    def expected(self, rows: Rows) -> Rows:
        """Return the compared columns of Showdown's rows."""
        values = rows[:, self.compared].copy()
        for side in SIDES:
            at = self.place(f"{side}.charging")
            values[:, at] = values[:, at] > 0
        return self._without_fainted(values)

    def _without_fainted(self, values: Rows) -> Rows:
        """Return columns without those of a Pokemon in battle that has fainted: each engine clears others."""
        for side in SIDES:
            out = values[:, self.place(f"{side}.out")]
            for i in range(MEMBERS):
                fainted = (out == i) & (values[:, self.place(f"{side}.{i}.hp")] == 0)
                values[np.ix_(fainted, self._in_battle[side])] = 0
                # Cleared by Showdown at once, on the cartridge when the next one is sent.
                values[fainted, self.place(f"{1 - side}.trapping")] = 0
                values[fainted, self.place(f"{side}.{i}.status")] = 0
        return values


def _side_readers(side: np.void) -> dict[str, Reader]:
    volatile = int(side["volatile"])
    readers = {"out": Reader(int(side["out"]))}
    readers |= {column: Reader(int(side[field])) for column, field in PLAIN.items()}
    for at, stat in enumerate(STATS):
        readers[stat] = Reader(int(side["stats"][at]))
        readers[f"plain_{stat}"] = Reader(int(side["unmodified"][at]))
    for at, stat in enumerate(STAGES):
        readers[f"stage_{stat}"] = Reader(int(side["stages"][at]))
    for slot in range(SLOTS):
        readers[f"move{slot}"] = Reader(int(side["moves"][slot]))
        readers[f"pp{slot}"] = Reader(int(side["pp"][slot]))
    for column, (field, flag) in COUNTERS.items():
        more = int(column == "substitute")
        readers[column] = Reader(int(side[field]), flag=(volatile, flag.value), more=more)
    for column, flag in FLAGS.items():
        readers[column] = Reader(volatile, flag=(volatile, flag.value), is_flag=True)
    poisoned = (volatile, Volatile.BADLY_POISONED.value)
    readers["toxic_counter"] = Reader(int(side["toxic"]), flag=poisoned)
    return readers
