"""What a run shows afterwards: the summary, a page for people, runs beside one another, figures for programs."""

from agent.report.comparison import write_comparison
from agent.report.figures import as_csv, as_json
from agent.report.gather import Gathered, gather
from agent.report.page import write_report
from agent.report.summary import Stop, Summary

__all__ = [
    "Gathered",
    "Stop",
    "Summary",
    "as_csv",
    "as_json",
    "gather",
    "write_comparison",
    "write_report",
]
