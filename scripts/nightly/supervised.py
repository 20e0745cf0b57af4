"""`python -m nightly.supervised ARGS`: the command line as ever, with a clock that jumps, whose children have a voice."""

import sys
from functools import partial
from importlib import import_module

from nightly import clock


def main() -> None:
    """Supervise as `python -m agent` would."""
    clock.use()  # before anything is imported that asks for the date
    from agent.__main__ import run
    from agent.tools.overnight import Supervisor

    program = (sys.executable, "-m", "nightly.child")
    command = import_module("agent.cli.overnight")  # the package has a function of this name
    setattr(command, "Supervisor", partial(Supervisor, program=program))  # noqa: B010
    run()


if __name__ == "__main__":
    main()
