"""`rehearse`: plays whole games in a model of the cartridge, and says how far they come and how long that takes."""

from __future__ import annotations

import os
from pathlib import Path

from agent.cli.flags import AS_JSON, ROM, option, seeds_of, switch


def rehearse(
    rom: Path | None = ROM,
    seeds: str | None = option(
        "Seeds of the games to rehearse. Default: 0..9, or with --from that of the run.", "A..B"
    ),
    until: str | None = option("The milestone to reach. Default: the last one of the story.", "ID"),
    on_console: bool = switch(
        "--beside-play", "Play the same seeds on the console as well, and set both side by side."
    ),
    start: Path | None = option(
        "Begin at the moment in this file, which `report --facts` wrote.", "FILE", "--from"
    ),
    write: Path | None = option(
        "Write the figures to this new file: `report --expected` shows them beside those of a run.",
        "FILE",
    ),
    as_json: bool = AS_JSON,
) -> None:
    """Play whole games in a model of the cartridge, in seconds.

    The agent decides as in play; only the carrying out of its actions is modelled, with luck from the seed.
    """
    from agent.app import interrupts
    from agent.cli.measurements import show
    from agent.cli.output import Output, progress
    from agent.errors import UsageError
    from agent.lab.publish import as_json as written
    from agent.lab.rehearse.facts import StartingMoment
    from agent.lab.rehearse.figures import findings
    from agent.lab.rehearse.play import RehearsalJob
    from agent.lab.runner import play_all
    from agent.story.story import Story
    from agent.tools.replay.operations import require_new
    from emulator import demo_cartridge_path, load_cartridge
    from memory.file_access import write_file

    if write is not None:
        require_new(write)
    if start is not None and on_console:
        raise UsageError("--from begins in the model; leave out --beside-play")
    moment = StartingMoment.read(start) if start is not None else None
    numbers = seeds_of(seeds or ("0..9" if moment is None else str(moment.seed)))
    err, cartridge = Output(stderr=True), load_cartridge(rom or demo_cartridge_path())
    story = Story.of(cartridge.kind)
    milestones = story.up_to(until)
    if moment is not None:
        milestones = moment.left(cartridge, milestones)
    if story.caveat:
        err.say(
            "The model of this cartridge comes from facts, and was never compared with the game."
        )
    processes = min(os.cpu_count() or 1, len(numbers))
    job = RehearsalJob(cartridge.path, milestones[-1], start=moment)
    jobs = {"game": job, **({"played game": job._replace(in_model=False)} if on_console else {})}
    with interrupts() as interrupt, progress(err, interrupt) as bar:
        games, *played = [
            play_all(each.play, numbers, processes=processes, done=bar(what, len(numbers)))
            for what, each in jobs.items()
        ]
    found = findings(cartridge.name, games, milestones, *played)
    if write is not None:
        write_file(write, written(found.figures, indent=1) + "\n", replaces=False)
    show(found, json=as_json)
