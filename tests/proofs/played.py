"""Games played for a proof, by rules or with a stand-in service."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from agent.app import Interrupt, Settings, Summary, play_run
from agent.app.summary import NoViewer

OURS: Final = "ANTHROPIC_"  # prefix of the variables that the SDK reads


def played(home: Path, **flags: Any) -> Summary:  # noqa: ANN401  # those of Settings
    """Play with these flags, with run and memory in the folder `home` unless the flags name others."""
    home.mkdir(exist_ok=True)
    where = {"run": home / "run", "memory": home / "memory.sqlite"}
    return play_run(Settings(**{**where, **flags}), NoViewer(), Interrupt())


@contextmanager
def asking(url: str, key: str = "any") -> Iterator[None]:
    """Let this process send all requests to Claude to the service at `url`."""
    with patch.dict(os.environ):
        for name in [each for each in os.environ if each.startswith(OURS)]:
            del os.environ[name]
        os.environ.update({"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": key})
        yield
