"""`eval`: plays many games in parallel, shows progress, and writes the results."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING

import typer

from agent import HOME, VERSION
from agent.advisor.port import Decider
from agent.cli import flags
from agent.cli.flags import make_folder, option, require_result_path, seeds_of, with_settings
from agent.cli.output import INTERRUPTED, Output, progress
from agent.errors import UsageError
from agent.settings import AskSettings, Settings, given_flags, words_of
from agent.shell import typed_in_checkout
from agent.tools.report.words import counted

if TYPE_CHECKING:
    from agent.app import Interrupt
    from agent.lab.eval import EvalGame, EvalResults, PairedGames
    from agent.lab.runner import Runner
    from agent.lab.sources import OpenedFiles
    from emulator import Cartridge


@with_settings("usd", "tapes", "distils")
def evaluate(
    *,
    seeds: str = option("Seeds of the games to play.", "A..B", default=...),
    until: str | None = option("The milestone to reach. Default: the last one of the story.", "ID"),
    memory: Path | None = option(
        "Start every game with a copy of this memory. Default: an empty one.", "PATH"
    ),
    mind: Decider | None = flags.MIND,
    against: Decider | None = option(
        "Play the same seeds and memory by `rules` alone as well, and say what the model changed."
    ),
    max_usd: float | None = option(
        "The most that a model may cost in each game. Default: as in the terms, 2.", "USD"
    ),
    asking: AskSettings,
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

    With --against rules the same seeds and memory are also played without the model, to say what it changed.
    Exits 0 when every game ended by itself, at its goal or by giving up; 1 when one had an error, crashed or
    timed out; 130 on Ctrl-C, with the tables of the finished games, and no file of --write.
    """
    from agent.app import interrupts
    from agent.lab.eval import PairedGames
    from agent.lab.eval_page import RULES, write_eval_page
    from agent.lab.sources import recording
    from agent.story.story import Story
    from emulator import demo_cartridge_path, load_cartridge
    from memory.file_access import real_path, write_file

    numbers, workers = seeds_of(seeds), jobs or os.cpu_count() or 1
    require_result_path(write)
    asking = replace(asking, usd=max_usd)
    _require_usable(mind, against, asking)
    if memory is not None and not memory.is_file():
        message = f"--memory {memory} does not exist; leave it out to start with an empty one"
        raise UsageError(message)
    cartridge = load_cartridge(rom or demo_cartridge_path())
    milestones = Story.of(cartridge.kind).up_to(until)
    folder = real_path(out or HOME / "eval" / seeds)
    _require_empty(folder)
    settings = {"seeds": seeds, "memory": memory is not None, "ticks": ticks, "jobs": workers}
    plan = EvalPlan(
        cartridge, milestones, memory, ticks, workers, minutes, {**settings, "minutes": minutes}
    )
    pairs = None
    with interrupts() as interrupt, recording(here=True) as record:
        asked = _found_anywhere(asking) if mind is Decider.CLAUDE else AskSettings()
        results = plan.play(numbers, folder, mind or Decider.RULES, asked, interrupt)
        if against is not None:
            by_rules = plan.play(numbers, folder / RULES, against, AskSettings(), interrupt)
            pairs = PairedGames(results, by_rules)
        figures = results.as_json() | ({"against": pairs.as_json()} if pairs is not None else {})
        if write is not None and not interrupt.asked:
            _write_result(write, results, figures, cartridge, record)
    write_file(folder / "eval.json", json.dumps(figures, indent=2) + "\n")
    page = write_eval_page(results, folder, pairs)
    if as_json:
        Output().say(json.dumps(figures))
    else:
        _say_results(results, pairs, folder, page)
    if interrupt.asked:
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(0 if all(each.all_played for each in _arms(results, pairs)) else 1)


@dataclass(frozen=True, slots=True)
class EvalPlan:
    """How each game of an evaluation is played, by rules or with a model; `settings` are kept with the results."""

    cartridge: Cartridge
    milestones: tuple[str, ...]
    memory: Path | None  # each game gets a copy
    ticks: int | None
    jobs: int
    minutes: float
    settings: Mapping[str, object]

    def play(
        self,
        seeds: list[int],
        folder: Path,
        mind: Decider,
        asked: AskSettings,
        interrupt: Interrupt,
    ) -> EvalResults:
        """Return the games of these seeds, played in `folder`; `asked` is about a model."""
        from agent.lab.eval import EvalResults
        from agent.lab.runner import Runner

        def command(seed: int) -> Sequence[str]:
            return self._command(seed, folder, mind, asked)

        folder.mkdir(exist_ok=True)
        runner = Runner(command, HOME, folder / "logs", self.jobs, 60 * self.minutes)
        until = self.milestones[-1]
        games = _play(runner, seeds, folder, until, interrupt)
        named = {name.removeprefix("--"): value for name, value in given_flags(asked)}
        return EvalResults(
            games=tuple(sorted(games, key=lambda game: game.seed)),
            milestones=self.milestones,
            until=until,
            settings={**self.settings, "mind": mind.value, **named},
            versions={"agent": VERSION, "pyboy": version("pyboy"), "python": python_version()},
            cartridge={"name": self.cartridge.name, "sha1": self.cartridge.sha1},
        )

    def _command(self, seed: int, folder: Path, mind: Decider, asked: AskSettings) -> list[str]:
        settings = Settings(
            seed=seed,
            run=folder / "runs" / f"seed-{seed}",
            memory=_memory_for(seed, self.memory, folder),
            until=self.milestones[-1],
            rom=self.cartridge.path.resolve(),  # games run in the checkout
            mind=mind,
            ticks=self.ticks,
            asking=replace(asked, tapes=folder / "tapes" / f"seed-{seed}"),  # no notes of another
        )
        return [sys.executable, "-m", "agent", "play", "--json", *words_of(settings)]


def _require_usable(mind: Decider | None, against: Decider | None, asking: AskSettings) -> None:
    """Raise UsageError when there is nothing to compare, or no usable key for a model."""
    if against is Decider.CLAUDE or (against is not None and mind is not Decider.CLAUDE):
        message = "--against compares a model with rules: give --mind claude --against rules"
        raise UsageError(message)
    if mind is not Decider.CLAUDE and (given := dict(given_flags(asking))):
        raise UsageError(
            f"{next(iter(given))} is about a model; give --mind claude as well, or leave it out"
        )
    if mind is Decider.CLAUDE:
        from agent.app.model import require_key
        from agent.app.settings import model_terms

        require_key(model_terms(asking, HOME))


def _found_anywhere(asking: AskSettings) -> AskSettings:
    """Return the settings with paths that also hold in the folder of a game."""
    terms, prices = asking.terms, asking.prices
    return replace(asking, terms=terms and terms.resolve(), prices=prices and prices.resolve())


def _arms(results: EvalResults, pairs: PairedGames | None) -> list[EvalResults]:
    return [results] if pairs is None else [results, pairs.rules]


def _require_empty(folder: Path) -> None:
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(f"--out {folder} is not empty; name a new folder, or remove it first")
    make_folder("--out", folder)


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


def _write_result(
    write: Path,
    results: EvalResults,
    figures: Mapping[str, object],
    cartridge: Cartridge,
    record: OpenedFiles,
) -> None:
    from agent.lab.plots import milestones_plot
    from agent.lab.publish import Origin, write_result

    what = f"Games to {results.until}, decided {results.decided_by}"
    sources = record.sources(write.stem, here=True)
    origin = Origin(typed_in_checkout(), what, cartridge, record.seconds, sources)
    write_result(write, results.rows(), figures, origin, milestones_plot(results))


def _say_results(results: EvalResults, pairs: PairedGames | None, folder: Path, page: Path) -> None:
    if not results.games:
        Output().say(f"no game was finished; see {folder}")
        return
    share = results.share(results.until)
    Output().say(
        f"{counted(len(results.games), 'game')}, {share.estimate:.0%} reached {results.until}"
        f" (95%: {share.low:.0%} to {share.high:.0%})"
    )
    if pairs is not None:
        Output().say(str(pairs))
    Output().say(f"page: {page}")
