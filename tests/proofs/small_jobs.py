"""Two jobs that open different files of the project."""

import os
import subprocess
import sys

from tests.proofs.workers import Row

EMPTY = ("settings", "pairs", "differences", "games", "arms", "plots")
PAGE = f"""
from agent.tools.report.html import render
render("eval.html", title="", line="", cartridge="", **dict.fromkeys({EMPTY}, ()))
"""


def page_job(_number: int) -> Row:
    """Render a page, in a child of the process that runs the job."""
    subprocess.run((sys.executable, "-c", PAGE), check=True)
    return {"process": os.getpid(), "problems": []}


def ticks_job(_number: int) -> Row:
    """Play a few ticks."""
    # Here, so that nothing of play is loaded for the other job.
    from agent.lab.bench.game import steps_of
    from emulator import demo_cartridge_path, load_cartridge

    return {"ticks": len(steps_of(load_cartridge(demo_cartridge_path()), 0, 3)), "problems": []}
