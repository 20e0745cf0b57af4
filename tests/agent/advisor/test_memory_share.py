"""What memory put into a request is told from what anybody asked."""

import pytest

from agent.advisor.model import Request
from agent.advisor.request import MEMORY_TOKENS, Fixed, remembered
from memory.tokens import tokens
from tests.agent.advisor.advising import KEY, advising, question

BLOCK = "<observations>\n- a door opened\n</observations>"
NOTES = "lost to the rival"


def test_rules_and_questions_are_nobodys_memory() -> None:
    system = [{"type": "text", "text": "rules"}]
    said = [{"role": "user", "content": [{"type": "text", "text": "<situation>here</situation>"}]}]
    assert list(remembered(Request("claude", system, said, 100))) == []


def test_what_stands_behind_the_rules_and_what_is_marked_belong_to_memory() -> None:
    system = [{"type": "text", "text": each} for each in ("rules", "observed", "reflected")]
    reminder = '<system-reminder id="on">go on</system-reminder>'
    blocks = [
        {"type": "text", "text": f"{reminder}Now.\n{BLOCK}\nWhat next?"},
        {"type": "tool_result", "tool_use_id": "1", "content": BLOCK},
    ]
    request = Request("claude", system, [{"role": "user", "content": blocks}], 100)
    assert list(remembered(request)) == ["observed", "reflected", reminder, BLOCK]


def test_an_advisor_counts_what_memory_put_into_its_prompts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with advising(fixed=Fixed(notes=NOTES), observed=lambda: BLOCK) as bench:
        bench.advisor.ask(question())
        bench.advisor.ask(question(tick=900))
    noted = tokens(f"<memory>\n{NOTES}\n</memory>")
    assert bench.counts[MEMORY_TOKENS] == 2 * (noted + tokens(BLOCK))
