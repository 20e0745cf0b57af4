"""What a supervisor takes over from the one before it, out of the diary."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from agent.overnight.diary import Line


@dataclass(slots=True)
class Carried:
    """Where the night is: seconds of wall time, bytes logged, children started, and what was told of already."""

    night_s: float = 0.0
    log_bytes: int = 0
    children: int = 0
    by_rules: bool = False
    milestones: dict[str, None] = field(default_factory=dict)  # in their order
    faults: Counter[str] = field(default_factory=Counter)


def carried(lines: Iterable[Line]) -> Carried:
    """Return where the night of a diary is. A verdict ended it, and the next one begins, unless it was interrupted."""
    night = Carried()
    for line in lines:
        if line["what"] == "verdict" and line.get("verdict") != "interrupted":
            night = Carried(milestones=night.milestones)
            continue
        night.night_s = float(line.get("night_s", night.night_s))
        night.log_bytes = int(line.get("log_bytes", night.log_bytes))
        match line["what"]:
            case "ended":
                night.children = int(line.get("n", night.children))
            case "rules":
                night.by_rules = True
            case "milestone":
                night.milestones[str(line.get("id"))] = None
            case "fault":
                night.faults[str(line.get("kind"))] += 1
            case _:
                pass
    return night
