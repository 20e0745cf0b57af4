"""What memory holds at the moment: entries in scopes, with an event for every change."""
