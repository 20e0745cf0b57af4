"""Verdicts on advice, by the record of a run alone, and who decided it."""

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.advisor.names import LONGEST, STAND_IN, cost, decided_by, model_name
from agent.advisor.port import Decider
from agent.app import AskSettings, Interrupt, Settings, play_run
from agent.app.summary import NoViewer
from agent.app.verdicts import AdviceVerdict, totals, verdicts, who_decided
from memory import open_run_store, read_run
from tests.fake_service import FakeClaude
from tests.proofs.verdict_reader import verdicts_and_reading

TICKS = 330
MADE_UP = "fake-claude:claude-sonnet-5-5"


@pytest.fixture(scope="module")
def advised(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game with a question to the stand-in at least every four ticks where one can be asked."""
    home = tmp_path_factory.mktemp("advised")
    with FakeClaude(seed=4) as server:
        environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "any"}
        with patch.dict(os.environ, environment):
            settings = Settings(
                seed=4,
                ticks=TICKS,
                run=home / "run",
                memory=home / "memory.sqlite",
                mind=Decider.CLAUDE,
                asking=AskSettings(every=4, usd=100.0, tapes=home / "tapes"),
            )
            play_run(settings, NoViewer(), Interrupt())
    return home / "run"


def test_verdicts_are_those_of_a_reader_of_the_record(advised: Path) -> None:
    """The proof test_advised_games compares those of whole games."""
    given, read = verdicts_and_reading(advised)
    assert len(read) >= 10
    assert given == read
    assert {effect for effect, *_ in read} >= {"followed", "changed nothing"}


def test_every_call_is_in_the_cost_of_one_verdict(advised: Path) -> None:
    with closing(read_run(advised)) as folder:
        found, calls = verdicts(folder.store, TICKS), folder.store.calls.all()
    sums = totals(found)
    assert sums.questions == len(found)
    assert sums.answers == sums.followed + sums.unchanged
    assert sums.reached <= sums.followed
    assert sums.usd == pytest.approx(sum(each.nanos for each in calls) / 1e9)
    assert sums.usd_answers == pytest.approx(sums.usd_followed + sums.usd_unchanged)


def test_the_record_names_the_stand_in_although_the_real_model_was_asked(advised: Path) -> None:
    with closing(read_run(advised)) as folder:
        assert who_decided(folder.store, "claude") == f"by rules, advised by {STAND_IN}"
        assert {each.model for each in folder.store.calls.all()} == {MADE_UP}
    summary = json.loads((advised / "summary.json").read_text(encoding="utf-8"))
    assert summary["decided_by"] == f"by rules, advised by {STAND_IN}"
    assert summary["advice"]["usd_made_up"] == summary["advice"]["usd"] > 0
    assert summary["advice"]["verdicts"]["questions"] >= 10


def judged(
    folder: Path, *rows: tuple[int, str, Mapping[str, Any]], last: int
) -> list[AdviceVerdict]:
    """Return the verdicts on a run with these events."""
    with closing(open_run_store(folder / "run.sqlite", run_id="r")) as store:
        for tick, kind, data in rows:
            store.record.add_event(tick, kind, data)
        store.commit()
        return verdicts(store, last)


def advice(by_rules: Sequence[str] = (), purpose: str = "stuck", **given: Any) -> Mapping[str, Any]:  # noqa: ANN401
    usual = {"goals": [], "candidates": [], "note": "", "confidence": 0.9, "by": "m"}
    return {
        "purpose": purpose,
        "advice": {**usual, **given},
        "by_rules": list(by_rules),
        "calls": [],
    }


def goal(name: str, status: str) -> Mapping[str, Any]:
    return {"objective_id": name, "status": status}


def action(name: str, outcome: str) -> Mapping[str, Any]:
    return {"action_value": name, "outcome_summary": outcome, "reasoning": "follow advice"}


GOLD = [(10, "objective", goal("gold", "active")), (40, "objective", goal("gold", "completed"))]


@pytest.mark.parametrize(
    ("asked", "then", "last", "effect", "why"),
    [
        (advice(["fame"], goals=["gold"]), GOLD, 99, "followed", "reached after 30 ticks"),
        (advice(["gold"], goals=["gold"]), GOLD, 99, "changed nothing", "rules would have taken the same"),
        (advice(["fame"], goals=["gold"]), GOLD[:1], 99, "followed", "no result when the run ended"),
        (advice(["fame"], goals=["gold"]), GOLD[:1], 900, "followed", "not reached after 500 ticks"),
        (advice(["fame"], goals=["gold"]), [], 900, "changed nothing", "play never turned to it"),
        (advice(goals=["gold"]), [(600, *GOLD[0][1:])], 900, "changed nothing", "play never turned to it"),
        (
            advice(["fame"], goals=["gold"]),
            [GOLD[0], (20, "advice", advice(goals=["fame"])), GOLD[1]],
            99,
            "followed",
            "superseded after 10 ticks",
        ),
        (
            advice(["fame"], goals=["gold"]),
            [GOLD[0], (20, "advice", advice(purpose="choice", candidates=["3"])), GOLD[1]],
            99,
            "followed",
            "reached after 30 ticks",
        ),
        (advice(candidates=["dig"]), [(30, "action", action("dig", "done"))], 99, "followed", "reached after 20 ticks"),
        (advice(candidates=["dig"]), [(30, "action", action("dig", "blocked"))], 99, "followed", "its action was blocked"),
        (advice(["gold", "dig"], candidates=["dig"]), [], 99, "changed nothing", "rules would have taken the same"),
        (advice(["2"], "choice", candidates=["3"]), [], 99, "followed", "the choice was taken"),
        (advice(["3"], "choice", candidates=["3"]), [], 99, "changed nothing", "rules had taken the same"),
        (advice(goals=["gold"], confidence=0.2), GOLD, 99, "changed nothing", "too unsure to be followed"),
        (advice(), GOLD, 99, "changed nothing", "it named nothing"),
        ({"purpose": "stuck", "silent": "unusable", "detail": "x"}, [], 99, "no answer", "unusable"),
        ({"purpose": "stuck", "advice": {"goals": ["gold"]}}, GOLD, 99, "no verdict", "recorded without the choice of the rules"),
        (advice(goals=7, candidates={"a": 1}), GOLD, 99, "changed nothing", "it named nothing"),
        ({**advice(goals=["gold"]), "calls": [[1]], "by_rules": [{}]}, GOLD, 99, "followed", "reached after 30 ticks"),
    ],
)  # fmt: skip
def test_a_verdict(  # one case a line
    asked: Mapping[str, Any],
    then: Sequence[tuple[int, str, Mapping[str, Any]]],
    last: int,
    effect: str,
    why: str,
    tmp_path: Path,
) -> None:
    first, *_ = judged(tmp_path, (10, "advice", asked), *then, last=last)
    assert (first.effect.value, first.why) == (effect, why)
    assert first.reached is why.startswith("reached")


@pytest.mark.parametrize(
    ("mind", "models", "questions", "words"),
    [
        ("rules", [], 0, "by rules"),
        ("claude", [], 0, "by rules; no model was asked yet"),
        ("claude", [], 3, "by rules; a model was asked and never answered"),
        ("claude", ["claude-opus-5-5"], 3, "by rules, advised by claude-opus-5-5"),
        ("rules", [MADE_UP, "fake-claude:x"], 3, f"by rules, advised by {STAND_IN}"),
        ("claude", ["a", "b", MADE_UP], 3, f"by rules, advised by a, b and {STAND_IN}"),
        ("claude", [""], 3, "by rules, advised by an unnamed model"),
    ],
)
def test_who_decided_in_words(mind: str, models: list[str], questions: int, words: str) -> None:
    assert decided_by(mind, models, questions) == words


@given(st.text())
def test_a_name_of_a_model_is_one_short_line(name: str) -> None:
    shown = model_name(name)
    assert len(shown) <= LONGEST
    assert shown.isprintable()


@pytest.mark.parametrize(
    ("usd", "made_up", "words"),
    [
        (0.5, 0.0, "$0.50"),
        (0.5, 0.5, "made-up answers would have cost $0.50 at list prices"),
        (0.5, 0.2, "$0.30, and made-up answers would have cost $0.20 at list prices"),
    ],
)
def test_what_a_stand_in_would_have_cost_is_no_cost(usd: float, made_up: float, words: str) -> None:
    assert cost(usd, made_up, "${:.2f}".format) == words
