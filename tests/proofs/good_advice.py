"""A game by rules, and the same with good advice; what the advice saves."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agent.advisor.port import Decider
from agent.app import AskSettings, Stop
from agent.fake_claude.server import FakeClaude
from agent.lab.stats import mean_interval
from tests.proofs.played import asking, played
from tests.proofs.workers import Row

FIRST_SEED = 600


def advice_job(number: int, until: str = "third_badge") -> Row:
    """Play one seed by rules and with good advice."""
    rules, advised = (_play(FIRST_SEED + number, until, is_advised=each) for each in (False, True))
    saved = {
        milestone: rules[milestone] - advised[milestone]
        for milestone in rules.keys() & advised.keys()
    }
    missed = [] if until in saved else [f"{until} was not reached"]
    return {"name": f"seed {FIRST_SEED + number}", "saved": saved, "problems": missed}


def _play(seed: int, until: str, *, is_advised: bool) -> Mapping[str, int]:
    """Return the tick of each milestone of a game with an empty memory."""
    mind = Decider.CLAUDE if is_advised else Decider.RULES
    with (
        TemporaryDirectory(prefix="advice") as folder,
        FakeClaude(is_good=True) as server,
        asking(server.url),
    ):
        tapes = AskSettings(tapes=Path(folder) / "tapes")
        summary = played(Path(folder), seed=seed, until=until, mind=mind, asking=tapes)
    assert summary.stop is Stop.GOAL, summary
    return {each.id: each.tick for each in summary.milestones}


def figures(rows: list[Row]) -> dict[str, Any]:
    """Return the ticks saved to each milestone, in the mean with its 95% interval."""
    names = set.intersection(*(set(row["saved"]) for row in rows))
    means = {name: mean_interval([row["saved"][name] for row in rows]) for name in sorted(names)}
    return {
        f"ticks saved to {name}": f"{each.estimate:.0f} ({each.low:.0f} to {each.high:.0f})"
        for name, each in means.items()
    }
