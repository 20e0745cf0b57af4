"""What memory holds at the moment: entries in scopes, with an event for every change."""

from memory.blackboard.entry import Scope

__all__ = ["Scope"]
