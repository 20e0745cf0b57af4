"""`python -m nightly.child ARGS`: the command line as ever, with a clock that jumps and a voice, and memory consolidated often."""

import os
from typing import Final

from nightly import clock

CONSOLIDATE_EVERY: Final = 60  # ticks, instead of 1,000: a game of the demo has about 1,400


def main() -> None:
    """Play as `python -m agent` would."""
    clock.use()  # before anything is imported that asks for the date
    from kills.playing import consolidate_every

    from agent.__main__ import run
    from nightly.voice import LINE, Voice, watch

    consolidate_every(CONSOLIDATE_EVERY)
    if LINE in os.environ:
        watch(Voice(int(os.environ[LINE])))
    run()


if __name__ == "__main__":
    main()
