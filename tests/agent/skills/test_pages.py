"""Pages and questions of a conversation, as states of RAM without a game."""

from agent.skills.skill import HOLD, LOOKS, TextPager
from agent.skills.talk import read_text
from emulator import Button
from tests.emulator.moments import MESSAGE_BOX, box, cursor, state_with


def test_a_scripted_step_before_the_question_does_not_end_the_talk() -> None:
    text, scripted = state_with(MESSAGE_BOX), state_with({0xD730: 0x80})
    question = state_with(MESSAGE_BOX | box(14, 7, 19, 11) | cursor(15, 8, last=1))
    reading = read_text(text, say_yes=True)
    next(reading)
    assert {reading.send(scripted).button for _ in range(30)} == {None}
    assert reading.send(question).button is Button.A


def test_a_page_without_an_arrow_is_left_by_a_press_too_short_to_answer_the_next_question() -> None:
    page, pager = state_with(MESSAGE_BOX), TextPager()
    steps = [pager.step(page) for _ in range(LOOKS + 1)]
    assert {step.button for step in steps[:-1]} == {None}
    assert (steps[-1].button, steps[-1].hold) == (Button.B, HOLD)
