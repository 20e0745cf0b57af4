"""The report of steps judged: by move and by effect."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from emulator import Dex

Row = dict[str, Any]


@dataclass
class Tally:
    """Counts of one move: its uses, steps with it that no known difference explains, and those that one does."""

    uses: int = 0
    impossible: int = 0
    explained: Counter[str] = field(default_factory=Counter)
    compared: int = 0  # positions played again
    deviations: int = 0

    def add(self, other: Mapping[str, Any]) -> Self:
        """Add counts of another tally as plain data."""
        self.uses += other["uses"]
        self.impossible += other["impossible"]
        self.explained.update(other["explained"])
        self.compared += other["compared"]
        self.deviations += other["deviations"]
        return self


def plain(tallies: Mapping[str, Tally]) -> Row:
    """Return tallies as plain data."""
    return {
        name: {**vars(each), "explained": dict(each.explained)} for name, each in tallies.items()
    }


def added(parts: Iterable[Mapping[str, Any]]) -> dict[str, Tally]:
    """Return the sum of tallies as plain data, by name."""
    found: defaultdict[str, Tally] = defaultdict(Tally)
    for part in parts:
        for name, tally in part.items():
            found[name].add(tally)
    return dict(found)


def key_of(name: str) -> str:
    """Return the name of a move in letters alone, as both engines write it."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def move_rows(tallies: Mapping[str, Tally], dex: Dex, least: int) -> list[Row]:
    """Return a row for each move; one that was used less than `least` times is a problem."""
    rows = []
    for number, move in sorted(dex.all_moves.items()):
        tally = tallies.get(str(number), Tally())
        problems = [f"used {tally.uses} times only"] if tally.uses < least else []
        if tally.impossible:
            problems.append(f"{tally.impossible} impossible outcomes")
        if tally.deviations:
            problems.append(f"{tally.deviations} deviations of frequency")
        rows.append(
            {
                "name": move.name, "number": number, "effect": move.effect, **vars(tally),
                "explained": dict(tally.explained), "problems": problems,
            }
        )
    return rows
