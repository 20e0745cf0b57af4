"""An evaluation: many games of one cartridge, the figures over them, and those of the same seeds by rules alone.

Shares have Wilson's 95% interval, medians that of a bootstrap. What a model changed is the difference of the game with it
minus the one by rules, so that less than zero is faster, with Student's 95% interval over the pairs. Pairs in which a game
did not reach the milestone have no difference.
"""

import csv
import json
from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, fields
from io import StringIO
from pathlib import Path
from statistics import fmean
from typing import Any, Final, Literal, NamedTuple

from agent.advisor.names import RULES, cost
from agent.events import BattleEvent, MilestoneEvent, events
from agent.lab.runner import EndedGame
from agent.lab.stats import Interval, few_interval, median_interval, share_interval
from agent.tools.report.words import counted
from emulator import FRAMES_PER_SECOND
from memory import BLACKOUT, MemoryFault, RunReader, read_run

KEYS: Final = (
    "stop", "reason", "ticks", "frames", "badges", "episodes", "restores", "errors",
)  # fmt: skip
ADVICE: Final = ("questions", "answers", "followed", "reached")
COSTS: Final = ("usd", "usd_made_up")
PLAYED: Final = frozenset({"goal", "ticks", "limit", "gave_up"})  # it ended by itself


class GameMoment(NamedTuple):
    """A tick of a game, and its frame."""

    tick: int
    frame: int

    @property
    def minutes(self) -> float:
        """Game time since power-on."""
        return self.frame / FRAMES_PER_SECOND / 60


@dataclass(frozen=True, slots=True)
class EvalGame:
    """The result of one seed; `stop` is that of `play`, or timeout or crash when it reported none.

    A blackout is a defeat that costs money, unlike the first battle of the story.
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
    decided_by: str = RULES
    questions: int = 0  # to a model, as the other figures of advice
    answers: int = 0
    followed: int = 0
    reached: int = 0  # of those followed
    usd: float = 0.0  # at list prices
    usd_made_up: float = 0.0  # the part that stands for made-up answers, which cost nothing

    @property
    def was_played(self) -> bool:
        """Whether it ended without an error of the program."""
        return self.stop in PLAYED and self.errors == 0


def game_of(ended: EndedGame, run: Path) -> EvalGame:
    """Return the result of a game whose process has ended, with the data of its run folder."""
    summary = _summary(ended)
    when, fights, lost_money = _recorded(run, {str(each["id"]) for each in summary["milestones"]})
    return EvalGame(
        seed=ended.seed,
        wall_s=round(ended.wall_s, 3),
        milestones=when,
        battles_won=fights["victory"],
        battles_lost=fights["defeat"],
        battles_fled=fights["runaway"],
        blackouts=lost_money,
        **{name: summary[name] for name in KEYS},
        **_advice(summary),
    )


def _advice(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return who decided a game, and the figures of advice if a model was asked."""
    advice = summary.get("advice") or {}
    counts = {name: advice["verdicts"][name] for name in ADVICE} if advice else {}
    costs = {name: round(advice[name], 9) for name in COSTS} if advice else {}
    return {"decided_by": str(summary.get("decided_by", RULES)), **counts, **costs}


def _summary(ended: EndedGame) -> Mapping[str, Any]:
    """Return the summary that a game printed, or one that states why there is none."""
    with suppress(ValueError):
        summary = json.loads(ended.last_line)
        if ended.code is not None and isinstance(summary, dict):
            return summary
    if ended.code is None:
        stop, reason = "timeout", "it took too long"
    else:
        stop, reason = "crash", f"it ended with code {ended.code}"
    return {**dict.fromkeys(KEYS, 0), "stop": stop, "reason": reason, "milestones": (), "errors": 1}


def _recorded(
    run: Path, milestones: Collection[str]
) -> tuple[dict[str, GameMoment], Counter[str], int]:
    """Return the ticks of milestones, the counts of battle outcomes, and the blackouts, as far as readable."""
    try:
        with closing(read_run(run)) as folder:
            store = folder.store
            frames = {step.tick: step.frame for step in store.record.steps()}
            when = {
                each.id: GameMoment(each.tick, frames[each.tick])
                for each in events(store, MilestoneEvent)
                if each.id in milestones
            }
            fights = Counter(each.outcome for each in events(store, BattleEvent))
            return when, fights, blackouts(store)
    except (MemoryFault, OSError):
        return {}, Counter(), 0  # the game ended before it wrote anything


def blackouts(run: RunReader) -> int:
    """Count the defeats that cost money."""
    return sum(1 for _ in run.record.events(BLACKOUT))


@dataclass(frozen=True, slots=True)
class EvalResults:
    """All games by seed; `milestones` are those up to `until`, in the order of the story.

    `settings` and `versions` allow to play them again.
    """

    games: tuple[EvalGame, ...]
    milestones: tuple[str, ...]
    until: str
    settings: Mapping[str, Any]
    versions: Mapping[str, str]
    cartridge: Mapping[str, str]

    @property
    def all_played(self) -> bool:
        """Whether every game ended without an error of the program."""
        return all(game.was_played for game in self.games)

    @property
    def decided_by(self) -> str:
        """Who decided the games: rules, and the models whose advice they had."""
        return "; ".join(dict.fromkeys(game.decided_by for game in self.games)) or RULES

    @property
    def cost_words(self) -> str:
        """The cost of a model, on average a game."""
        usd, made_up = (fmean(getattr(game, name) for game in self.games) for name in COSTS)
        return f"on average {cost(usd, made_up, '{:.4f} USD'.format)} a game"

    def share(self, milestone: str) -> Interval:
        """Return the share of games that reached a milestone."""
        reached = sum(milestone in game.milestones for game in self.games)
        return share_interval(reached, len(self.games))

    def minutes(self, milestone: str) -> list[float]:
        """Return the game time to a milestone, of each game that reached it."""
        reached = [game.milestones for game in self.games if milestone in game.milestones]
        return [milestones[milestone].minutes for milestones in reached]

    def as_json(self) -> dict[str, Any]:
        """Return settings, versions, the cartridge, and the figures over all games, in plain JSON types."""
        won = sum(game.battles_won for game in self.games)
        lost = sum(game.battles_lost for game in self.games)
        summary = {
            "games": len(self.games),
            "decided_by": self.decided_by,
            "stops": dict(Counter(game.stop for game in self.games).most_common()),
            "milestones": {
                name: {
                    "reached": _figures(self.share(name)),
                    "game_minutes": _figures(median_interval(self.minutes(name))),
                }
                for name in self.milestones
            },
            "battles_won": _figures(share_interval(won, won + lost)),
            **{
                name: _figures(median_interval([float(getattr(game, name)) for game in self.games]))
                for name in FIGURES
            },
            "longest_wall_s": max((game.wall_s for game in self.games), default=0.0),
            "advice": {name: sum(getattr(game, name) for game in self.games) for name in ADVICE},
            "usd": {
                name: round(sum(getattr(game, name) for game in self.games), 6) for name in COSTS
            },
            "totals": {name: sum(getattr(game, name) for game in self.games) for name in TOTALS},
        }
        return {
            "until": self.until,
            "settings": dict(self.settings),
            "versions": dict(self.versions),
            "cartridge": dict(self.cartridge),
            "summary": summary,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each game, with empty cells for milestones not reached."""
        rows = []
        for game in self.games:
            row = {name: getattr(game, name) for name in PLAIN}
            for name in self.milestones:
                row[f"{name}_tick"], row[f"{name}_frame"] = game.milestones.get(name, ("", ""))
            rows.append(row)
        return rows


FIGURES: Final = ("ticks", "frames", "wall_s")
TOTALS: Final = (
    "battles_won", "battles_lost", "battles_fled", "blackouts", "episodes", "restores", "errors",
)  # fmt: skip
PLAIN: Final = tuple(each.name for each in fields(EvalGame) if each.name != "milestones")


def _figures(interval: Interval | None) -> dict[str, float] | None:
    if interval is None:
        return None
    return {name: round(value, 4) for name, value in interval._asdict().items()}


def as_csv(results: EvalResults) -> str:
    """Return a row for each game as CSV."""
    heads = [f"{name}_{unit}" for name in results.milestones for unit in ("tick", "frame")]
    text = StringIO()
    rows = csv.DictWriter(text, [*PLAIN, *heads])
    rows.writeheader()
    rows.writerows(results.rows())
    return text.getvalue()


Unit = Literal["frame", "tick"]
UNITS: Final[tuple[Unit, ...]] = ("frame", "tick")  # the measure that counts comes first
FEWEST: Final = 6  # pairs that can show a difference


def signed(amount: float) -> str:
    """Return a whole number with its sign; zero has none."""
    return f"{round(amount):+,}" if round(amount) else "0"


class PairDifference(NamedTuple):
    """The mean difference in frames or ticks to one milestone, of so many pairs that reached it."""

    milestone: str
    unit: Unit
    pairs: int
    interval: Interval | None  # None without a pair

    @property
    def finding(self) -> str:
        """What the interval shows."""
        if self.interval is None or self.pairs < FEWEST:
            return "too few pairs"
        if self.interval.high < 0:
            return "faster"
        return "slower" if self.interval.low > 0 else "no difference shown"

    def __str__(self) -> str:
        if self.interval is None:
            return f"no pair reached {self.milestone}"
        mean, low, high = (signed(each) for each in self.interval)
        bounds = f"95%: {low} to {high}: " if self.pairs >= FEWEST else ""
        return f"{mean} {self.unit}s ({bounds}{self.finding})"


@dataclass(frozen=True, slots=True)
class PairedGames:
    """The games with a model, and those of the same seeds by rules alone."""

    advised: EvalResults
    rules: EvalResults

    @property
    def pairs(self) -> list[tuple[EvalGame, EvalGame]]:
        """The games with a model beside those by rules, by seed; seeds of only one are left out."""
        by_seed = {game.seed: game for game in self.rules.games}
        return [(game, by_seed[game.seed]) for game in self.advised.games if game.seed in by_seed]

    def difference(self, milestone: str, unit: Unit) -> PairDifference:
        """Return the mean difference to a milestone."""
        found = [
            float(
                getattr(one.milestones[milestone], unit)
                - getattr(other.milestones[milestone], unit)
            )
            for one, other in self.pairs
            if milestone in one.milestones and milestone in other.milestones
        ]
        return PairDifference(milestone, unit, len(found), few_interval(found) if found else None)

    def __str__(self) -> str:
        """One line: what the model changed on the way to the goal, and its cost."""
        until = self.advised.until
        frames, ticks = (self.difference(until, unit) for unit in UNITS)
        seeds, of = counted(len(self.pairs), "seed"), len(self.pairs)
        one, other = (sum(until in each[arm].milestones for each in self.pairs) for arm in (0, 1))
        lost = f"; reached by {one} of {of} with the model, {other} of {of} by rules"
        if frames.interval is None:
            return f"{self.advised.decided_by}, on {seeds}: {frames}{lost}"
        return (
            f"{self.advised.decided_by}, against rules alone on {seeds}, to {until}: {frames},"
            f" {ticks}{lost if frames.pairs < of else ''}; {self.advised.cost_words}"
        )

    def as_json(self) -> dict[str, Any]:
        """Return the differences to each milestone, and the figures of the games by rules, in plain JSON types."""
        differences = {
            milestone: {
                f"{unit}s": {
                    "pairs": found.pairs,
                    "difference": found.interval and [round(each, 1) for each in found.interval],
                    "finding": found.finding,
                }
                for unit in UNITS
                for found in [self.difference(milestone, unit)]
            }
            for milestone in self.advised.milestones
        }
        summary = self.rules.as_json()["summary"]
        return {"pairs": len(self.pairs), "differences": differences, "rules": summary}
