"""The contract's tables of trainers: names, drawings and money, parties, move choices."""

from collections.abc import Iterator, Mapping

from world.banks import Place, Placement, Room, pointer
from world.font import Font
from world.minds import Minds
from world.trainers import CLASS_COUNT, LEADERS, NOBODY, Party, Trainer
from world.words import ended

PREFERENCES = Place(14, 0x589B)
PREFERENCES_END = 0x5914
PICTURES_AND_MONEY = Place(14, 0x5914)
NAMES = Place(14, 0x59FF)
NAMES_END = 0x5D22
LEADERS_MOVES = Place(14, 0x5D22)
FOURS_MOVES = Place(14, 0x5D32)
PARTY_POINTERS = Place(14, 0x5D3B)
PARTIES_END = 0x655C
NAME = 12
NO_NAME = "-"
NO_LEADERS_MOVE = bytes([0, 1])  # of a gym that nobody made: any move that there is
LEVELS_DIFFER = 0xFF


def placements(
    trainers: Mapping[str, Trainer], minds: Minds, pictures: Mapping[str, int], font: Font
) -> Iterator[Placement]:
    """Yield every table about trainers; classes without one are `nobody`."""
    by_number = {each.number: each for each in trainers.values()}
    classes = [by_number.get(n, trainers[NOBODY]) for n in range(1, CLASS_COUNT + 1)]
    records = b"".join(pointer(pictures[each.name]) + _money(each.money) for each in classes)
    yield Placement(PICTURES_AND_MONEY.offset, records, "TrainerPicAndMoneyPointers")
    words = (each.name if each.number else NO_NAME for each in classes)
    names = ended(words, font, NAME, "trainers.toml")
    Room(NAMES.bank, NAMES.address, NAMES_END).take(len(names), "names of trainers")
    yield Placement(NAMES.offset, names, "TrainerNames")
    lists = b"".join(bytes([*mind, 0]) for mind in minds)
    Room(PREFERENCES.bank, PREFERENCES.address, PREFERENCES_END).take(len(lists), "minds.toml")
    yield Placement(PREFERENCES.offset, lists, "TrainerClassMoveChoiceModifications")
    yield Placement(LEADERS_MOVES.offset, _leaders_moves(trainers), "LoneMoves")
    yield Placement(FOURS_MOVES.offset, _fours_moves(trainers), "TeamMoves")
    yield Placement(PARTY_POINTERS.offset, _parties(trainers, classes), "TrainerDataPointers")


def _money(hundreds: int) -> bytes:
    """Return base money as three BCD bytes, the last of them hundredths."""
    return bytes.fromhex(f"{hundreds:04d}00")


def _leaders_moves(trainers: Mapping[str, Trainer]) -> bytes:
    """Return the place in the team and the move, of each gym."""
    own = {each.leader: bytes(each.own_move) for each in trainers.values() if each.own_move}
    return b"".join(own.get(gym, NO_LEADERS_MOVE) for gym in range(1, LEADERS + 1))


def _fours_moves(trainers: Mapping[str, Trainer]) -> bytes:
    """Return the class and the move of those who are no leaders, and the end of the list."""
    others = [each for each in trainers.values() if each.own_move and not each.leader]
    return bytes([n for each in others for n in (each.number, each.own_move[1])]) + b"\xff"


def _parties(trainers: Mapping[str, Trainer], classes: list[Trainer]) -> bytes:
    room = Room(PARTY_POINTERS.bank, PARTY_POINTERS.address + 2 * CLASS_COUNT, PARTIES_END)
    addresses, data = {}, b""
    for each in trainers.values():
        record = b"".join(_party(party) for party in each.parties)
        addresses[each.name] = room.take(len(record), each.name).address
        data += record
    return b"".join(pointer(addresses[each.name]) for each in classes) + data


def _party(party: Party) -> bytes:
    levels = {level for level, _ in party}
    if len(levels) == 1:
        return bytes([*levels, *(index for _, index in party), 0])
    return bytes([LEVELS_DIFFER, *(number for member in party for number in member), 0])
