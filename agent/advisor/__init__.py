"""Questions to a model and typed answers. Whatever happens to a question, play goes on."""

from agent.advisor.port import Advice, Advisor, Option, Purpose, Question, Silence, Silent
from agent.advisor.tool import Tool, ToolRefused

__all__ = [
    "Advice",
    "Advisor",
    "Option",
    "Purpose",
    "Question",
    "Silence",
    "Silent",
    "Tool",
    "ToolRefused",
]
