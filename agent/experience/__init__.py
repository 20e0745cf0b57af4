"""What memory changes of play: choices, costs and facts. Each use of it can be switched off."""

from agent.experience.action_costs import ActionCosts, noted
from agent.experience.choices import TaskChoices
from agent.experience.uses import EVERY_USE, Experience, MemoryUse, found

__all__ = ["EVERY_USE", "ActionCosts", "Experience", "MemoryUse", "TaskChoices", "found", "noted"]
