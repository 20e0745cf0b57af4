"""What memory holds and can be observed by: scopes, entries, events."""
