"""The pages show what is there."""

from tests.agent.support import ROOT

PAGE = ROOT / "docs" / "adding_a_behaviour.md"
EXAMPLE = ROOT / "agent" / "capabilities" / "forage.py"


def test_the_behaviour_that_is_shown_is_the_one_that_exists() -> None:
    shown = PAGE.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    assert shown == EXAMPLE.read_text(encoding="utf-8")
