"""The loopback server in the place of the service: whatever key and address the environment has are out of reach."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from agent.fake_claude import FakeClaude

KEY: Final = "sk-ant-api03-of-the-loopback-server"
OURS: Final = "ANTHROPIC_"  # what the SDK looks at


@contextmanager
def loopback() -> Iterator[FakeClaude]:
    """Lend a server that everything which asks Claude now asks instead."""
    before = {name: value for name, value in os.environ.items() if name.startswith(OURS)}
    with FakeClaude() as server:
        _set({"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": KEY})
        try:
            yield server
        finally:
            _set(before)


def _set(variables: dict[str, str]) -> None:
    for name in [each for each in os.environ if each.startswith(OURS)]:
        del os.environ[name]
    os.environ.update(variables)
