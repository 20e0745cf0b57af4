"""The times that a run got nowhere, as it tells of them itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agent.app.restoring import mind_of
from memory import RunReader


def episodes_begun(run: RunReader) -> int:
    """Return how many there were up to the last checkpoint."""
    return int(_ladder(run).get("episodes", 0))


def told_of_episodes(run: RunReader, after: int) -> Iterator[str]:
    """Yield in words each that came behind the first `after`, as it was told last."""
    told = {event.payload["number"]: event.payload for event in run.events("stuck")}
    under_way = _ladder(run).get("episode")
    if under_way is not None:
        told[under_way["number"]] = {**told.get(under_way["number"], {}), **under_way}
    yield from (in_words(payload) for number, payload in told.items() if number > after)


def in_words(payload: Mapping[str, Any]) -> str:
    """Return what an episode came to: why, where, when, what was tried, and what helped."""
    place = payload.get("place", f"map {payload['map_id']}")
    tried = ", ".join(payload["tried"]) or "nothing"
    rungs = ", ".join(each.replace("_", " ") for each in payload["rungs"])
    return (
        f"{payload['reason'].replace('_', ' ')} in {place} ({payload['x']},{payload['y']}),"
        f" ticks {payload['since']} to {payload['lasted']}; tried {tried}; then {rungs};"
        f" {payload['solved_by'] or 'nothing'} helped"
    )


def _ladder(run: RunReader) -> Mapping[str, Any]:
    """Return what the last checkpoint keeps of getting nowhere; nothing where there is none."""
    checkpoint = run.latest_checkpoint()
    if checkpoint is None:
        return {}
    with mind_of(checkpoint) as kept:
        ladder: Mapping[str, Any] = kept["mind"]["ladder"]
        return ladder
