"""The three tiers (observer, strategist, tactician) as views of the blackboard, and the edges between them."""
