"""The hostile texts themselves: enough of them, from everywhere, and as hostile as they say."""

from collections import Counter

from agent.advisor.model import Request
from agent.advisor.money import most_input_tokens
from agent.advisor.secrets import Mask
from emulator.text import charmap
from tests.agent.hostile.texts import hostile_texts

KEY = "an-entirely-made-up-key-0123456789"
TEXTS = hostile_texts(key=KEY)


def test_there_are_enough_from_everywhere() -> None:
    assert len({each.id for each in TEXTS}) == len(TEXTS) >= 70
    entries = Counter(each.enters for each in TEXTS)
    assert set(entries) == {"screen", "name", "tool_result", "answer"}
    assert min(entries.values()) >= 10
    assert all(each.tries for each in TEXTS)


def test_what_the_cartridge_can_print_it_can_print() -> None:
    letters = {char for printed in charmap().values() for char in printed} | {"\n"}
    for each in TEXTS:
        if each.charset:
            longest = 10 if each.enters == "name" else 18
            assert set(each.text) <= letters, each.id
            assert all(len(line) <= longest for line in each.text.split("\n")), each.id


def test_none_of_them_carries_a_key_past_the_mask() -> None:
    mask = Mask([KEY])
    carriers = [each for each in TEXTS if KEY in each.text]
    assert len(carriers) >= 4
    for each in TEXTS:
        assert KEY not in mask(each.text), each.id


def test_each_of_them_has_a_bound_of_tokens() -> None:
    for each in TEXTS:
        messages = [{"role": "user", "content": each.text}]
        size = len(each.text.encode("utf-8", "surrogatepass"))
        assert most_input_tokens(Request("m", [], messages, 1)) >= size, each.id
