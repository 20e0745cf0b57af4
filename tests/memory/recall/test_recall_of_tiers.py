"""One port through which the agent looks at all three tiers."""

from memory import Recall
from memory.recall import BlackboardRecall
from tests.memory.samples import ACT, MISTAKE, PATTERN, STRATEGY, TOWN, WORKING, Tiers


def test_recall_answers_from_all_three_tiers(tiers: Tiers) -> None:
    recall: Recall = BlackboardRecall(tiers.blackboard, tiers.strategist, tiers.tactician)
    assert recall.visits("hometown") == 0
    assert recall.recent(WORKING, "action", 5) == []
    tiers.strategist.add_location(TOWN)
    tiers.tactician.add_pattern(PATTERN)
    tiers.tactician.add_mistake(MISTAKE)
    tiers.tactician.add_strategy(STRATEGY)
    entry = tiers.observer.add_action(ACT)
    assert recall.visits("hometown") == 1
    assert recall.recent(WORKING, "action", 5) == [entry]
    assert recall.patterns({"location": "town"}) == [PATTERN]
    assert recall.mistakes({"location": "town"}) == [MISTAKE]
    assert recall.strategies("rat", "turtle") == [STRATEGY]
