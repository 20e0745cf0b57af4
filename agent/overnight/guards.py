"""The guards of a night: what it may take, and which limit a reading passes. Pure."""

from dataclasses import dataclass
from enum import Enum
from math import inf
from typing import Final, NamedTuple

FRAMES_PER_HOUR: Final = 59.7275 * 3_600
MB: Final = 1_000_000


class Guard(Enum):
    """What is guarded, by the name under which a verdict tells it."""

    HOURS = "hours"
    GAME_HOURS = "game_hours"
    TICKS = "ticks"  # which play itself keeps to
    DISK = "disk"
    MEMORY = "memory"
    LOG = "log"
    CALLS = "calls"
    DOLLARS = "dollars"


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a night may take. Bytes are of the disks, of the child's memory, and of all it logs."""

    hours: float = inf
    game_hours: float = inf
    free_bytes: int = 500 * MB
    resident: int = 1_500 * MB
    log_bytes: int = 100 * MB
    calls: float = inf
    usd: float = inf


class Reading(NamedTuple):
    """What was read just now; `night_s` are seconds of this night over all its sessions."""

    night_s: float
    frame: int
    free_bytes: int
    resident: int
    log_bytes: int
    calls: int = 0
    usd: float = 0.0
    asks: bool = False  # whether a model is asked, so that calls and dollars matter


def passed(reading: Reading, limits: Limits) -> Guard | None:
    """Return the limit that is passed, the one that ends the night before those that do not."""
    hours, game_hours = reading.night_s / 3_600, reading.frame / FRAMES_PER_HOUR
    if reading.free_bytes < limits.free_bytes:
        return Guard.DISK
    if hours >= limits.hours:
        return Guard.HOURS
    if game_hours >= limits.game_hours:
        return Guard.GAME_HOURS
    if reading.log_bytes > limits.log_bytes:
        return Guard.LOG
    if reading.resident > limits.resident:
        return Guard.MEMORY
    return _of_money(reading, limits) if reading.asks else None


def _of_money(reading: Reading, limits: Limits) -> Guard | None:
    if reading.calls >= limits.calls:
        return Guard.CALLS
    return Guard.DOLLARS if reading.usd >= limits.usd else None


def told(guard: Guard, reading: Reading, limits: Limits) -> str:
    """Return in words what was reached, and what it may be."""
    match guard:
        case Guard.HOURS:
            return f"{reading.night_s / 3_600:.2f} hours of wall time, of {limits.hours:g}"
        case Guard.GAME_HOURS:
            hours = reading.frame / FRAMES_PER_HOUR
            return f"{hours:.2f} hours of game time, of {limits.game_hours:g}"
        case Guard.TICKS:
            return "the ticks it was given are played"
        case Guard.DISK:
            return f"{_mb(reading.free_bytes)} left on the disk, and {_mb(limits.free_bytes)} must stay free"
        case Guard.MEMORY:
            return f"{_mb(reading.resident)} of memory taken, of {_mb(limits.resident)}"
        case Guard.LOG:
            return (
                f"{_mb(reading.log_bytes)} logged, of {_mb(limits.log_bytes)}; look into night.log"
            )
        case Guard.CALLS:
            return f"{reading.calls} calls of a model made, of {limits.calls:g}"
        case Guard.DOLLARS:
            return f"${reading.usd:.2f} spent on asking, of ${limits.usd:.2f}"


def _mb(number: int) -> str:
    return f"{number / MB:,.0f} MB"
