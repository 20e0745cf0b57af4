"""`eval`: plays many games in parallel, shows progress, and writes the results."""

from __future__ import annotations

import json
import os
import sys
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING

import typer

from agent import HOME, VERSION
from agent.advisor.port import Decider
from agent.cli import flags
from agent.cli.flags import command_line, option, require_result_path, seeds_of
from agent.cli.output import INTERRUPTED, Output, progress
from agent.errors import UsageError
from agent.tools.report.words import counted

if TYPE_CHECKING:
    from agent.app import Interrupt
    from agent.lab.eval import EvalGame, EvalResults
    from agent.lab.runner import Runner
    from emulator import Cartridge


def evaluate(
    seeds: str = option("Seeds of the games to play.", "A..B", default=...),
    until: str | None = option("The milestone to reach. Default: the last one of the story.", "ID"),
    memory: Path | None = option(
        "Start every game with a copy of this memory. Default: an empty one.", "PATH"
    ),
    rom: Path | None = flags.ROM,
    out: Path | None = option("The folder for runs, tables and plots. Default: eval/SEEDS.", "DIR"),
    ticks: int | None = option("End each game after this many ticks.", min=1),
    jobs: int | None = option("Games to play at a time. Default: one per core.", min=1),
    minutes: float = option(
        "End a game as a timeout after this wall time.", default=10.0, min=0.01
    ),
    write: Path | None = option(
        "Write the results to this JSON file, with a picture beside it.", "PATH"
    ),
    as_json: bool = flags.AS_JSON,
) -> None:
    """Play many games and measure how far they get.

    Exits 0 when every game ended by itself, at its goal or by giving up; 1 when one had an error, crashed or
    timed out; 130 on Ctrl-C, with the tables of the finished games.
    """
    from agent.app import interrupts
    from agent.lab.eval import EvalResults
    from agent.lab.runner import Runner
    from agent.story.story import Story
    from emulator import demo_cartridge_path, load_cartridge
    from memory.file_access import real_path

    numbers = seeds_of(seeds)
    require_result_path(write)
    if memory is not None and not memory.is_file():
        message = f"--memory {memory} does not exist; leave it out to start with an empty one"
        raise UsageError(message)
    cartridge = load_cartridge(rom or demo_cartridge_path())
    milestones = Story.of(cartridge.kind).up_to(until)
    image = cartridge.path.resolve()  # games run in the checkout
    folder = real_path(out or HOME / "eval" / seeds)
    _require_empty(folder)

    def command(seed: int) -> list[str]:
        given = {
            "--seed": seed,
            "--run": folder / "runs" / f"seed-{seed}",
            "--memory": _memory_for(seed, memory, folder),
            "--until": milestones[-1],
            "--rom": image,
            **({} if ticks is None else {"--ticks": ticks}),
        }
        words = [str(word) for flag in given.items() for word in flag]
        return [sys.executable, "-m", "agent", "play", "--json", *words]

    workers = jobs or os.cpu_count() or 1
    runner = Runner(command, HOME, folder / "logs", workers, 60 * minutes)
    with interrupts() as interrupt:
        games = _play(runner, numbers, folder, milestones[-1], interrupt)
    results = EvalResults(
        games=tuple(sorted(games, key=lambda game: game.seed)),
        milestones=milestones,
        until=milestones[-1],
        settings={
            "seeds": seeds,
            "mind": Decider.RULES.value,
            "memory": memory is not None,
            "ticks": ticks,
            "jobs": workers,
            "minutes": minutes,
        },
        versions={"agent": VERSION, "pyboy": version("pyboy"), "python": python_version()},
        cartridge={"name": cartridge.name, "sha1": cartridge.sha1},
    )
    _write_results(results, folder, write, cartridge)
    if as_json:
        Output().say(json.dumps(results.as_json()))
    else:
        _say_share(results, folder)
    if interrupt.asked:
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(0 if results.all_played else 1)


def _require_empty(folder: Path) -> None:
    if folder.is_dir() and any(folder.iterdir()):
        message = f"--out {folder} is not empty; name a new folder, or remove it first"
        raise UsageError(message)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"--out {folder} is no folder ({error.strerror}); name another"
        raise UsageError(message) from error


def _memory_for(seed: int, memory: Path | None, folder: Path) -> Path:
    """Return a memory file for one game, so that games do not affect each other."""
    from memory.file_access import copy_file

    own = folder / "memories" / f"seed-{seed}.sqlite"
    own.parent.mkdir(exist_ok=True)
    if memory is not None:
        for suffix in ("", "-wal"):
            source = memory.with_name(memory.name + suffix)
            if source.exists():
                copy_file(source, own.with_name(own.name + suffix))
    return own


def _play(
    runner: Runner, seeds: list[int], folder: Path, until: str, interrupt: Interrupt
) -> list[EvalGame]:
    from agent.app import Interrupt
    from agent.lab.eval import game_of

    err, games = Output(stderr=True), list["EvalGame"]()
    with progress(err, Interrupt()) as bar:  # games that end after Ctrl-C are kept as well
        done = bar("game", len(seeds))
        for ended in runner.play(seeds, lambda: interrupt.asked):
            game = game_of(ended, folder / "runs" / f"seed-{ended.seed}")
            games.append(game)
            done(1)
            reached = sum(until in each.milestones for each in games)
            reason = f": {game.reason}" if game.reason else ""
            so_far = f"{reached:,} of {len(games):,} reached {until}"
            err.say(f"seed {game.seed}: {game.stop} after {game.wall_s:.1f} s{reason}; {so_far}")
    return games


def _write_results(
    results: EvalResults, folder: Path, write: Path | None, cartridge: Cartridge
) -> None:
    from agent.lab.eval import as_csv
    from agent.lab.plots import milestones_plot, times_plot
    from agent.lab.publish import Origin, write_result
    from memory.file_access import write_file

    write_file(folder / "eval.csv", as_csv(results))
    figures = results.as_json()
    picture = milestones_plot(results)
    write_file(folder / "eval.json", json.dumps(figures, indent=2) + "\n")
    write_file(folder / "milestones.png", picture)
    write_file(folder / "times.png", times_plot(results))
    if write is not None:
        origin = Origin(command_line(), f"Games to {results.until} by rules alone", cartridge)
        write_result(write, results.rows(), figures, origin, picture)


def _say_share(results: EvalResults, folder: Path) -> None:
    if not results.games:
        Output().say(f"no game was finished; see {folder}")
        return
    share = results.share(results.until)
    Output().say(
        f"{counted(len(results.games), 'game')}, {share.estimate:.0%} reached {results.until}"
        f" (95%: {share.low:.0%} to {share.high:.0%}); see {folder}"
    )
