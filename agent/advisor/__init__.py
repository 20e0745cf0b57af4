"""Questions to a model and typed answers. Whatever happens to a question, play goes on.

Claude itself is in `agent.advisor.claude`, which only who asks it imports: the SDK takes a second to load.
"""

from agent.advisor.asking import ClaudeAdvisor
from agent.advisor.cache import CacheReport
from agent.advisor.calling import Calls, Patience, Time
from agent.advisor.counting import calibrated
from agent.advisor.distilling import distilling
from agent.advisor.layout import Fixed
from agent.advisor.port import Advice, Advisor, Option, Purpose, Question, Silence, Silent
from agent.advisor.recorded import Answered, RecordedAdvisor, Recording, as_json, from_json
from agent.advisor.scripted import ScriptedAdvisor
from agent.advisor.tool import Tool, ToolRefused

__all__ = [
    "Advice",
    "Advisor",
    "Answered",
    "CacheReport",
    "Calls",
    "ClaudeAdvisor",
    "Fixed",
    "Option",
    "Patience",
    "Purpose",
    "Question",
    "RecordedAdvisor",
    "Recording",
    "ScriptedAdvisor",
    "Silence",
    "Silent",
    "Time",
    "Tool",
    "ToolRefused",
    "as_json",
    "calibrated",
    "distilling",
    "from_json",
]
