"""The agent that plays Pokemon Red by itself: run it with `python -m agent`."""

from pathlib import Path
from typing import Final

VERSION: Final = "0.1.0"
HOME: Final = Path(__file__).resolve().parents[1]  # the checkout
