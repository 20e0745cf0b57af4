"""Moves, types, stages and trainers."""

from itertools import chain
from typing import Final

from tests.emulator.synthetic.facts import Facts, labels, load
from tests.emulator.synthetic.image import Image, decimal, word
from tests.emulator.synthetic.letters import ended

TYPE_COUNT: Final = 27
LEVELS_DIFFER: Final = 0xFF


def put_battle(image: Image) -> None:
    """Write every battle table."""
    put_moves(image)
    put_types(image)
    ratios = load("data/enums.json")["stat_stage_ratio"].values()
    numbers = chain.from_iterable(ratio.split("/") for ratio in ratios)
    image.put_table("StatModifierRatios", bytes(map(int, numbers)))
    put_trainers(image)


def put_moves(image: Image) -> None:
    moves = load("data/moves.json")["moves"]
    fields = ("id", "effect", "power", "type", "acc_byte", "pp")
    image.put_table("Moves", bytes(move[field] for move in moves for field in fields))
    image.put_table("MoveNames", b"".join(ended(move["name"]) for move in moves))
    bank, address, _ = labels()["HighCriticalMoves"]
    image.put(bank, address, bytes(m["id"] for m in moves if m.get("high_crit")) + b"\xff")


def put_types(image: Image) -> None:
    facts = load("data/types.json")
    bank, address, _ = labels()["TypeEffects"]
    image.put(bank, address, bytes(chain.from_iterable(facts["matchups"])) + b"\xff")
    home = labels()["TypeNames"][0]
    names = [facts["types"].get(str(number), "") for number in range(TYPE_COUNT)]
    pointers = [word(image.allocate(home, ended(name))) for name in names]
    image.put_table("TypeNames", b"".join(pointers))


def put_trainers(image: Image) -> None:
    facts = load("data/trainers.json")
    classes = facts["trainers"]
    image.put_table("TrainerNames", b"".join(ended(each["name"]) for each in classes))
    picture = bytes(2)  # no fact
    money = [picture + decimal(100 * each["base_money"], 3) for each in classes]
    image.put_table("TrainerPicAndMoneyPointers", b"".join(money))
    choices = b"".join(bytes([*each["move_choice_mods"], 0]) for each in classes)
    image.put_table("TrainerClassMoveChoiceModifications", choices)
    bank, address, size = labels()["TrainerDataPointers"]
    teams = [b"".join(team(each["party"]) for each in trainer["sets"]) for trainer in classes]
    # The teams of all classes follow one another: a class without teams begins where the next one does.
    starts = [address + size + sum(map(len, teams[:n])) for n in range(len(teams))]
    # They fill the space up to the next table; the game stores some of them in a longer form.
    image.reserve(bank, address, labels()["TrainerAIPointers"][1] - address)
    image.put(bank, address, b"".join(map(word, starts)) + b"".join(teams))
    lone = [(place, move) for place, _, move in facts["gym_lone_moves"]["table"]]
    image.put_table("LoneMoves", bytes(chain.from_iterable(lone)))
    numbers = {each["key"]: each["class"] for each in classes}
    elite = [(numbers[key], move) for key, _, move in facts["elite_team_moves"]["table"]]
    image.put_table("TeamMoves", bytes(chain.from_iterable(elite)))


def team(party: list[Facts]) -> bytes:
    levels = {member["level"] for member in party}
    if len(levels) == 1:
        return bytes([*levels, *(member["species"] for member in party), 0])
    members = chain.from_iterable((member["level"], member["species"]) for member in party)
    return bytes([LEVELS_DIFFER, *members, 0])
