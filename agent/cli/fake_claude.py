"""`fake-claude`: a server of made-up answers."""

import threading
from typing import Final

from agent.cli.flags import option, switch
from agent.cli.output import Output
from agent.errors import UsageError
from agent.shell import command
from agent.tools.report.words import counted

POLL_S: Final = 0.2  # between two checks for Ctrl-C


def fake_claude(
    port: int = option(
        "The port on 127.0.0.1; 0 takes any free port.", default=8_765, min=0, max=65_535
    ),
    seed: int = option("Seed of the made-up answers.", default=0),
    good: bool = switch(
        "--good", "Give good advice for the demo from a table, and none elsewhere."
    ),
    show: bool = switch(
        "--show", "Print each request and its answer, to review what a model is told."
    ),
) -> None:
    """Serve made-up answers of the Messages API on loopback. Needs no model, key or network."""
    from agent.app import interrupts
    from agent.fake_claude.server import FakeClaude

    out = Output()
    try:
        server = FakeClaude(seed=seed, port=port, show=out.say if show else None, is_good=good)
    except OSError as error:
        message = f"--port {port} cannot be used ({error.strerror}); --port 0 takes any free port"
        raise UsageError(message) from error
    # Handle Ctrl-C before its line is printed, even if the parent process ignores it.
    with server, interrupts() as interrupt:
        out.say("This is no model: every answer is made up and means nothing.")
        out.say("To play with it:")
        address = f"ANTHROPIC_BASE_URL={server.url} ANTHROPIC_API_KEY=any"
        out.say(f"  {address} {command('play', '--mind', 'claude')}")
        out.say("Ctrl-C ends it.")
        while not interrupt.asked:
            threading.Event().wait(POLL_S)
        out.say(f"{counted(server.counts.calls.total(), 'call')}.")
