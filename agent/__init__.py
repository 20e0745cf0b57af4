"""The agent that plays Pokemon Red by itself: run it with `python -m agent`."""
