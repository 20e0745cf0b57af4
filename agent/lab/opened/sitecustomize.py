"""Writes down which files of the checkout a measuring process opens; Python runs this when it starts.

It is on PYTHONPATH only while `agent.lab.sources.recording` lasts, and imports nothing of the project.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

FOLDER = "RED_AGENT_OPENED"  # the variable with the folder of the record


def install() -> None:
    """Record from now on; where no folder is named, nothing is recorded.

    A file of the checkout becomes a folder with its path as name, which many processes can make, and without a descriptor.
    """
    root = f"{Path(__file__).resolve().parents[3]}{os.sep}"
    seen = set[tuple[str, str]]()

    def record(event: str, args: tuple[object, ...]) -> None:
        if event != "open" or not isinstance(name := args[0], str):
            return
        to = os.environ.get(FOLDER)
        if to is None or (to, name) in seen:
            return
        seen.add((to, name))
        with suppress(OSError, ValueError):  # no measurement may fail because of this
            path = os.path.abspath(name)  # noqa: PTH100  # without following links
            if path.startswith(root):
                os.mkdir(f"{to}/{path.removeprefix(root).replace(os.sep, ':')}")  # noqa: PTH102

    sys.addaudithook(record)


install()
