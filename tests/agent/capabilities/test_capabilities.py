"""The topics of play, and what a caller adds to them."""

from agent.capabilities.capability import Capability, domain_of
from agent.capabilities.registry import TOPICS, capabilities_for
from agent.planning.domain import Goal, Require
from tests.agent.demo import kit

GOALS = (Goal("fun", (Require("balls", at_least=3),), 1, "keep three in the air"),)


def test_every_topic_has_a_name_of_its_own() -> None:
    names = [each.name for each in capabilities_for(kit())]
    assert len(names) == len(set(names)) == len(TOPICS)


def test_a_topic_handed_in_is_added_or_replaces_the_one_of_its_name() -> None:
    mine, yours = Capability("train", goals=GOALS), Capability("whistling")
    before = [each.name for each in capabilities_for(kit())]
    found = capabilities_for(kit(), lambda _: mine, lambda _: yours)
    assert [each.name for each in found] == [*before, "whistling"]
    assert found[before.index("train")] is mine


def test_they_fit_together() -> None:
    domain_of(capabilities_for(kit()))
