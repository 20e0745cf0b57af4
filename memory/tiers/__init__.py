"""The three tiers (observer, strategist, tactician) as views of the blackboard, and what moves between them."""
