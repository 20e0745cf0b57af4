"""An evaluation as a page for people."""

from collections.abc import Iterator, Sequence

from agent.eval.game import Game
from agent.eval.intervals import Interval, median_interval
from agent.eval.results import FIGURES, TOTALS, Results


def page(results: Results, plots: Sequence[tuple[str, str]], command: str) -> str:
    """Return the page; `plots` are captions and file names beside it, `command` writes it anew."""
    pictures = [f"![{caption}]({name})\n" for caption, name in plots]
    return (
        "\n".join([*_head(results, command), *pictures, *_figures(results), *_games(results)])
        + "\n"
    )


def _head(results: Results, command: str) -> Iterator[str]:
    goal, games = results.share(results.until), results.games
    reached = sum(results.until in game.milestones for game in games)
    ends = ", ".join(f"{count} {stop}" for stop, count in results.stops().items())
    versions = ", ".join(f"{name} {version}" for name, version in results.versions.items())
    memory = (
        "each with a copy of one memory"
        if results.settings["memory"]
        else "each with an empty memory"
    )
    yield from (
        f"# {len(games)} games to `{results.until}`",
        "",
        f"Written by `{command}`.",
        "",
        f"{reached} of {len(games)} games reach `{results.until}`: {_percent(goal)}.",
        f"How they ended: {ends or 'none was played'}.",
        f"Every game is from power-on, by {results.settings['mind']}, {memory}; the longest took"
        f" {max((game.wall_s for game in games), default=0):.0f} s of wall time.",
        f"The cartridge: {results.cartridge['name']}, SHA-1 `{results.cartridge['sha1']}`; {versions}.",
        "",
        "Shares have Wilson's 95% interval, medians that of a bootstrap.",
        "",
    )


def _figures(results: Results) -> Iterator[str]:
    yield "| milestone | games that reach it | game time, minutes (median) |"
    yield "|---|--:|--:|"
    for name in results.milestones:
        minutes = median_interval(results.minutes(name))
        yield f"| {name} | {_percent(results.share(name))} | {_median(minutes, 1)} |"
    yield ""
    yield "| a game | median |"
    yield "|---|--:|"
    for figure in FIGURES:
        yield f"| {figure.replace('_', ' ')} | {_median(results.median(figure), 0)} |"
    yield ""
    yield "| all games | total |"
    yield "|---|--:|"
    totals = results.summary()["totals"]
    for figure in TOTALS:
        yield f"| {figure.replace('_', ' ')} | {totals[figure]:,} |"
    yield ""


def _games(results: Results) -> Iterator[str]:
    names = results.milestones
    yield "## Every game"
    yield ""
    yield "Ticks to each milestone; battles are those won, lost and fled from."
    yield ""
    heads = " | ".join(names)
    yield f"| seed | stop | {heads} | battles | blackouts | stuck, restores | frames | wall s |"
    yield f"|--:|---|{'--:|' * len(names)}---|--:|---|--:|--:|"
    for game in results.games:
        yield _row(game, names)


def _row(game: Game, names: Sequence[str]) -> str:
    ticks = (str(game.milestones[name].tick) if name in game.milestones else "" for name in names)
    battles = f"{game.battles_won}, {game.battles_lost}, {game.battles_fled}"
    cells = [str(game.seed), game.stop, *ticks, battles, str(game.blackouts)]
    cells += [f"{game.episodes}, {game.restores}", f"{game.frames:,}", f"{game.wall_s:.1f}"]
    return f"| {' | '.join(cells)} |"


def _percent(share: Interval) -> str:
    return f"{share.estimate:.0%} ({share.low:.0%} to {share.high:.0%})"


def _median(interval: Interval | None, digits: int) -> str:
    if interval is None:
        return "never"
    estimate, low, high = (f"{value:,.{digits}f}" for value in interval)
    return f"{estimate} ({low} to {high})"
