"""The four tables of knowledge as records: their statements, and rows to and from them."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from memory.codec import as_json, decode, encode
from memory.tiers.knowledge import (
    Knowledge,
    LearnedPattern,
    MistakeRecord,
    PlayerPreference,
    SuccessfulStrategy,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

Piece: TypeAlias = "LearnedPattern | SuccessfulStrategy | MistakeRecord | PlayerPreference"


class Table:
    """One table, whose columns are the fields of its record, in order, the id first."""

    def __init__(self, name: str, record: type[Piece], *json_columns: str) -> None:
        self.name = name
        self.columns = [field.name for field in fields(record)]
        self.id_column = self.columns[0]
        marks = ", ".join("?" for _ in self.columns)
        # The names are our own, not a caller's.
        self.select = f"SELECT * FROM {name} ORDER BY {self.id_column}"  # noqa: S608
        self.replace = f"INSERT OR REPLACE INTO {name} VALUES ({marks})"  # noqa: S608
        self.delete = f"DELETE FROM {name} WHERE {self.id_column} = ?"  # noqa: S608
        self._record = record
        self._json_columns = frozenset(json_columns)
        self._json_places = [
            (place, str(field.type).startswith("tuple"))
            for place, field in enumerate(fields(record))
            if field.name in json_columns
        ]

    def record_of(self, row: tuple[Any, ...]) -> Piece:
        """Return the record that a row holds."""
        values = list(row)  # by place: all of a table is read with each delivery
        for place, is_tuple in self._json_places:
            value = decode(values[place])
            values[place] = tuple(value) if is_tuple else value
        return self._record(*values)

    def row_of(self, record: Piece) -> tuple[object, ...]:
        """Return the row that holds a record."""
        values = as_json(record)
        return tuple(
            encode(value) if name in self._json_columns else value for name, value in values.items()
        )


PATTERNS: Final = Table("tactician_patterns", LearnedPattern, "trigger_conditions")
STRATEGIES: Final = Table("successful_strategies", SuccessfulStrategy, "context", "moves_sequence")
MISTAKES: Final = Table("mistake_records", MistakeRecord, "situation")
PREFERENCES: Final = Table("player_preferences", PlayerPreference, "preference_value")
TABLES: Final = (PATTERNS, STRATEGIES, MISTAKES, PREFERENCES)
BY_NAME: Final = {table.name: table for table in TABLES}
BY_LESSON: Final = {
    "pattern": PATTERNS,
    "strategy": STRATEGIES,
    "mistake": MISTAKES,
    "preference": PREFERENCES,
}


def knowledge(known: Knowledge, table: Table) -> dict[str, Any]:
    """Return the records that belong in `table`, by id."""
    shelves: dict[str, dict[str, Any]] = {
        PATTERNS.name: known.patterns,
        STRATEGIES.name: known.strategies,
        MISTAKES.name: known.mistakes,
        PREFERENCES.name: known.preferences,
    }
    return shelves[table.name]


def known_from(records: Mapping[str, Mapping[str, Any]]) -> Knowledge:
    """Return as knowledge the records of each table, by id; a table that is not there has none."""
    shelves = [dict(records.get(table.name, {})) for table in TABLES]
    return Knowledge(shelves[0], shelves[1], shelves[2], shelves[3])
