"""Reports of runs: a page for people, several runs compared, and figures for programs."""

from agent.tools.report.comparison import as_csv, as_json, write_comparison
from agent.tools.report.page import gathered_runs, report_ended, report_run, write_report
from agent.tools.report.run_data import Gathered, gather

__all__ = [
    "Gathered",
    "as_csv",
    "as_json",
    "gather",
    "gathered_runs",
    "report_ended",
    "report_run",
    "write_comparison",
    "write_report",
]
