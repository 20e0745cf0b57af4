"""The pictures of all measurements, drawn without a screen.

Import it only where a picture is drawn: matplotlib takes a second to load.
"""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from agent.lab.bench.battle_results import fought, paired
from agent.lab.bench.battles import BattlePair
from agent.lab.bench.experience import TICKS, Experiment, PairedDifference
from agent.lab.bench.model_games import KINDS, ConversationTokens, ModelFigures
from agent.lab.bench.trials import EMPTY, TAUGHT, TrialGame
from agent.lab.eval import EvalResults, GameMoment
from agent.lab.exam.exam import ExamResults
from agent.lab.exam.question import ExamMark, ExamScore, QuestionKind
from agent.lab.stats import share_interval

EVAL_SIZE: Final = (8.0, 4.5)
DPI: Final = 110


def draw_milestones(results: EvalResults, path: Path) -> None:
    """Draw the share of games that had reached each milestone over game time, with its 95% band."""
    figure, axes = _blank("game time, minutes", "share of games that got there")
    last = max((GameMoment(game.ticks, game.frames).minutes for game in results.games), default=0.0)
    for name in results.milestones:
        _draw_arrivals(axes, name, sorted(results.minutes(name)), len(results.games), last)
    axes.set_ylim(-0.02, 1.02)
    figure.legend(loc="outside right upper", fontsize="small")
    _save(figure, path)


def _draw_arrivals(axes: Axes, name: str, times: Sequence[float], games: int, last: float) -> None:
    """Draw one milestone; its band spans the time in which games arrive, or are still on their way."""
    shares = [share_interval(number, games) for number in range(1, len(times) + 1)]
    end = max(last, *times, 0.0)
    arrived = [each.estimate for each in shares]
    steps = [0.0, *arrived, arrived[-1] if arrived else 0.0]
    (line,) = axes.step([0.0, *times, end], steps, where="post", label=name)
    if not times:
        return
    spans, bands = list(times), list(shares)
    if len(times) < games:
        spans, bands = [*spans, end], [*bands, bands[-1]]
    lows, highs = [each.low for each in bands], [each.high for each in bands]
    color = line.get_color()
    axes.fill_between(spans, lows, highs, step="post", alpha=0.15, color=color, linewidth=0)


def draw_times(results: EvalResults, path: Path) -> None:
    """Draw the game time to each milestone: boxes with every game as a dot."""
    figure, axes = _blank("", "game time, minutes")
    reached = [name for name in results.milestones if results.minutes(name)]
    times = [results.minutes(name) for name in reached]
    if times:
        axes.boxplot(times, tick_labels=reached, showfliers=False, widths=0.5)
    for place, each in enumerate(times, 1):
        count = len(each)
        spread = [place + 0.3 * ((7 * number % count) / count - 0.5) for number in range(count)]
        axes.plot(spread, each, ".", alpha=0.5, markersize=5)
    _save(figure, path)


def _blank(across: str, up: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=EVAL_SIZE, layout="constrained")
    axes = figure.add_subplot()
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(alpha=0.3)
    return figure, axes


def _save(figure: Figure, path: Path) -> None:
    # Without the name of the program that drew it, the same games give the same file.
    figure.savefig(path, dpi=DPI, format="png", metadata={"Software": None})


BATTLES_SIZE: Final = (8.0, 3.8)
APART: Final = 0.06  # the two of a kind, from its middle
POLICIES: Final = (("agent", "o", -APART), ("baseline", "s", APART))


def battle_plot(pairs: Sequence[BattlePair]) -> bytes:
    """Return a PNG with the shares that both won, and their 95% intervals."""
    figure = Figure(figsize=BATTLES_SIZE, layout="constrained")
    axes = figure.add_subplot()
    counts = [paired(pairs, kind) for kind in fought(pairs)]
    for number, (who, marker, aside) in enumerate(POLICIES):
        shares = [100 * each.rates[number] for each in counts]
        bounds = [each.rate_intervals()[number] for each in counts]
        reaches = [
            [share - 100 * low for share, (low, _) in zip(shares, bounds, strict=True)],
            [100 * high - share for share, (_, high) in zip(shares, bounds, strict=True)],
        ]
        places = [at + aside for at in range(len(counts))]
        axes.errorbar(places, shares, reaches, fmt=marker, capsize=4, label=who)
    axes.set_xticks(
        range(len(counts)), [f"{kind} ({paired(pairs, kind).count})" for kind in fought(pairs)]
    )
    axes.set_ylabel("battles won, %")
    axes.set_ylim(0, 100)
    axes.grid(axis="y", alpha=0.3)
    axes.legend()
    file = BytesIO()
    # Without the name of the program that drew it, the same battles give the same file.
    figure.savefig(file, dpi=DPI, format="png", metadata={"Software": None})
    return file.getvalue()


MODEL_SIZE: Final = (9.0, 7.0)
LAST: Final = 2  # talks that are drawn: the long ones, after those of whole games
TOKEN_COLORS: Final = ("#a8c8e8", "#f2c879", "#e8955b", "#c0504d", "#5a5a5a")
SAYS: Final = {
    "cache_read": "read from the cache",
    "cache_write_1h": "written to it, for an hour",
    "cache_write_5m": "written to it, for minutes",
    "input": "not cached",
    "output": "answered",
}


def model_plot(figures: ModelFigures) -> bytes:
    """Return a PNG with a stack for each call, by kind, and memory's part of it as a line."""
    drawn = Figure(figsize=MODEL_SIZE, layout="constrained")
    panels = drawn.subplots(LAST, 1, sharey=True)
    for axes, talk in zip(panels, figures.talks[-LAST:], strict=True):
        _draw_conversation(axes, talk)
    drawn.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    panels[-1].set_xlabel("call")
    file = BytesIO()
    # Without the name of the program that drew it, the same talks give the same file.
    drawn.savefig(file, dpi=DPI, format="png", metadata={"Software": None})
    return file.getvalue()


def _draw_conversation(axes: Axes, talk: ConversationTokens) -> None:
    numbers = range(1, len(talk.calls) + 1)
    stacks = [[each.kinds[kind] for each in talk.calls] for kind in KINDS]
    labels = [SAYS[kind] for kind in KINDS]
    axes.stackplot(numbers, stacks, labels=labels, colors=TOKEN_COLORS, step="mid", linewidth=0)
    axes.set_xlim(0.5, len(talk.calls) + 0.5)
    memory = [each.memory for each in talk.calls]
    axes.step(
        numbers, memory, where="mid", color="#2e7d32", linewidth=1.2, label="memory's own, of all"
    )
    axes.set_title(f"{talk.name}: {talk.questions} questions", loc="left", fontsize="medium")
    axes.set_ylabel("tokens")
    axes.grid(axis="y", alpha=0.3)


EXPERIMENT_SIZE: Final = (10.0, 4.6)
MARGIN: Final = 40  # ticks round the dots
SIDES: Final = (
    ("less with memory", "o", "tab:green"),
    ("as many", "s", "tab:gray"),
    ("more", "^", "tab:red"),
)


def draw_experiment(experiment: Experiment, path: Path) -> None:
    """Draw both panels into one file."""
    figure = Figure(figsize=EXPERIMENT_SIZE, layout="constrained")
    pairs, forest = figure.subplots(1, 2, width_ratios=(1.0, 1.15))
    _draw_pairs(pairs, experiment)
    _draw_forest(forest, experiment)
    # Without the name of the program that drew it, the same games give the same file.
    figure.savefig(path, dpi=DPI, format="png", metadata={"Software": None})


def _draw_pairs(axes: Axes, experiment: Experiment) -> None:
    """A dot for each seed; below the diagonal memory took fewer ticks."""
    pairs = list(zip(experiment.trials.of(TAUGHT), experiment.trials.of(EMPTY), strict=True))
    ends = [game.ticks for pair in pairs for game in pair]
    low, high = min(ends) - MARGIN, max(ends) + MARGIN
    axes.plot((low, high), (low, high), color="black", linewidth=0.8, alpha=0.6)
    for side, (words, marker, color) in enumerate(SIDES):
        found = [(b.ticks, a.ticks) for a, b in pairs if _side(a, b) == side]
        if found:
            across, up = zip(*found, strict=True)
            label = f"{words}: {len(found)}"
            axes.scatter(across, up, s=22, alpha=0.7, marker=marker, color=color, label=label)
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    axes.set_aspect("equal")
    axes.set_xlabel(f"ticks to {experiment.plan.until}, empty")
    axes.set_ylabel("ticks, taught")
    axes.grid(alpha=0.3)
    axes.legend(loc="upper left", fontsize="small")


def _side(taught: TrialGame, empty: TrialGame) -> int:
    return 1 + (taught.ticks > empty.ticks) - (taught.ticks < empty.ticks)


def _draw_forest(axes: Axes, experiment: Experiment) -> None:
    """The difference in ticks with its interval: all of memory, then each use of it."""
    found = [("all of memory", _ticks(experiment.pays()))]
    found += [(off.use.value, _ticks(off.differences)) for off in experiment.uses()]
    for place, (_, each) in enumerate(found):
        estimate, low, high = each.gap
        reach = [[estimate - low], [high - estimate]]
        color = "black" if place == 0 else "tab:blue"
        axes.errorbar([estimate], [place], xerr=reach, fmt="o", capsize=4, color=color)
        words = f"{estimate:+.0f} ({low:+.0f} to {high:+.0f})"
        axes.annotate(
            words, (estimate, place), (0, 8), textcoords="offset points", ha="center", fontsize=8
        )
    axes.axvline(0, color="black", linewidth=0.8, alpha=0.6)
    axes.set_yticks(range(len(found)), [name for name, _ in found])
    axes.set_ylim(len(found) - 0.5, -0.7)
    axes.set_xlabel("ticks with it less ticks without it, 95%")
    axes.grid(axis="x", alpha=0.3)
    axes.margins(x=0.15)


def _ticks(differences: tuple[PairedDifference, ...]) -> PairedDifference:
    return next(each for each in differences if each.measure is TICKS)


EXAM_SIZE: Final = (10.0, 4.2)
MARK_COLORS: Final = {
    ExamMark.RIGHT: "#2a7f4f",
    ExamMark.ABSTAINED_RIGHTLY: "#8fc7a4",
    ExamMark.ABSTAINED_WRONGLY: "#c9c9c9",
    ExamMark.WRONG: "#b3423a",
}


def draw_exam(results: ExamResults, path: Path) -> None:
    """Draw the share of each mark in every kind of question, side by side for both examinees."""
    figure = Figure(figsize=EXAM_SIZE, layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    _draw_marks(left, "with memory", results.remembering)
    _draw_marks(right, "without memory", results.forgetful)
    left.invert_yaxis()  # the axis of both
    handles, names = left.get_legend_handles_labels()
    figure.legend(
        handles, names, loc="outside lower center", ncols=len(MARK_COLORS), fontsize="small"
    )
    # Without the name of the program that drew it, the same exam gives the same file.
    figure.savefig(path, dpi=DPI, format="png", metadata={"Software": None})


def _draw_marks(axes: Axes, title: str, score: ExamScore) -> None:
    kinds = [kind for kind in QuestionKind if score.count([kind])]
    names = [kind.value for kind in kinds]
    starts = [0.0] * len(kinds)
    for each, color in MARK_COLORS.items():
        shares = [100 * score.marks[kind][each] / score.count([kind]) for kind in kinds]
        axes.barh(names, shares, left=starts, color=color, label=each.value)
        starts = [start + share for start, share in zip(starts, shares, strict=True)]
    axes.set_title(title)
    axes.set_xlabel("% of the questions")
    axes.set_xlim(0, 100)
