"""Two jobs that open different files of the project."""

import os
import subprocess
import sys

from agent import HOME
from tests.proofs.workers import Row

PRICES = "agent/advisor/money/prices.toml"

EMPTY = ("settings", "pairs", "differences", "games", "arms", "plots")
PAGE = f"""
from agent.tools.report.html import render
render("eval.html", title="", line="", cartridge="", **dict.fromkeys({EMPTY}, ()))
"""


def page_job(_number: int) -> Row:
    """Render a page, in a child of the process that runs the job."""
    subprocess.run((sys.executable, "-c", PAGE), check=True)
    return {"process": os.getpid(), "problems": []}


def prices_job(_number: int) -> Row:
    """Read a table."""
    return {"length": len((HOME / PRICES).read_text(encoding="utf-8")), "problems": []}
