"""The current content of memory: entries in scopes, with an event for each change."""
