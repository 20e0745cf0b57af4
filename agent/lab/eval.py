"""An evaluation: many games of one cartridge, the figures over them, its files and its page, written and read back."""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from agent.lab.runner import EndedGame
from agent.lab.stats import Interval, median_interval, share_interval
from emulator import FRAMES_PER_SECOND
from memory import BLACKOUT, EventRow, MemoryFault, RunReader, read_run

TIMEOUT: Final = "timeout"
CRASH: Final = "crash"
PLAYED: Final = frozenset({"goal", "ticks", "limit", "gave_up"})  # it came to an end of its own


class GameMoment(NamedTuple):
    """A moment of a game."""

    tick: int
    frame: int

    @property
    def minutes(self) -> float:
        """Game time since power-on."""
        return self.frame / FRAMES_PER_SECOND / 60


@dataclass(frozen=True, slots=True)
class EvalGame:
    """How one seed went; `stop` is that of `play`, or timeout or crash where it says nothing.

    A blackout is a defeat after which money is gone, which the first fight of the story is not.
    """

    seed: int
    stop: str
    reason: str
    ticks: int
    frames: int
    wall_s: float
    milestones: Mapping[str, GameMoment]
    battles_won: int
    battles_lost: int
    battles_fled: int
    blackouts: int
    badges: int
    episodes: int
    restores: int
    errors: int

    @property
    def was_played(self) -> bool:
        """Whether it came to an end without a fault of the program."""
        return self.stop in PLAYED and self.errors == 0


def game_of(ended: EndedGame, run: Path) -> EvalGame:
    """Return what became of a game whose process has ended, with what its folder holds of it."""
    summary = _summary(ended)
    when, events = _recorded(run, [str(each["id"]) for each in summary["milestones"]])
    fights = Counter(str(e.payload["outcome"]) for e in events if e.kind == "battle")
    return EvalGame(
        seed=ended.seed,
        stop=summary["stop"],
        reason=summary["reason"],
        ticks=summary["ticks"],
        frames=summary["frames"],
        wall_s=round(ended.wall_s, 3),
        milestones=when,
        battles_won=fights["victory"],
        battles_lost=fights["defeat"],
        battles_fled=fights["runaway"],
        blackouts=blackouts(events),
        badges=summary["badges"],
        episodes=summary["episodes"],
        restores=summary["restores"],
        errors=summary["errors"],
    )


def blackouts(events: Iterable[EventRow]) -> int:
    """Count the defeats that cost money."""
    return sum(event.kind == BLACKOUT for event in events)


def _summary(ended: EndedGame) -> Mapping[str, Any]:
    try:
        told = json.loads(ended.last_line)
    except ValueError:
        told = None
    if ended.code is not None and isinstance(told, dict):
        return told
    stop = TIMEOUT if ended.code is None else CRASH
    reason = "it took too long" if ended.code is None else f"it ended with code {ended.code}"
    counts = dict.fromkeys(("ticks", "frames", "badges", "episodes", "restores"), 0)
    return {**counts, "stop": stop, "reason": reason, "milestones": (), "errors": 1}


def _recorded(run: Path, milestones: Iterable[str]) -> tuple[dict[str, GameMoment], list[EventRow]]:
    """Return when each milestone was reached, and what happened, as far as it can be read."""
    try:
        with closing(read_run(run)) as folder:
            return _times(folder.store, milestones), list(folder.store.events())
    except (MemoryFault, OSError):
        return {}, []  # the game ended before it had written anything


def _times(store: RunReader, milestones: Iterable[str]) -> dict[str, GameMoment]:
    ticks = {str(e.payload["id"]): e.tick for e in store.events("milestone")}
    frames = {step.tick: step.frame for step in store.steps()}
    return {
        name: GameMoment(ticks[name], frames[ticks[name]]) for name in milestones if name in ticks
    }


@dataclass(frozen=True, slots=True)
class EvalResults:
    """All games by seed; `milestones` are those up to `until`, in the order of the story.

    `settings` and `versions` are what it takes to play them again.
    """

    games: tuple[EvalGame, ...]
    milestones: tuple[str, ...]
    until: str
    settings: Mapping[str, Any]
    versions: Mapping[str, str]
    cartridge: Mapping[str, str]

    @property
    def all_played(self) -> bool:
        """Whether every game came to an end without a fault of the program."""
        return all(game.was_played for game in self.games)

    def share(self, milestone: str) -> Interval:
        """Return the share of games that reached a milestone."""
        reached = sum(milestone in game.milestones for game in self.games)
        return share_interval(reached, len(self.games))

    def minutes(self, milestone: str) -> list[float]:
        """Return the game time to a milestone, of each game that reached it."""
        return [
            game.milestones[milestone].minutes
            for game in self.games
            if milestone in game.milestones
        ]

    def median(self, figure: str) -> Interval | None:
        """Return the median of one figure of a game."""
        return median_interval([float(getattr(game, figure)) for game in self.games])

    def stops(self) -> Mapping[str, int]:
        """Return how many games ended in which way, the most frequent first."""
        return dict(Counter(game.stop for game in self.games).most_common())

    def summary(self) -> dict[str, Any]:
        """Return the figures over all games in plain JSON types."""
        won = sum(game.battles_won for game in self.games)
        lost = sum(game.battles_lost for game in self.games)
        return {
            "games": len(self.games),
            "stops": dict(self.stops()),
            "milestones": {name: self._milestone(name) for name in self.milestones},
            "battles_won": _figures(share_interval(won, won + lost)),
            **{name: _figures(self.median(name)) for name in FIGURES},
            "longest_wall_s": max((game.wall_s for game in self.games), default=0.0),
            "totals": {name: _total(self.games, name) for name in TOTALS},
        }

    def _milestone(self, name: str) -> dict[str, Any]:
        minutes = _figures(median_interval(self.minutes(name)))
        return {"reached": _figures(self.share(name)), "game_minutes": minutes}


FIGURES = ("ticks", "frames", "wall_s")
TOTALS = (
    "battles_won",
    "battles_lost",
    "battles_fled",
    "blackouts",
    "episodes",
    "restores",
    "errors",
)


def _figures(interval: Interval | None) -> dict[str, float] | None:
    if interval is None:
        return None
    return {name: round(value, 4) for name, value in interval._asdict().items()}


def _total(games: Sequence[EvalGame], figure: str) -> int:
    return sum(int(getattr(game, figure)) for game in games)


PLAIN: Final = (
    "seed", "stop", "reason", "ticks", "frames", "wall_s", "battles_won", "battles_lost", "battles_fled",
    "blackouts", "badges", "episodes", "restores", "errors",
)  # fmt: skip


def write_csv(results: EvalResults, path: Path) -> None:
    """Write a row for each game; a milestone that was not reached is an empty cell."""
    heads = [f"{name}_{unit}" for name in results.milestones for unit in ("tick", "frame")]
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([*PLAIN, *heads])
        for game in results.games:
            plain = [getattr(game, name) for name in PLAIN]
            rows.writerow([*plain, *_milestones(game, results)])


def write_json(results: EvalResults, path: Path) -> None:
    """Write settings, versions, the cartridge, and the figures over all games."""
    table = {
        "until": results.until,
        "settings": dict(results.settings),
        "versions": dict(results.versions),
        "cartridge": dict(results.cartridge),
        "summary": results.summary(),
    }
    path.write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")


def _milestones(game: EvalGame, results: EvalResults) -> Iterator[object]:
    for name in results.milestones:
        yield from game.milestones.get(name, ("", ""))


def eval_page(results: EvalResults, plots: Sequence[tuple[str, str]], command: str) -> str:
    """Return the page; `plots` are captions and file names beside it, `command` writes it anew."""
    pictures = [f"![{caption}]({name})\n" for caption, name in plots]
    return (
        "\n".join([*_head(results, command), *pictures, *_figure_tables(results), *_games(results)])
        + "\n"
    )


def _head(results: EvalResults, command: str) -> Iterator[str]:
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


def _figure_tables(results: EvalResults) -> Iterator[str]:
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


def _games(results: EvalResults) -> Iterator[str]:
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


def _row(game: EvalGame, names: Sequence[str]) -> str:
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


SHA1: Final = re.compile(r"SHA-1 `([0-9a-f]+)`")
SEEDS: Final = re.compile(r"--seeds (\S+)")
FIRST: Final = "| seed | stop | "  # how the head of the table of every game begins
LAST: Final = ("battles", "blackouts", "stuck, restores", "frames", "wall s")  # how it ends


@dataclass(frozen=True, slots=True)
class GameRow:
    """One game as its row tells it; `ticks` are those to each milestone it reached."""

    seed: int
    ticks: Mapping[str, int]
    battles_lost: int
    blackouts: int
    episodes: int
    restores: int
    frames: int


@dataclass(frozen=True, slots=True)
class Committed:
    """The games of a page; the last of `milestones` is the one they were played to."""

    seeds: str
    sha1: str
    milestones: tuple[str, ...]
    games: tuple[GameRow, ...]


def committed(path: Path) -> Committed | None:
    """Return what the page at `path` holds; None where there is none, or none that `eval` wrote."""
    if not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    seeds, sha1, head = SEEDS.search(text), SHA1.search(text), text.find(FIRST)
    if seeds is None or sha1 is None or head < 0:
        return None
    names, _, *rows = [_cells(line) for line in text[head:].splitlines() if line.startswith("|")]
    milestones = tuple(names[2 : -len(LAST)])
    return Committed(seeds[1], sha1[1], milestones, tuple(_rows(milestones, rows)))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def _rows(milestones: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[GameRow]:
    for row in rows:
        ticks = zip(milestones, row[2:], strict=False)
        battles, blackouts, stuck, frames, _ = row[-len(LAST) :]
        episodes, restores = (int(each) for each in stuck.split(", "))
        yield GameRow(
            seed=int(row[0]),
            ticks={name: int(tick) for name, tick in ticks if tick},
            battles_lost=int(battles.split(", ")[1]),
            blackouts=int(blackouts),
            episodes=episodes,
            restores=restores,
            frames=int(frames.replace(",", "")),
        )
