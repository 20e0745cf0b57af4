"""Texts of signs and people: short texts of our own, some in another bank, some with programs.

The facts contain no text of the game, and neither does this file. A sign's number selects its text.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from tests.emulator.synthetic.facts import Facts, load
from tests.emulator.synthetic.image import Image, word
from tests.emulator.synthetic.letters import spell

STRING, PROGRAM, FAR, END = 0x00, 0x08, 0x17, 0x50
FAR_BANKS: Final = (0x28, 0x29, 0x2A, 0x2B)
CODE: Final = bytes([0xC9])  # a return
GOT_ITEM: Final = 0x0B  # a sound

# Names of charmap.json's control codes, and what they print.
CONTROLS: Final = {
    **dict.fromkeys(("PAGE", "PARA"), "\n\n"),
    **dict.fromkeys(("_CONT", "SCROLL", "NEXT", "LINE", "CONT"), "\n"),
    **dict.fromkeys(("DONE", "PROMPT"), ""),
    **{each: each for each in ("PKMN", "PC", "TM", "TRAINER", "ROCKET")},
    **{each: f"{{{each.lower()}}}" for each in ("PLAYER", "RIVAL", "TARGET", "USER")},
    "POKE": "POKé",
    "......": "……",
    "DEXEND": ".",
}
# Commands between strings, and what they print.
COMMANDS: Final = {
    "ram": (b"\x01\x6d\xcd", "{string}"),
    "bcd": (b"\x02\x79\xd0\xc3", "{number}"),
    "elsewhere": (b"\x03\xb9\xc4", "\n"),
    "box": (b"\x04\x90\xc4\x04\x12", ""),
    "second": (b"\x05", "\n"),
    "button": (b"\x06", ""),
    "scroll": (b"\x07", "\n"),
    "number": (b"\x09\x96\xcf\x12", "{number}"),
    "pause": (b"\x0a", ""),
    "dots": (b"\x0c\x03", "………"),
    "silent": (b"\x0d", ""),
    "jingles": (bytes(range(0x0E, 0x17)), ""),
}
SAYINGS: Final = (
    "Sign of no note.<LINE>Walk on, <PLAYER>!<DONE>",
    "My hat is on the<LINE>roof. <RIVAL> threw<CONT>it, for ¥5!<PARA>Is it raining?<PROMPT>",
    "<POKE> or <PKMN>?<NEXT>(It's both.)<_CONT>1♂2, 3/4-5; [6]<SCROLL><......><DONE>",
    "<USER>'s <PC>, a <TM>,<PAGE>a <TRAINER>, <TARGET>:<LINE>♂♀ <ROCKET> é<DEXEND>",
    "I count <number><scroll>beans, and <ram><LINE>ate them all.<button><second>Cost: <bcd>",
    "Wait<dots><pause><silent><jingles>There<elsewhere>it was<box>n't.<PROMPT>",
)
TOKEN: Final = re.compile(r"<([^>]+)>|([^<]+)")
SERVICES: Final = {  # of formats.md 5, without shops
    "NURSE": 0xFF,
    "BILLS_PC": 0xFD,
    "PLAYERS_PC": 0xFC,
    "PC": 0xF9,
    "PRIZES": 0xF7,
    "LINK": 0xF6,
    "VENDING": 0xF5,
}


class ExpectedText(NamedTuple):
    """A text as it should be decoded: PRINTED, SERVICE or PROGRAM; its words, or the service's name."""

    kind: str
    words: str
    service: str = ""


def text_ids(each: Facts) -> Iterator[int]:
    """Yield the text ids of the signs and people of a map."""
    yield from (row["text_id"] for row in (*each["signs"], *each["objects"]))


def is_shop(each: Facts, text_id: int) -> bool:
    """Return whether a text is a shop's stock."""
    marts = load("data/marts.json")["marts"]
    return (each["id"], text_id) in {(mart["map"], mart["clerk"]["text_id"]) for mart in marts}


def expected_text(each: Facts, text_id: int) -> ExpectedText:
    """Return the expected text of a sign or person that is not a shop."""
    _, words = text_of_ours(each, text_id)
    match way(each, text_id):
        case 2:
            return ExpectedText("PROGRAM", "")
        case 3:
            return ExpectedText("PROGRAM", words)
        case 4:
            return ExpectedText("SERVICE", "", service(text_id))
        case _:
            return ExpectedText("PRINTED", words)


def put_text(image: Image, bank: int, each: Facts, text_id: int) -> int:
    """Write the text of a sign or person that is not a shop, and return its address."""
    script, _ = text_of_ours(each, text_id)
    away = FAR_BANKS[text_id % len(FAR_BANKS)]
    match way(each, text_id):
        case 0:
            pass
        case 1:
            script = far(image, away, script) + bytes([GOT_ITEM, END])
        case 2:
            script = bytes([PROGRAM]) + CODE
        case 3:
            script = far(image, away, script) + bytes([PROGRAM]) + CODE
        case _:
            script = bytes([SERVICES[service(text_id)]])
    return image.allocate(bank, script)


def way(each: Facts, text_id: int) -> int:
    """Return how a text is stored: here, far, as a program, far and a program, or as a service."""
    number: int = (int(each["header"]["addr"], 16) + text_id) % 5  # ids that share a header agree
    return number


def service(text_id: int) -> str:
    return tuple(SERVICES)[text_id % len(SERVICES)]


def text_of_ours(each: Facts, text_id: int) -> tuple[bytes, str]:
    return encoded(SAYINGS[(text_id + int(each["header"]["addr"], 16) // 5) % len(SAYINGS)])


@cache
def encoded(markup: str) -> tuple[bytes, str]:
    """Return a text as a script, and as it should be decoded."""
    script, words = bytes([STRING]), ""
    for name, letters in TOKEN.findall(markup):
        if name in COMMANDS:
            command, printed = COMMANDS[name]
            script += bytes([END]) + command + bytes([STRING])
        elif name:
            script, printed = script + bytes([control(name)]), CONTROLS[name]
        else:
            script, printed = script + spell(letters), letters
        words += printed
    return script + bytes([END, END]), words


def control(name: str) -> int:
    codes = load("data/charmap.json")["control"]
    return next(int(code, 16) for code, (known, _) in codes.items() if known == name)


def far(image: Image, bank: int, script: bytes) -> bytes:
    """Write a script into another bank, and return the command that jumps there."""
    return bytes([FAR]) + word(image.allocate(bank, script)) + bytes([bank])
