"""Cartridge data that `doctor` prints: facts for the owner to confirm, and the accuracy of each screen reader."""

from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from typing import Final, NamedTuple

from agent.skills import Outcome, SkillRun, boot, wait
from emulator import (
    Cartridge,
    ConsoleError,
    Dex,
    Font,
    PyBoyConsole,
    ReadingError,
    Screen,
    World,
    read_state,
)
from emulator.dex import WildTable
from emulator.screen import Accuracy, GlyphReader, TextReader, Unavailable, accuracy, find_tesseract

TOWNS: Final = range(11)  # their map ids come first
RIVAL: Final = 25  # RIVAL1: his first three teams are the three starters, one each
STARTERS: Final = 3
FIRST_ROUTE: Final = 12  # ROUTE_1


class OwnerFact(NamedTuple):
    """One fact decoded from the tables of the cartridge."""

    name: str
    description: str


def owner_facts(cartridge: Cartridge) -> Iterator[OwnerFact]:
    """Yield well-known facts of a cartridge that passed its checks."""
    world, dex = World.of(cartridge), Dex.of(cartridge)
    entries = [world.map(town).header.town_map for town in TOWNS]
    names = [entry.name for entry in entries if entry]
    yield OwnerFact("towns", ", ".join(names) or "the cartridge has no town map")
    for team in dex.trainer(RIVAL).teams[:STARTERS]:
        species = dex.species(team[0].species)
        types = " and ".join(dex.type_names[each] for each in dict.fromkeys(species.types))
        base = ", ".join(f"{name} {value}" for name, value in species.base._asdict().items())
        yield OwnerFact(f"starter {species.name}", f"{types}; base stats: {base}")
    wild = dex.wild.get(FIRST_ROUTE)
    if wild is None or wild.grass is None:
        yield OwnerFact("the first route", "no wild Pokemon there")
    else:
        for index in wild.grass.shares:
            yield OwnerFact(f"first route: {dex.species(index).name}", _levels(wild.grass, index))


def _levels(table: WildTable, index: int) -> str:
    """Return the levels at which a species appears, and the chance of each."""
    levels: dict[int, Fraction] = {}
    for slot in table.slots:
        if slot.species == index:
            levels[slot.level] = levels.get(slot.level, Fraction(0)) + slot.chance
    rows = sorted(levels.items())
    return ", ".join(f"level {level}: {float(100 * chance):.1f} %" for level, chance in rows)


DRAWN: Final = " ┌─┐│└┘▶"  # boxes and the cursor


class ReaderCheck(NamedTuple):
    """One screen reader: its accuracy in characters, or the reason why it cannot be checked."""

    reader: str
    accuracy: Accuracy | None
    reason: str = ""
    disagreements: tuple[str, ...] = ()  # rows whose text differs from the tile map


def reader_checks(cartridge: Cartridge) -> list[ReaderCheck]:
    """Start a cartridge, open its main menu, and return how well each reader reads it.

    Raises ConsoleError when the main menu does not open.
    """
    with closing(PyBoyConsole(cartridge)) as console:
        skill_run = SkillRun(boot(1, read_state(console.ram(), console.frame)))
        while skill_run.outcome is Outcome.RUNNING:
            console.perform(skill_run.step)
            skill_run.resume(read_state(console.ram(), console.frame))
        if skill_run.outcome is not Outcome.DONE:
            raise ConsoleError("its main menu does not open; copy the image again")
        for _ in range(2):  # the first picture that the emulator draws is shifted by one line
            console.perform(wait(8), render=True)
        rows = read_state(console.ram(), console.frame).screen_rows
        screen = console.screen()
    readers = (GlyphReader(Font.of(cartridge)), find_tesseract())
    return [_check_reader(reader, screen, rows) for reader in readers]


def _check_reader(
    reader: TextReader | Unavailable, screen: Screen, rows: tuple[str, ...]
) -> ReaderCheck:
    if isinstance(reader, Unavailable):
        return ReaderCheck(reader.name, None, reader.reason)
    try:
        read = reader.read(screen)
    except ReadingError as error:
        return ReaderCheck(reader.name, None, str(error))
    otherwise = tuple(
        f"{seen.strip()} for {row.strip(DRAWN)}"
        for row, seen in zip(rows, read, strict=True)
        if accuracy((row,), (seen,)).share < 1
    )
    return ReaderCheck(reader.name, accuracy(rows, read), disagreements=otherwise)
