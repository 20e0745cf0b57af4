"""The contract's tables of moves and types: records, names, type chart, stat stages."""

from collections.abc import Iterator, Mapping

from world.banks import Place, Placement, pointer
from world.errors import WorldError
from world.font import Font
from world.moves import MOVE_COUNT, TYPE_COUNT, Move, Types
from world.words import ended

MOVES = Place(14, 0x4000)
MOVE_NAMES = Place(44, 0x4000)
TYPE_NAMES = Place(9, 0x7DAE)
TYPE_EFFECTS = Place(15, 0x6474)
HIGH_CRITICAL_MOVES = Place(15, 0x608E)
STAT_RATIOS = Place(15, 0x76CB)
NO_NAME = "-"
MOVE_NAME, TYPE_NAME = 12, 8
MATCHUP_LIMIT, CRITICAL_LIMIT = 82, 4
LIST_END = 0xFF
STAGES = range(-6, 7)


def placements(moves: Mapping[str, Move], types: Types, font: Font) -> Iterator[Placement]:
    """Yield every table about moves and types; ids without a move do nothing."""
    by_id = {move.id: move for move in moves.values()}
    numbers = range(1, MOVE_COUNT + 1)
    records = b"".join(_record(by_id[n]) if n in by_id else bytes(6) for n in numbers)
    yield Placement(MOVES.offset, records, "Moves")
    words = (by_id[n].name if n in by_id else NO_NAME for n in numbers)
    names = ended(words, font, MOVE_NAME, "moves.toml")
    yield Placement(MOVE_NAMES.offset, names, "MoveNames")
    yield Placement(TYPE_NAMES.offset, _type_names(types, font), "TypeNames")
    chart = b"".join(bytes(matchup) for matchup in _fitting(types))
    yield Placement(TYPE_EFFECTS.offset, chart + bytes([LIST_END]), "TypeEffects")
    critical = bytes(sorted(move.id for move in moves.values() if move.critical))
    filled = critical.ljust(CRITICAL_LIMIT, bytes([LIST_END]))[:CRITICAL_LIMIT]
    yield Placement(HIGH_CRITICAL_MOVES.offset, filled + bytes([LIST_END]), "HighCriticalMoves")
    yield Placement(STAT_RATIOS.offset, b"".join(map(_ratio, STAGES)), "StatModifierRatios")


def _record(move: Move) -> bytes:
    accuracy = 255 * move.accuracy // 100
    return bytes([move.id, move.effect, move.power, move.type, accuracy, move.pp])


def _type_names(types: Types, font: Font) -> bytes:
    """Return 27 pointers and the names they point to; ids without a type share one."""
    address = TYPE_NAMES.address + 2 * TYPE_COUNT
    strings = b""
    addresses = {}
    for name in (NO_NAME, *types.ids):
        addresses[name] = address + len(strings)
        strings += ended([name], font, TYPE_NAME, "types.toml")
    names = {number: name for name, number in types.ids.items()}
    heads = (addresses[names.get(number, NO_NAME)] for number in range(TYPE_COUNT))
    return b"".join(map(pointer, heads)) + strings


def _fitting(types: Types) -> list[tuple[int, int, int]]:
    if len(types.chart) > MATCHUP_LIMIT:
        message = f"types.toml: the chart has more than {MATCHUP_LIMIT} entries"
        raise WorldError(message)
    return list(types.chart)


def _ratio(stage: int) -> bytes:
    """Return the ratio of a stat stage: half the value more, or less, per stage."""
    return bytes([2 + max(stage, 0), 2 + max(-stage, 0)])
