"""What stands at the top of a page: how it ended, in a sentence, and the figures asked for first."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from agent.report.axis import game_time
from agent.report.gather import Gathered
from agent.report.gather.verdict import Kind
from agent.report.words import number

LIMITS: Final = {
    "hours": "hours of the night",
    "game_hours": "hours of game time",
    "ticks": "ticks",
    "disk": "space on the disk",
    "memory": "memory",
    "log": "its log",
    "calls": "calls of a model",
    "dollars": "dollars",
}


class Figure(NamedTuple):
    """One figure: its name, and the words that say it."""

    name: str
    says: str
    more: str = ""


def headline(told: Gathered) -> str:
    """Return how it ended, in a few words."""
    verdict = told.verdict
    match verdict.kind:
        case Kind.GOAL:
            return f"Goal reached: {told.until}"
        case Kind.LIMIT:
            return f"Ended at its limit of {LIMITS.get(verdict.which, verdict.which or 'play')}"
        case Kind.GAVE_UP:
            return f"Gave up on its way to: {told.until}"
        case Kind.INTERRUPTED:
            return "Interrupted"
        case Kind.ERROR:
            return "Ended by an error of the program"
        case Kind.ENDED:
            return "Ended in order"
        case Kind.OPEN:
            return "Not ended: still being played, or cut off"


def lead(told: Gathered) -> str:
    """Return what happened, in a sentence or two."""
    parts = [told.verdict.why] if told.verdict.why else []
    if told.milestones:
        last = told.milestones[-1]
        parts.append(f"The last milestone was to {last.says}, at {game_time(last.when.game_s)}")
    elif told.verdict.kind is not Kind.GOAL:
        parts.append("No milestone was reached")
    if told.verdict.kind is not Kind.GOAL and told.pending:
        parts.append(f"It was on its way to: {told.until}")
    return ". ".join(each.rstrip(".") for each in parts) + "."


def figures(told: Gathered) -> Iterator[Figure]:
    """Yield what is asked for first."""
    of = len(told.milestones) + len(told.pending)
    yield Figure("Milestones", f"{len(told.milestones)} of {of}")
    yield Figure("Badges", number(told.badges))
    yield Figure("Game time", game_time(told.last.game_s), f"{told.last.tick:,} ticks")
    if told.wall_s:
        yield Figure(
            "Played for", game_time(told.wall_s), f"{told.process.ticks_per_s:,.0f} ticks a second"
        )
    ends = told.battles.ends
    yield Figure("Battles won", number(ends.get("won", 0)), f"{ends.get('lost', 0):,} lost")
    yield Figure("Restarts", number(told.restarts), _faults(told))
    yield Figure("Stuck", number(len(told.stuck)), f"{len(told.returns):,} times back")
    if told.advice.is_there:
        yield Figure("Dollars", f"{told.advice.usd:,.2f}", f"{told.advice.calls:,} calls")
    else:
        yield Figure("Dollars", "0", "nobody was asked")


def _faults(told: Gathered) -> str:
    return f"{told.troubles.faults:,} faults answered" if told.night.began else "no supervisor"
