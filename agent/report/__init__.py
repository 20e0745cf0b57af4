"""What a run shows afterwards: the summary, and a page for people."""

from agent.report.page import write_report
from agent.report.summary import Stop, Summary

__all__ = ["Stop", "Summary", "write_report"]
