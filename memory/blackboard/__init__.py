"""Memory that observes and can be observed: hooks, scopes, entries, events."""
