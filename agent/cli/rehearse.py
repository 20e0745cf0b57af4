"""`rehearse`: plays whole games in a model of the cartridge, and says how far they come and how long that takes."""

from __future__ import annotations

import os
from pathlib import Path

from agent.cli.flags import AS_JSON, ROM, option, seeds_of, switch


def rehearse(
    rom: Path | None = ROM,
    seeds: str = option("Seeds of the games to rehearse.", "A..B", default="0..9"),
    until: str | None = option("The milestone to reach. Default: the last one of the story.", "ID"),
    on_console: bool = switch(
        "--beside-play", "Play the same seeds on the console as well, and set both side by side."
    ),
    as_json: bool = AS_JSON,
) -> None:
    """Play whole games in a model of the cartridge, in seconds.

    The agent decides as in play; only the carrying out of its actions is modelled, with luck from the seed.
    """
    from agent.app import interrupts
    from agent.cli.measurements import show
    from agent.cli.output import Output, progress
    from agent.lab.rehearse.figures import findings
    from agent.lab.rehearse.play import RehearsalJob
    from agent.lab.runner import play_all
    from agent.story.story import Story
    from emulator import demo_cartridge_path, load_cartridge

    numbers, err = seeds_of(seeds), Output(stderr=True)
    cartridge = load_cartridge(rom or demo_cartridge_path())
    story = Story.of(cartridge.kind)
    milestones = story.up_to(until)
    if story.caveat:
        err.say("The model of this cartridge lacks scripts: games end where the first is missing.")
    processes = min(os.cpu_count() or 1, len(numbers))
    job = RehearsalJob(cartridge.path, milestones[-1])
    with interrupts() as interrupt, progress(err, interrupt) as bar:
        done = bar("game", len(numbers))
        games = play_all(job.play, numbers, processes=processes, done=done)
        played = []
        if on_console:
            done = bar("played game", len(numbers))
            work = job._replace(in_model=False).play
            played = play_all(work, numbers, processes=processes, done=done)
    show(findings(cartridge.name, games, milestones, played), json=as_json)
