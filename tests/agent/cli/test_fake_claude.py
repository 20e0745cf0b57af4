"""The command that serves made-up answers."""

import os
import re
import signal
import subprocess
import sys
import urllib.request

from agent.fake_claude.server import FakeClaude
from tests.agent.support import ROOT, Agent

COMMAND = (sys.executable, "-m", "agent", "fake-claude")


def test_fake_claude_prints_its_url_and_serves_until_ctrl_c() -> None:
    with subprocess.Popen(
        [*COMMAND, "--port", "0", "--seed", "2"],
        cwd=ROOT,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        head = [process.stdout.readline() for _ in range(4)]
        url = re.search(r"ANTHROPIC_BASE_URL=(http://127\.0\.0\.1:\d+) ANTHROPIC_API_KEY", head[2])
        assert url is not None, head
        with urllib.request.urlopen(f"{url[1]}/", timeout=60) as page:
            assert "no model" in page.read().decode()
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=60)
    assert "no model" in head[0]
    assert rest == "1 call.\n"
    assert errors == ""
    assert process.returncode == 0


def test_a_port_in_use_is_named_with_what_to_do(agent: Agent) -> None:
    with FakeClaude() as server:
        port = server.url.rpartition(":")[2]
        ended = agent("fake-claude", "--port", port)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"error: --port {port} cannot be used (")
    assert ended.err.endswith("--port 0 takes any free port\n")
