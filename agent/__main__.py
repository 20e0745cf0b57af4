"""`python -m agent`: reports what prevents a start in one line, before anything else is loaded."""

import pathlib
import resource
import sys
import time
from typing import NoReturn

from agent import LAUNCHER

FEWEST_FILES = 16  # open at a time, with room for a model


def run() -> None:
    """Load the command line and run it."""
    for fault, code in ((_installation_fault(), 2), (_process_fault(), 1)):
        if fault:
            _fail(fault, code)
    try:
        from agent.cli import main  # here, so that a missing package or Ctrl-C is reported
    except ModuleNotFoundError as missing:
        from agent.shell import missing_package

        _fail(missing_package(missing.name), 2)
    except KeyboardInterrupt:
        _fail("interrupted before play began", 130)
    main()


def _fail(fault: str, code: int) -> NoReturn:
    print(f"error: {fault}", file=sys.stderr)
    sys.exit(code)


def _installation_fault() -> str:
    """Return why this installation cannot run, or ''. Python 3.6 can run this, too."""
    if not LAUNCHER.is_file():
        return "red-agent runs from its checkout: clone it and run scripts/play"
    if sys.version_info < (3, 11):
        import shlex  # takes as long as all other modules, in which Ctrl-C is a traceback

        place = shlex.quote(str(LAUNCHER))
        return f"this needs Python 3.11 or newer; `{place}` finds one if there is one"
    return ""


def _process_fault() -> str:
    """Return what of this process and its machine prevents a start, or ''."""
    try:
        pathlib.Path.cwd()
        time.time()
    except OSError:
        return "the current folder was removed; change to another one"
    except OverflowError:
        return "the clock of this machine is after the year 2261; set it to today's date"
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if files < FEWEST_FILES:
        return f"only {files} files may be open at once, and {FEWEST_FILES} are needed; raise `ulimit -n`"
    return ""


if __name__ == "__main__":
    run()
