"""`python -m agent`: what can go wrong before anything is loaded gets its one line here."""

import gc
import sys


def run() -> None:
    """Load the command line and hand over to it."""
    if sys.version_info < (3, 11):
        sys.exit("error: this needs Python 3.11 or newer; scripts/play finds one if there is one")
    gc.disable()  # while loading, all that is made stays
    try:
        from agent.cli import main  # here, so that a missing package or Ctrl-C can be told
    except ModuleNotFoundError as missing:
        sys.exit(
            f"error: package {missing.name} is missing; run scripts/play once, it installs all"
        )
    except KeyboardInterrupt:
        print("error: interrupted before play began", file=sys.stderr)
        sys.exit(130)
    gc.freeze()
    gc.enable()
    main()


if __name__ == "__main__":
    run()
