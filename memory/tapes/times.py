"""Moments as tapes write them, in whatever zone, and as ISO 8601 has them, in UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

_MOMENT: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?\s*(?:(Z)|([+-]\d\d):?(\d\d))?"
)


def moment(text: object) -> datetime | None:
    """Return the moment that a tape wrote, in UTC, or None where it is none; without a zone it is UTC.

    Figures below microseconds are dropped.
    """
    found = _MOMENT.match(text) if isinstance(text, str) else None
    if found is None:
        return None
    day, clock, fraction, _, hours, minutes = found.groups()
    zone = f"{hours}:{minutes}" if hours else "+00:00"
    micros = (fraction or "0").ljust(6, "0")[:6]
    try:
        return datetime.fromisoformat(f"{day}T{clock}.{micros}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def taped(epoch_s: float) -> str:
    """Return a moment, in seconds since 1970, as tapes write it: zeros at the end of the fraction are cut."""
    at = datetime.fromtimestamp(epoch_s, UTC)
    fraction = f".{at.microsecond:06}".rstrip("0").rstrip(".")
    return f"{at:%Y-%m-%d %H:%M:%S}{fraction}+00:00"


def iso(at: datetime) -> str:
    """Return `at` as ISO 8601 has it, to the second, in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
