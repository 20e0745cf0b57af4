"""The age of what is observed, as a model is told: as of when it became what it is."""

import datetime as dt

from agent.advisor.prompt import Dating
from memory.conversation.format import parse
from memory.conversation.view import ConversationView
from tests.agent.advisor.advising import question

OBSERVED = "Date: 2026-11-20\n* 🔴 (14:30) milestone reached: left_home"


def test_d11_observations_have_their_age_and_keep_it_until_they_change() -> None:
    days = iter(dt.date(2026, 11, 22) + dt.timedelta(days=each) for each in range(9))
    dating, view = Dating(lambda: next(days)), ConversationView(observations=OBSERVED)
    first = dating.dated(view, question(tick=100)).observations
    assert "2 days ago" in first
    assert dating.dated(view, question(tick=900)).observations == first  # a day and 800 ticks later
    grown = view._replace(observations=f"{OBSERVED}\n* 🟡 (15:00) asked what comes next")
    second = dating.dated(grown, question(tick=950)).observations
    assert "4 days ago" in second
    assert "950" in second
    assert parse(second) == parse(grown.observations)


def test_d11_without_a_date_the_games_own_time_is_told() -> None:
    told = Dating().dated(ConversationView(reflection=OBSERVED), question(tick=100)).reflection
    assert "tick 100" in told
    assert "ago" not in told


def test_what_is_not_there_has_no_age() -> None:
    dated = Dating().dated(ConversationView(), question())
    assert (dated.reflection, dated.observations) == ("", "")
