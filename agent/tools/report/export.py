"""The figures of runs for programs: all of one run as JSON, and one CSV row a run."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Final, TypeAlias

from agent.tools.report.run_data import Gathered

Plain: TypeAlias = "dict[str, Plain] | list[Plain] | str | float | bool | None"

PARTS: Final = (
    "milestones", "pending", "returns", "battles", "stuck", "learnt", "advice", "troubles", "deeds",
)  # fmt: skip


def row(told: Gathered) -> dict[str, str | float | bool]:
    """Return the figures that fit into one row."""
    ends, settings = told.battles.ends, told.settings
    return {
        "run": told.run,
        "path": str(told.path),
        "cartridge": str(settings.get("cartridge", {}).get("name", "")),
        "seed": int(settings.get("seed", 0)),
        "mind": str(settings.get("mind", "")),
        "until": str(settings.get("limits", {}).get("until", "")),
        "verdict": told.verdict.kind.value,
        "which": told.verdict.which,
        "why": told.verdict.why,
        "clean": told.verdict.is_clean,
        "milestones": len(told.milestones),
        "badges": told.badges,
        "ticks": told.last.tick,
        "game_s": round(told.last.game_s, 3),
        "wall_s": round(told.wall_s, 3),
        "ticks_per_s": round(told.process.ticks_per_s, 1),
        "restarts": told.restarts,
        "returns": len(told.returns),
        "stuck": len(told.stuck),
        "battles": told.battles.fought,
        **{f"battles_{end}": ends.get(end, 0) for end in ("won", "lost", "fled", "caught")},
        "learnt": told.learnt.new,
        "calls": told.advice.calls,
        "usd": round(told.advice.usd, 6),
        "faults": told.troubles.faults,
        "disagreements": sum(told.troubles.disagreements.values()),
    }


def as_json(told: Gathered) -> dict[str, Plain]:
    """Return all that was gathered but pictures and curves."""
    parts = {name: _plain(getattr(told, name)) for name in PARTS}
    return {**row(told), **parts, "settings": _plain(told.settings)}


def as_csv(runs: Sequence[Gathered]) -> str:
    """Return a table with one row a run."""
    rows = [row(each) for each in runs]
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _plain(value: object) -> Plain:
    """Return a value as JSON has it; of records what they show of themselves."""
    match value:
        case Enum():
            return _plain(value.value)
        case Path() | datetime():
            return str(value)
        case Mapping():
            return {str(name): _plain(each) for name, each in value.items()}
        case None | bool() | int() | float() | str():
            return value
        case tuple() if hasattr(value, "_asdict"):
            return _plain(value._asdict())
        case list() | tuple():
            return [_plain(each) for each in value]
        case _ if is_dataclass(value):
            shown = (each.name for each in fields(value) if each.repr)
            return {name: _plain(getattr(value, name)) for name in shown}
        case _:
            return str(value)
