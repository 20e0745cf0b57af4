"""Questions to a model and typed answers. Whatever happens to a question, play goes on.

Claude itself is in `agent.advisor.claude`, which only its users import: the SDK takes a second to load.
"""

from agent.advisor.calls import Calls, Time
from agent.advisor.exchange import ClaudeAdvisor, distilling
from agent.advisor.port import (
    Advice,
    Advisor,
    Option,
    Purpose,
    Question,
    Silence,
    Silent,
    Tool,
    ToolRefused,
)
from agent.advisor.request import Fixed, calibrated

__all__ = [
    "Advice",
    "Advisor",
    "Calls",
    "ClaudeAdvisor",
    "Fixed",
    "Option",
    "Purpose",
    "Question",
    "Silence",
    "Silent",
    "Time",
    "Tool",
    "ToolRefused",
    "calibrated",
    "distilling",
]
