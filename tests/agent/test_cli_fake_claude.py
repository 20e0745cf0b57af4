"""The command that serves made-up answers."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

from tests.agent.support import ROOT

COMMAND = (sys.executable, "-m", "agent", "fake-claude")


def test_fake_claude_serves_until_ctrl_c_and_says_how_to_use_it() -> None:
    with subprocess.Popen(
        [*COMMAND, "--port", "0", "--faults", "0.3", "--seed", "2"],
        cwd=ROOT,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        head = [process.stdout.readline() for _ in range(6)]
        url = re.search(r"ANTHROPIC_BASE_URL=(http://127\.0\.0\.1:\d+) ANTHROPIC_API_KEY", head[4])
        assert url is not None, head
        with urllib.request.urlopen(f"{url[1]}/", timeout=5) as page:
            assert "no model" in page.read().decode()
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=20)
    assert "no model" in head[0]
    assert "30% of the messages go wrong" in head[2]
    assert rest == "1 calls, 0 faults made.\n"
    assert errors == ""
    assert process.returncode == 0


def test_fake_claude_refuses_a_scenario_that_does_not_exist(tmp_path: Path) -> None:
    ended = subprocess.run(
        [*COMMAND, "--scenario", str(tmp_path / "mine.toml")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith("error: ")
    assert "sensible" in ended.stderr
