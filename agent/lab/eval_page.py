"""`eval.html`: a self-contained page about many games, and about the same seeds by rules alone beside them."""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from agent.lab.eval import UNITS, EvalGame, EvalResults, PairedGames, as_csv, signed
from agent.lab.plots import intervals_plot, milestones_plot, times_plot
from agent.lab.stats import Interval, median_interval
from agent.tools.report.html import render, write_page
from agent.tools.report.page import PAGE as REPORT
from agent.tools.report.words import number, usd
from memory.file_access import write_file

PAGE: Final = "eval.html"
RULES: Final = "rules"  # the folder of the games by rules alone, inside that of the others
NONE: Final = "-"
Cell: TypeAlias = tuple[str, str]  # what it says, and the page that it leads to, '' for none
PLOTS: Final = {
    "milestones.png": "Share of games that reached each milestone",
    "times.png": "Game time to each milestone",
}


def write_tables(results: EvalResults, folder: Path) -> Mapping[str, bytes]:
    """Write the table and the plots of some games into their folder, and return the plots by name."""
    plots = {"milestones.png": milestones_plot(results), "times.png": times_plot(results)}
    write_file(folder / "eval.csv", as_csv(results))
    for name, picture in plots.items():
        write_file(folder / name, picture)
    return plots


def write_eval_page(results: EvalResults, folder: Path, pairs: PairedGames | None) -> Path:
    """Write the tables, the plots and the page of some games into their folder; return the path of the page."""
    arms = [(results, folder)] + ([(pairs.rules, folder / RULES)] if pairs else [])
    drawn = [
        (f"{PLOTS[name]}, {arm.decided_by}", picture)
        for arm, place in arms
        for name, picture in write_tables(arm, place).items()
    ]
    if pairs:
        drawn.insert(0, ("Difference in frames to each milestone, with its interval", _plot(pairs)))
    path = folder / PAGE
    page = render(
        "eval.html",
        title=f"{number(len(results.games))} games to {results.until}",
        line=str(pairs or f"decided {results.decided_by}"),
        cartridge=str(results.cartridge.get("name", "")),
        settings=[(name, str(value)) for name, value in results.settings.items()],
        pairs=[list(_pair_row(*each, results.until)) for each in pairs.pairs] if pairs else [],
        differences=list(_difference_rows(pairs)) if pairs else [],
        games=[] if pairs else [_game_row(each, results.until) for each in results.games],
        arms=[(arm.decided_by, list(_milestone_rows(arm))) for arm, _ in arms],
        plots=[(says, b64encode(picture).decode()) for says, picture in drawn],
    )
    write_page(path, page)
    return path


def _plot(pairs: PairedGames) -> bytes:
    found = [pairs.difference(name, "frame") for name in pairs.advised.milestones]
    shown = {each.milestone: each.interval for each in found if each.interval is not None}
    series = {"with the model, minus by rules": shown}
    return intervals_plot(series, "frames; less than zero is faster")


def _report(seed: int, arm: str = "") -> str:
    return f"{arm}runs/seed-{seed}/{REPORT}"


def _pair_row(one: EvalGame, other: EvalGame, until: str) -> Iterator[Cell]:
    """Yield the cells of a pair: the seed, frames and ticks of both with their difference, and what came of advice."""
    yield str(one.seed), ""
    for unit in UNITS:
        mine, theirs = (getattr(each.milestones.get(until), unit, None) for each in (one, other))
        yield _amount(mine), _report(one.seed)
        yield _amount(theirs), _report(one.seed, f"{RULES}/")
        yield (NONE if mine is None or theirs is None else signed(mine - theirs)), ""
    for words in (f"{one.followed} of {one.answers}", str(one.reached), usd(one.usd)):
        yield words, ""


def _amount(value: int | None) -> str:
    return NONE if value is None else f"{value:,}"


def _difference_rows(pairs: PairedGames) -> Iterator[Sequence[str]]:
    for name in pairs.advised.milestones:
        frames, ticks = (pairs.difference(name, unit) for unit in UNITS)
        yield [name, str(frames.pairs), str(frames), str(ticks) if ticks.pairs else NONE]


def _game_row(game: EvalGame, until: str) -> Sequence[Cell]:
    arrived = game.milestones.get(until)
    frames, ticks = (_amount(getattr(arrived, unit, None)) for unit in UNITS)
    ended = f"{game.stop}: {game.reason}" if game.reason else game.stop
    fought = f"{game.battles_won}", f"{game.battles_lost}", f"{game.episodes}", f"{game.errors}"
    cells = (str(game.seed), ended, frames, ticks, *fought)
    return [(cells[0], _report(game.seed)), *((each, "") for each in cells[1:])]


def _milestone_rows(results: EvalResults) -> Iterator[Sequence[str]]:
    for name in results.milestones:
        share, minutes = results.share(name), median_interval(results.minutes(name))
        yield [name, _words(share, "{:.0%}"), _words(minutes, "{:.1f}") if minutes else NONE]


def _words(found: Interval, form: str) -> str:
    estimate, low, high = (form.format(each) for each in found)
    return f"{estimate} (95%: {low} to {high})"
