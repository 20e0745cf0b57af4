"""The topics of play, and topics added by a caller."""

from agent.capabilities.capability import Capability, domain_of
from agent.capabilities.registry import TOPICS, capabilities_for
from agent.planning.domain import Goal, Require
from tests.agent.demo import game_context

GOALS = (Goal("fun", (Require("balls", at_least=3),), 1, "keep three in the air"),)


def test_every_topic_has_a_unique_name() -> None:
    names = [each.name for each in capabilities_for(game_context())]
    assert len(names) == len(set(names)) == len(TOPICS)


def test_a_topic_passed_in_is_added_or_replaces_one_of_the_same_name() -> None:
    mine, yours = Capability("train", goals=GOALS), Capability("whistling")
    before = [each.name for each in capabilities_for(game_context())]
    found = capabilities_for(game_context(), lambda _: mine, lambda _: yours)
    assert [each.name for each in found] == [*before, "whistling"]
    assert found[before.index("train")] is mine


def test_the_topics_form_a_valid_domain() -> None:
    domain_of(capabilities_for(game_context()))
