"""Rows of Showdown as positions of the turn engine, and positions of the engine as such rows.

A battle is a link battle here: both sides have PP, no badges, and no misses that only the game's own side has.
"""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from emulator import Dex
from emulator.ram.battle_mon import Volatile
from emulator.rules.engine.position import LINK, NUMBER, POSITION, empty_positions

Rows: TypeAlias = NDArray[np.int64]

SIDES: Final = (0, 1)
MEMBERS: Final = 3
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
    "toxic": Volatile.BADLY_POISONED,
    "charging": Volatile.CHARGING,
    "invulnerable": Volatile.INVULNERABLE,
    "recharge": Volatile.RECHARGING,
    "rage": Volatile.RAGING,
    "seeded": Volatile.SEEDED,
    "mist": Volatile.MIST,
    "focused": Volatile.FOCUSED,
    "light_screen": Volatile.LIGHT_SCREEN,
    "reflect": Volatile.REFLECT,
    "transformed": Volatile.TRANSFORMED,
}
PLAIN: Final[Mapping[str, str]] = {
    "type1": "type1",
    "type2": "type2",
    "disabled_slot": "disabled",
    "disabled": "disabled_turns",
}


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
        self.compared, self._sources = self._readers()
        names = [columns.names[at].split(".") for at in self.compared]
        self._in_battle = [
            [at for at, name in enumerate(names) if name[0] == f"{side}" and len(name) == 2 and name[1] != "out"]
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

    def _fill_volatile(self, side, of) -> None:  # type: ignore[no-untyped-def]
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
    def _loaded(of) -> Rows:  # type: ignore[no-untyped-def]
        """Return the move that the game has loaded: that of which a side is in the middle, else the last one."""
        loaded = of("used")
        for column in ("thrash_move", "trapping_move", "charging"):
            loaded = np.where(of(column) > 0, of(column), loaded)
        return loaded

    def _readers(self) -> tuple[list[int], list[tuple[int, int, int, int]]]:
        """Return the compared columns, and for each where it is in a position: its word, and a bit that must be set.

        The last two numbers are the word of that bit's field and what is added; a word of -1 stands for 1.
        """
        compared, sources = [], []

        def add(column: str, word: int, volatile: int = -1, bit: int = 0, more: int = 0) -> None:
            compared.append(self.columns.at[column])
            sources.append((word, volatile, bit, more))

        for side in SIDES:
            name, start, fields = _side_layout(side)
            volatile = start + fields["volatile"]
            add(f"{name}out", start + fields["out"])
            for i in range(MEMBERS):
                member, parts = _member_layout(side, i)
                for field in ("hp", "status"):
                    add(f"{name}{i}.{field}", member + parts[field])
                for slot in range(SLOTS):
                    add(f"{name}{i}.pp{slot}", member + parts["pp"] + slot)
            for column, field in PLAIN.items():
                add(name + column, start + fields[field])
            for at, stat in enumerate(STATS):
                add(name + stat, start + fields["stats"] + at)
            for at, stat in enumerate(STAGES):
                add(f"{name}stage_{stat}", start + fields["stages"] + at)
            for slot in range(SLOTS):
                add(f"{name}move{slot}", start + fields["moves"] + slot)
                add(f"{name}pp{slot}", start + fields["pp"] + slot)
            for column, (field, flag) in COUNTERS.items():
                word = start + fields[field]
                add(name + column, word, volatile, flag.value, int(column == "substitute"))
            for column, flag in FLAGS.items():
                add(name + column, -1, volatile, flag.value)
        return compared, sources

    def seen(self, positions: NDArray[np.void]) -> Rows:
        """Return the compared columns of each position."""
        words = positions.view(NUMBER).reshape(len(positions), -1)
        ones = np.ones((len(positions), 1), NUMBER)
        words = np.hstack((words, ones))  # the word -1
        sources = np.array(self._sources)
        values = words[:, sources[:, 0]] + sources[:, 3]
        bits = words[:, sources[:, 1]] & sources[:, 2]
        values = np.where((sources[:, 2] == 0) | (bits != 0), values, 0)
        for side in SIDES:  # the one that is out is up to date in the side only
            _, start, fields = _side_layout(side)
            for i in range(MEMBERS):
                for field in ("hp", "status"):
                    at = self.place(f"{side}.{i}.{field}")
                    is_out = words[:, start + fields["out"]] == i
                    values[:, at] = np.where(is_out, words[:, start + fields[field]], values[:, at])
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


def _words(dtype: np.dtype) -> dict[str, int]:
    return {name: dtype.fields[name][1] // WORD for name in dtype.names or ()}


def _side_layout(side: int) -> tuple[str, int, dict[str, int]]:
    sides, start = POSITION.fields["sides"][:2]
    one = sides.subdtype[0]
    return f"{side}.", (start + side * one.itemsize) // WORD, _words(one)


def _member_layout(side: int, member: int) -> tuple[int, dict[str, int]]:
    sides = POSITION.fields["sides"][0].subdtype[0]
    _, start, fields = _side_layout(side)
    one = sides.fields["team"][0].subdtype[0]
    return start + fields["team"] + member * one.itemsize // WORD, _words(one)
