"""`memory progress`: whether play gets better from game to game, by the milestones of each run that a file knows."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final, NamedTuple

from agent.cli.memory.show import open_view
from agent.cli.output import Output, listing
from agent.errors import UsageError
from agent.experience.choices import ODDS, SHOPPING, SURENESS
from agent.experience.run_times import compared
from agent.experience.uses import LATELY
from agent.tools.report.words import companion, counted, number, plain
from memory import MILESTONE_TIME, Json, MemoryItem, milestones_of
from memory.tiers import OPPONENT_MET

SHOWN: Final = 8  # of the newest runs of a milestone, and of the hardest trainers
FEWEST: Final = 4  # runs that have a trend
MILESTONES: Final = ("milestone", "ticks by run, oldest first", "best", "mean", "trend")
STARTER: Final = "take_starter"  # the id of this choice on every cartridge
CHOICES: Final = ("choice", "way", "games", "best", "mean", "weighed")
TRAINERS: Final = (
    "trainer",
    "games",
    "won",
    "lost",
    "turns a battle",
    "% of HP a battle",
    "money in all",
)


class RunProgress(NamedTuple):
    """One run: its choices by words, the tick of each milestone, in order, and the decisions that memory moved."""

    run: str
    choices: Mapping[str, str]
    ticks: Mapping[str, int]
    moved: Mapping[str, int]


def progress(path: Path | None, *, as_json: bool) -> None:
    """Show the milestones by run, choices, trainers and uses of memory."""
    out = Output()
    with open_view(path) as view:
        items, file = view.items(), view.path
    runs = sorted(_runs(items), key=lambda each: each.run)
    if not runs:
        raise UsageError(f"{file} knows no milestone of any run; play a game with it first")
    found: dict[str, Any] = {
        "runs": [each._asdict() for each in runs],
        "milestones": milestones(runs),
        "choices": choices(items),
        "trainers": trainers(items),
        "moved": moved(runs),
    }
    if as_json:
        out.say(json.dumps(found))
        return
    rows = (
        [plain(each["milestone"]), *map(number, list(each.values())[1:])]
        for each in found["milestones"]
    )
    out.print(listing(f"{file}: {counted(len(runs), 'game')}", MILESTONES, rows, wide=1))
    title = "choices, in ticks; play compares the weighed ones"
    out.print(listing(title, CHOICES, _of_choices(found["choices"]), wide=1))
    title = "trainers that cost most"
    out.print(listing(title, TRAINERS, _cells(found["trainers"])))
    uses = [f"{plain(use)} {times:,}" for use, times in found["moved"].items()]
    out.say(f"decisions that memory moved: {', '.join(uses) or 'none'}")


def _cells(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    return ([number(value) for value in each.values()] for each in rows)


def _of_choices(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    """Yield the cells of ways, the first one of a choice with its name and the part of the game that is compared."""
    about = ""
    for each in rows:
        choice, way, compared_from, *ticks = each.values()
        is_first, about = choice != about, choice
        yield [f"{choice}, {compared_from}" if is_first else "", way, *map(number, ticks)]


def _runs(items: Sequence[MemoryItem]) -> Iterator[RunProgress]:
    for each in items:
        if each.kind == MILESTONE_TIME:
            data: Mapping[str, Any] = each.data
            ticks = {name: int(taken["tick"]) for name, taken in milestones_of(data).items()}
            ordered = dict(sorted(ticks.items(), key=lambda pair: pair[1]))
            made = dict(_in_words(name, way, data) for name, way in data["choices"].items())
            yield RunProgress(str(data["run"]), made, ordered, data.get("moved", {}))


def _in_words(name: str, way: int, run: Mapping[str, Any]) -> tuple[str, str]:
    """Return a choice, and one of its ways, that `run` took."""
    kind, _, about = name.partition(":")
    if name == SHOPPING.id:
        return SHOPPING.label, SHOPPING.ways[way]
    if kind == ODDS:
        return f"how sure, {plain(about)}", SURENESS[way]
    return plain(name), (name == STARTER and companion(run)) or f"person {way}"


def milestones(runs: Sequence[RunProgress]) -> list[dict[str, Any]]:
    """Return each milestone, in order, with its ticks by run, best, mean and trend."""
    names = dict.fromkeys(name for each in runs for name in each.ticks)
    rows: list[dict[str, Any]] = []
    for name in names:
        ticks = [each.ticks[name] for each in runs if name in each.ticks]
        best, mean = min(ticks), round(fmean(ticks))
        newest: dict[str, Any] = {"milestone": name, "ticks": ticks[-SHOWN:]}
        rows.append({**newest, "best": best, "mean": mean, "trend": _trend(ticks)})
    return sorted(rows, key=lambda each: int(each["mean"]))


def _trend(ticks: Sequence[int]) -> str:
    """Return by how much the mean of the later half of the games differs from that of the earlier half."""
    if len(ticks) < FEWEST:
        return "too few games"
    half = len(ticks) // 2
    return f"{fmean(ticks[-half:]) / fmean(ticks[:half]) - 1:+.0%}"


def choices(items: Sequence[MemoryItem]) -> list[dict[str, Any]]:
    """Return each way of each choice as play compares them, the quickest way of a choice first.

    `weighed` is what the ticks count: those of later milestones less, and none that other choices explain.
    """
    known = [each for each in items if each.kind == MILESTONE_TIME]
    known = sorted(known, key=lambda each: str(each.data["run"]))[-LATELY:]
    made: dict[str, dict[int, Mapping[str, Any]]] = {}  # a run of each way of each choice
    for each in known:
        run: Mapping[str, Any] = each.data
        for name, way in run["choices"].items():
            made.setdefault(name, {})[way] = run
    rows: list[dict[str, Any]] = []
    for name, ways in made.items():
        found = compared(name, tuple(ways), known)
        for way in sorted(found.took, key=lambda way: fmean(found.values[way])):
            ticks, (label, words) = found.took[way], _in_words(name, way, ways[way])
            row = {"choice": label, "way": words, "compared": plain(found.words)}
            means = {"mean": round(fmean(ticks)), "weighed": round(fmean(found.values[way]))}
            rows.append({**row, "games": len(ticks), "best": round(min(ticks)), **means})
    return rows


def trainers(items: Sequence[MemoryItem]) -> list[dict[str, Any]]:
    """Return the trainers with most defeats, then most turns in the mean of a battle."""
    rows: list[dict[str, Any]] = []
    for each in items:
        data: Mapping[str, Any] = each.data
        if each.kind == OPPONENT_MET and data.get("is_trainer") and data["met"]:
            means = {name: round(data[name] / data["met"], 1) for name in ("turns", "hp_lost")}
            counts = {name: data[name] for name in ("games", "won", "lost")}
            rows.append({"trainer": data["subject"], **counts, **means, "money": data["money"]})
    return sorted(rows, key=lambda row: (-row["lost"], -row["turns"], row["trainer"]))[:SHOWN]


def moved(runs: Sequence[RunProgress]) -> dict[str, Json]:
    """Return how many decisions each use of memory moved in all runs, most first."""
    sums: Counter[str] = Counter()
    for each in runs:
        sums.update(each.moved)
    return {use: times for use, times in sums.most_common() if times}
