"""The agent that plays Pokemon Red by itself: run it with scripts/red-agent."""

from pathlib import Path

VERSION = "0.1.0"
HOME = Path(__file__).resolve().parents[1]  # the checkout
LAUNCHER = HOME / "scripts" / "red-agent"
