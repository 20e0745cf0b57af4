"""What a terminal and a table get to see of hostile words."""

import re
from io import StringIO

import pytest

from agent.cli.memory.export import _flat, _inert
from agent.cli.output import Output, facts, listing
from tests.agent.hostile.texts import Hostile, hostile_texts

TEXTS = hostile_texts(key="an-entirely-made-up-key-0123456789")
SHORT = [each for each in TEXTS if len(each.text) < 1_000]


@pytest.mark.parametrize("hostile", SHORT, ids=[each.id for each in SHORT])
def test_what_is_printed_obeys_nobody_but_the_program(hostile: Hostile) -> None:
    told = StringIO()
    out = Output(file=told, width=80, force_terminal=False)
    out.say(hostile.text)
    out.print(facts(hostile.text, [(hostile.text, hostile.text)]))
    out.print(listing(hostile.text, ("id", "words"), [("a", hostile.text)], wide=1))
    for obeyed in "\x1b\x07\x08\x0b\x0c\r\x00\x9b\u202e":
        assert obeyed not in told.getvalue()
    assert told.getvalue().encode()


def test_styles_of_the_program_are_kept_on_a_terminal() -> None:
    told = StringIO()
    Output(file=told, width=80, force_terminal=True, color_system="truecolor").print("[bold]a[/]")
    assert "\x1b[1ma\x1b[0m" in told.getvalue()


@pytest.mark.parametrize("hostile", TEXTS, ids=[each.id for each in TEXTS])
def test_no_cell_of_a_table_is_a_formula(hostile: Hostile) -> None:
    assert not str(_inert(hostile.text)).startswith(("=", "+", "-", "@", "\t", "\r"))
    assert str(_inert(hostile.text)).removeprefix("'") == hostile.text.removeprefix("'")


@pytest.mark.parametrize("hostile", SHORT, ids=[each.id for each in SHORT])
def test_a_page_shows_words_and_neither_fetches_nor_runs_them(hostile: Hostile) -> None:
    told = _flat(hostile.text)
    assert len(told.splitlines()) <= 1
    assert not re.search(r"(?<!\\)(?:\\\\)*[<\[`*]", told)
