"""`runs` and `milestones`: lists of what was played, and of what can be reached."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.table import Column

from agent import HOME
from agent.cli import flags
from agent.cli.flags import argument
from agent.cli.output import Output, rows_of
from agent.errors import UsageError
from agent.shell import command, shown_path

if TYPE_CHECKING:
    from agent.tools.run_list import ListedRun

MB: Final = 1_000_000


def runs(
    folder: Path | None = argument(
        "The folder that holds the runs. Default: runs/.", "[FOLDER]", default=None
    ),
    as_json: bool = flags.AS_JSON,
) -> None:
    """List the runs, newest first; `last` names the newest."""
    from agent.tools.run_list import list_runs

    if folder is not None and not folder.is_dir():
        raise UsageError(f"{folder} is no folder; name one that holds runs")
    out, home = Output(), folder or HOME / "runs"
    found = list_runs(home)
    if as_json:
        out.say(json.dumps({"runs": [each.as_json() for each in found]}))
    elif found:
        head = (Column("run", no_wrap=True, overflow="fold"), "when, what, and how it ended")
        out.print(rows_of(head, map(_row, found), f"runs in {shown_path(home)}"))
        for each in found:
            if each.trouble:
                out.say(f"unreadable: {each.trouble}")
    else:
        out.say(f"no runs in {shown_path(home)} yet; `{command('play')}` makes one")


def _row(run: ListedRun) -> tuple[str, str]:
    from agent.advisor.names import RULES
    from agent.app import Stop

    name, size = Path(run.run).name, f"{run.bytes / MB:.1f} MB"
    played = f"{run.played.astimezone():%Y-%m-%d %H:%M}"
    if run.trouble:
        return name, f"{played}\nunreadable, {size}"
    ends = {each.value: each.words for each in Stop}
    ended = "playing, or killed" if run.stop is None else ends.get(run.stop, run.stop)
    of = f" of {run.of}" if run.of else ""
    reached = f"{len(run.milestones)}{of} milestones"
    lines = (
        f"{played}, {run.cartridge}, seed {run.seed}",
        *([] if run.decided_by == RULES else [run.decided_by]),
        f"{reached}, {ended}, {size}",
    )
    return name, "\n".join(lines)


def milestones(rom: Path | None = flags.ROM, as_json: bool = flags.AS_JSON) -> None:
    """List the milestones in order: the names that --until takes."""
    from agent.story.story import Story
    from emulator import demo_cartridge_path, load_cartridge

    out, cartridge = Output(), load_cartridge(rom or demo_cartridge_path())
    found = Story.of(cartridge.kind).milestones
    if as_json:
        rows = [{"id": each.id, "label": each.label} for each in found]
        out.say(json.dumps({"cartridge": cartridge.name, "milestones": rows}))
        return
    named = ((each.id, each.label) for each in found)
    out.print(rows_of(("--until", "what is reached"), named, f"milestones of {cartridge.name}"))
