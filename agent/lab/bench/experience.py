"""The effect of memory on each measure: the same seeds with it and without it.

An empty memory draws the companion, how far to shop and how much to train by lot, so the first comparison says what
taking the better ways is worth against that lot. Two more say what is left beside it: taught games without the use
`choices`, which draw as well, against empty ones; and empty games that drew the way which memory takes, against taught
ones that took it, both of any seed and thus without an interval.

The games of some seeds are played in sequence with one memory. Then each game of other seeds is played once in each
arm: taught (with a copy of that memory), empty, and taught without one use of it. Every difference is with memory
minus without it, in pairs of the same seed; a lower value is better for all measures. Means have the interval of a
bootstrap over the pairs, shares that of Newcombe's method 10; p is the exact two-sided sign test on the pairs that
differ. There is no correction for multiple measures. Only one memory was taught: intervals cover the choice of the
tested seeds, not the choice of other lessons.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, Final, NamedTuple

from agent.experience.memory_use import MemoryUse
from agent.lab.bench.trials import EMPTY, TAUGHT, TaughtMemory, TrialGame, Trials
from agent.lab.publish import Findings, Row
from agent.lab.stats import Interval, Paired, mean_interval
from agent.tools.report.words import counted

FEWEST: Final = 20  # pairs needed for a useful bootstrap


class Measure(NamedTuple):
    """A figure of a game for which a lower value is better."""

    what: str
    of: Callable[[TrialGame], int]
    is_share: bool = False  # of the games: 1 or 0 in each


TICKS: Final = Measure("ticks", lambda game: game.ticks)
MEASURES: Final = (
    TICKS,
    Measure("frames", lambda game: game.frames),
    Measure("battles", lambda game: game.battles),
    Measure("turns of battle", lambda game: game.turns),
    Measure("battles lost", lambda game: game.lost),
    Measure("lost any battle", lambda game: int(game.lost > 0), is_share=True),
    Measure("white-outs", lambda game: game.blackouts),
    Measure("stuck episodes", lambda game: game.episodes),
    Measure("restores", lambda game: game.restores),
    Measure("did not get there", lambda game: int(not game.reached), is_share=True),
)


def difference(
    measure: Measure, with_it: Sequence[TrialGame], without_it: Sequence[TrialGame]
) -> Row:
    """Return one measure of the games of the same seeds, in the same order; there must be at least one.

    These are both means, their difference with its interval, in how many pairs the game with memory was better, the
    same or worse, and a verdict.
    """
    ones, others = ([measure.of(game) for game in games] for games in (with_it, without_it))
    pairs = list(zip(ones, others, strict=True))
    if measure.is_share:
        gap = Paired.of((bool(a), bool(b)) for a, b in pairs).interval()
    else:
        gap = mean_interval([a - b for a, b in pairs])
    signs = Paired.of((a < b, b < a) for a, b in pairs)
    return {
        "with": fmean(ones),
        "without": fmean(others),
        "difference": gap,
        "better": signs.first,
        "same": signs.both + signs.neither,
        "worse": signs.second,
        "p": signs.p_value(),
        "verdict": _verdict(gap, len(pairs)),
    }


def _verdict(gap: Interval, pairs: int) -> str:
    """Return what an interval says, which is too narrow for few pairs; one that contains 0 shows no difference."""
    if pairs < FEWEST:
        return "too few games to say"
    if gap.high < 0:
        return "helps"
    return "harms" if gap.low > 0 else "no difference shown"


def experience_findings(
    plan: Mapping[str, Any], cartridge: str, trials: Trials, lessons: TaughtMemory
) -> Findings:
    """Return all figures, and every game; `plan` holds the options of the command line."""
    games = len(trials[TAUGHT])
    pays = _differences(trials[TAUGHT], trials[EMPTY])
    drawing, alike = drawing_games(trials), same_ways(trials)
    uses = dict(_uses(trials))
    figures = {
        **plan,
        "games": games,
        "lessons": lessons.rows,
        "pays": pays,
        "pays, all choices drawn": drawing,
        "ticks, same way": alike,
        "uses": uses,
        "played": {arm.name: played for arm, played in trials.items()},
    }
    paying = [
        {"taught less empty, which draws by lot": name, **each} for name, each in pays.items()
    ]
    equal = [{"both draw their choices": what, **each} for what, each in drawing.items()]
    using = [
        {"ticks, for": use, **found[TICKS.what]}
        | {"other games": found["changed"], "decisions moved, in games": found["moved"]}
        for use, found in uses.items()
    ]

    def draw() -> bytes:
        from agent.lab.plots import intervals_plot

        gaps = {"all, against the lot": pays[TICKS.what]["difference"]}
        if drawing:
            gaps["all but choices"] = drawing[TICKS.what]["difference"]
        gaps |= {use: found[TICKS.what]["difference"] for use, found in uses.items()}
        return intervals_plot({"95%": gaps}, "ticks with it less ticks without it")

    title = f"bench experience: {cartridge}, {counted(games, 'seed')} to {plan['until']}, in pairs"
    return Findings(title, figures, [paying, equal, alike, using], draw=draw)


def drawing_games(trials: Trials) -> dict[str, Row]:
    """Return the differences of taught games without the use `choices` less empty ones: both draw by lot."""
    drawing = (games for arm, games in trials.items() if arm.off == (MemoryUse.CHOICES,))
    return next((_differences(games, trials[EMPTY]) for games in drawing), {})


def same_ways(trials: Trials) -> list[Row]:
    """Return for each choice the way that most taught games took, and the mean ticks of the games that took or drew it."""
    taken = Counter(each for game in trials[TAUGHT] for each in game.choices.items())
    usual = {choice: way for (choice, way), _ in reversed(taken.most_common())}
    rows: list[Row] = []
    for choice, way in sorted(usual.items()):
        row: dict[str, Any] = {"the way that memory takes": f"{choice.replace('_', ' ')} {way}"}
        for name, arm in (("drawn by empty", EMPTY), ("taken by taught", TAUGHT)):
            ticks = [game.ticks for game in trials[arm] if game.choices.get(choice) == way]
            row |= {f"games, {name}": len(ticks), f"ticks, {name}": fmean(ticks) if ticks else None}
        rows.append(row)
    return rows


def _uses(trials: Trials) -> Iterator[tuple[str, Row]]:
    """Yield the value of each use of memory: taught games against the same games without that use.

    Beside the measures it has the number of games that differ, the number of decisions changed in the taught games,
    and the number of games with such a decision, if runs record that.
    """
    taught = trials[TAUGHT]
    moved_games = [game.moved for game in taught if game.moved is not None]
    for arm, games in trials.items():
        for use in arm.off:
            pairs = zip(taught, games, strict=True)
            counts = [moved.get(use.value, 0) for moved in moved_games]
            found = {
                "changed": sum((a.ticks, a.frames) != (b.ticks, b.frames) for a, b in pairs),
                "moved": (sum(counts), sum(count > 0 for count in counts)) if moved_games else None,
            }
            yield use.value, found | _differences(taught, games)


def _differences(one: Sequence[TrialGame], other: Sequence[TrialGame]) -> dict[str, Row]:
    return {each.what: difference(each, one, other) for each in MEASURES}
