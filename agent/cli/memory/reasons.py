"""How the figures of something remembered came to be, and when it will be let go of, in words."""

from collections.abc import Iterator, Mapping
from math import log
from typing import Any, Final

from agent.report.words import DAY_S, ago, clock, date, number, times
from memory import ConsolidationConfig, Item

CONFIG: Final = ConsolidationConfig()
MONTH_DAYS: Final = 30.0
IMPORTANT: Final = 8  # from here on an entry never goes for having faded
_RATE: Final = CONFIG.forgetting_decay_rate
_LEAST: Final = CONFIG.importance_threshold


def reasons(item: Item, now: float) -> Iterator[tuple[str, str]]:
    """Yield each figure by its name, with how it came to be."""
    data: Mapping[str, Any] = item.data
    match item.kind if item.worth is not None else "":
        case "pattern":
            yield from _pattern(data, now)
        case "strategy":
            wins = data["success_rate"] * data["total_uses"]
            yield (
                "success rate",
                (f"{data['success_rate']:.2f}: {wins:,.0f} won of {data['total_uses']:,} battles"),
            )
        case "mistake":
            counted = times(data["occurrence_count"])
            yield "severity", f"{data['severity']}, the worst so far; it happened {counted}"
        case "preference":
            yield (
                "confidence",
                (
                    f"{data['confidence']:.2f}: the share of battles won by opening with "
                    f"{number(data['preference_value'])}, times {_RATE} a month"
                ),
            )
        case _:
            yield from _entry(item)
    if item.worth is not None:
        yield "worth now", _worth(item, now)


def end(item: Item, now: float) -> str:
    """Return when it will be let go of if nothing bears it out again."""
    if item.worth is None:
        return _end_in_a_run(item)
    if item.closed:
        return "it no longer holds, so no run is given it; it stays until it has faded as well"
    if item.table == "ltm_entries" and _importance(item) >= IMPORTANT:
        return f"never for having faded: its importance is {IMPORTANT} or more"
    if item.worth < _LEAST:
        return "the next time that the file is opened to be written: it is worth too little"
    months = log(_LEAST / item.worth) / log(_RATE)
    day = date(now + months * MONTH_DAYS * DAY_S)
    return (
        f"about {day}, in {months:,.0f} months, when {_RATE} a month has brought it from "
        f"{item.worth:.2f} under {_LEAST}; sooner when there are better ones than there is room for"
    )


def _pattern(data: Mapping[str, Any], now: float) -> Iterator[tuple[str, str]]:
    tried = data["success_count"] + data["failure_count"]
    yield "confidence", f"{data['confidence']:.2f}: worked {data['success_count']:,} of {tried:,}"
    yield (
        "relevance",
        (
            f"{data['relevance_score']:.2f}: its confidence, times {_RATE} for each month since it was "
            f"last borne out ({ago(data['last_validated'], now)})"
        ),
    )


def _entry(item: Item) -> Iterator[tuple[str, str]]:
    more: Mapping[str, Any] = item.more
    yield "importance", f"{more['importance']} of 10, by what kind of thing it is"
    yield "relevance", f"{more['relevance']:.2f}: 1.00 when it was written, fading ever since"
    judged = (
        "as it began: no recall of it was judged"
        if more["utility"] == 0.5
        else "as recalls of it turned out"
    )
    yield "utility", f"{more['utility']:.2f} of 1, {judged}"
    if more["version"] > 1:
        yield "version", f"{more['version']:,}: written again under its key"
    if more.get("taught", 1) > 1:
        yield "taught", times(more["taught"])
    if more.get("merged"):
        yield "merged from", number(more["merged"])


def _worth(item: Item, now: float) -> str:
    says = f"{item.worth:.2f}"
    match item.kind if item.table != "ltm_entries" else "":
        case "pattern":
            return f"{says}: its relevance"
        case "strategy":
            return f"{says}: its success rate, times {_RATE} for each month since ({ago(item.last, now)})"
        case "mistake":
            return (
                f"{says}: critical counts 1.0, major 0.8, minor 0.5; times {_RATE} for each month "
                f"since ({ago(item.last, now)})"
            )
        case "preference":
            return f"{says}: its confidence"
        case _:
            return f"{says}: its relevance times (0.5 + utility)"


def _end_in_a_run(item: Item) -> str:
    expires = item.more.get("expires_s")
    if isinstance(expires, int | float):
        return f"at {clock(expires)} of the run's game time, when its time to live is over"
    return "when its place is full of what is worth more, or it has faded there"


def _importance(item: Item) -> int:
    value = item.more.get("importance")
    return value if isinstance(value, int) else 0
