"""What a run has to tell, gathered from its file and from the supervisor's log: figures and words, no page."""

from agent.report.gather.gathered import Gathered, gather

__all__ = ["Gathered", "gather"]
