"""`python -m agent`: reports failures before the command line is loaded, each in one line."""

import sys
import time


def run() -> None:
    """Load the command line and run it."""
    if sys.version_info < (3, 11):
        sys.exit("error: this needs Python 3.11 or newer; scripts/play finds one if there is one")
    try:
        time.time()
    except OverflowError:
        sys.exit("error: the clock of this machine is after the year 2261; set it to today's date")
    try:
        from agent.cli import main  # here, so that a missing package or Ctrl-C is reported
    except ModuleNotFoundError as missing:
        sys.exit(
            f"error: package {missing.name} is missing; run scripts/play once, it installs all"
        )
    except KeyboardInterrupt:
        print("error: interrupted before play began", file=sys.stderr)
        sys.exit(130)
    main()


if __name__ == "__main__":
    run()
