"""`verify`: checks that a cartridge behaves as the game is documented."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from agent import HOME
from agent.cli import flags
from agent.cli.flags import make_folder, option, switch
from agent.cli.output import Output, facts
from agent.errors import UsageError
from agent.tools.report.words import counted

if TYPE_CHECKING:
    from agent.tools.verify.game import CartridgeVerdict

REPORT: Final = "verify-report"


def verify_cartridge(
    rom: Path | None = flags.ROM,
    until: str | None = option(
        "Play up to this milestone. Default: the last one of the story.", "ID"
    ),
    minutes: float = option("Play at most this many minutes of game time.", default=120.0, min=0.1),
    seed: int | None = flags.SEED,
    write: Path | None = option(
        "The folder for verify-report.json and verify-report.html, made if missing. Default: a new one in runs/.",
        "DIR",
    ),
    as_json: bool = switch("--json", "Print the report as one JSON object on the last line."),
) -> None:
    """Play a cartridge and check the game at each frame.

    Exits 0 when every exercised check passed, 1 when one failed or play broke, 130 on Ctrl-C if none has failed.
    """
    from agent.app import interrupts
    from agent.cli.panel import view_on
    from agent.shell import shown_path
    from agent.story.story import Story
    from agent.tools.report.html import require_writable
    from agent.tools.verify.game import VerifyRequest, expectation, page, verify
    from emulator import FRAMES_PER_SECOND, demo_cartridge_path, load_cartridge
    from memory.file_access import write_file

    out, err = Output(), Output(stderr=True)
    cartridge = load_cartridge(rom or demo_cartridge_path())
    story = Story.of(cartridge.kind)
    goal = story.up_to(until)[-1]
    folder = write or HOME / "runs" / f"verify-{datetime.now(UTC):%Y%m%d-%H%M%S}-seed{seed or 0}"
    make_folder("--write", folder)
    files = [folder / f"{REPORT}.{kind}" for kind in ("json", "html")]
    for file in files:
        if os.path.lexists(file):
            raise UsageError(f"{file} exists already; name another folder")
    require_writable(folder)
    err.say(expectation(story, minutes))
    request = VerifyRequest(goal, minutes * 60 * FRAMES_PER_SECOND, seed or 0)
    with interrupts() as interrupt, view_on(err) as view:
        verdict = verify(cartridge, request, view, interrupt)
    if not as_json:
        out.print(facts(f"{verdict.cartridge}: {verdict.headline}", _rows(verdict)))
    text = json.dumps(verdict.as_json(), indent=1)
    for file, content in zip(files, (text + "\n", page(verdict)), strict=True):
        write_file(file, content)
    if as_json:
        out.say(json.dumps(verdict.as_json()))
    err.say(f"The report is in {shown_path(folder / REPORT)}.html and .json.")
    raise typer.Exit(verdict.exit_code)


def _rows(verdict: "CartridgeVerdict") -> Iterator[tuple[str, str]]:
    """Yield the rows of the table of a verdict: failed checks first, then one line per topic."""
    from agent.tools.verify.fact import FactStatus

    for row in verdict.wrong:
        yield f"wrong: {row.fact.id}", row.words
        yield "  expected", row.fact.statement
    if verdict.broke:
        yield "play broke", verdict.played.reason
    for topic in dict.fromkeys(row.fact.topic for row in verdict.rows):
        rows = [row for row in verdict.rows if row.fact.topic == topic]
        counts = Counter(row.standing for row in rows)
        yield topic, ", ".join(f"{counts[each]} {each.value}" for each in FactStatus)
    played = verdict.played
    come = f", as far as {verdict.reached[-1]}" if verdict.reached else ""
    yield "played", f"{counted(played.ticks, 'tick')}, {counted(played.frames, 'frame')}{come}"
