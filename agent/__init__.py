"""The agent that plays Pokemon Red by itself: run it with `python -m agent`."""

from typing import Final

VERSION: Final = "0.1.0"
