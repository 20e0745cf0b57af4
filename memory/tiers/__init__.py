"""Three tiers, three lifetimes: the tick, the session, and everything after."""
