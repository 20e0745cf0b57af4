"""Conditions on a finished run: its file, its replay, and its events compared with RAM.

The file is read without the program that wrote it.
"""

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from agent.tools.replay.operations import replay_run
from emulator import Cartridge
from memory.tiers.approaches import APPROACH, MAX_APPROACHES, MAX_SITUATIONS, SITUATION, SPAN
from tests.proofs.game_truth import FightOutcome, ObservedFight, truth_of
from tests.proofs.ledger import Ledger

Event: TypeAlias = tuple[int, str, Mapping[str, Any]]
COMPANIONS: Final = ("", "-wal", "-journal")
OUTCOMES: Final = {FightOutcome.WON: "victory", FightOutcome.LOST: "defeat"}
ACTIONS, MOMENTS, SITUATIONS = "actions", "moments", "situations"  # edges of memory


class Files(NamedTuple):
    """The files of a game, and a folder for copies to read."""

    run: Path
    memory: Path
    scratch: Path


def copied(file: Path, to: Path) -> Path:
    """Return a copy of a database with its log, as left by a kill, so that reading does not change it."""
    copy = to / f"copy-{file.name}"
    for suffix in (*COMPANIONS, "-shm"):
        source, target = (each.with_name(each.name + suffix) for each in (file, copy))
        target.unlink(missing_ok=True)
        if suffix in COMPANIONS and source.exists():
            shutil.copyfile(source, target)
    return copy


def lost_commits(run_file: Path, ledger: Ledger, scratch: Path) -> list[str]:
    """Return the acknowledged commits that are missing in the file of a run."""
    if not ledger.checkpoints:
        return []
    with closing(sqlite3.connect(copied(run_file, scratch))) as file:
        ((steps,),) = file.execute("SELECT count(*) FROM steps")
        ((checkpoints,),) = file.execute(
            "SELECT seq FROM sqlite_sequence WHERE name = 'checkpoints'"
        )
    return [
        f"{what}: {acknowledged} were acknowledged, {found} are there"
        for what, acknowledged, found in (
            ("steps", ledger.steps, steps),
            ("checkpoints", ledger.checkpoints, checkpoints),
        )
        if found < acknowledged
    ]


def restores(files: Files) -> int:
    """Return the number of checkpoints restored because play was stuck; 0 for an unreadable file."""
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(copied(files.run / "run.sqlite", files.scratch))) as file,
    ):
        return len(file.execute("SELECT 1 FROM branchings WHERE why = 'stuck'").fetchall())
    return 0


def run_problems(
    files: Files, cartridge: Cartridge, story: Sequence[str], goal: str | None
) -> Iterator[str]:
    """Yield the problems of a run, which must have reached the milestones of `story` up to `goal`."""
    with closing(sqlite3.connect(copied(files.run / "run.sqlite", files.scratch))) as file:
        yield from damage_in(file)
        yield from _indexes(file)
        yield from _branches(file)
        yield from _edges(file)
        events: list[Event] = [
            (tick, kind, json.loads(payload))
            for tick, kind, payload in file.execute(
                "SELECT tick, kind, payload FROM events WHERE live ORDER BY id"
            )
        ]
    recorded = Counter((tick, kind, json.dumps(payload)) for tick, kind, payload in events)
    for (tick, kind, _), count in recorded.items():
        if count > 1:
            yield f"events: {kind} of tick {tick} exists {count} times"
    reached = [payload["id"] for _, kind, payload in events if kind == "milestone"]
    if reached != list(story[: len(reached) if goal is None else story.index(goal) + 1]):
        yield f"milestones: {reached} on the live branch"
    divergence = replay_run(files.run, cartridge.path).divergence
    if divergence is not None:
        yield f"replay: {divergence}"
    else:
        yield from _compared_with_ram(files.run, cartridge, events)


def damage_in(file: sqlite3.Connection) -> Iterator[str]:
    """Yield the errors that SQLite finds in a file: pages, indexes, references."""
    yield from (str(row[0]) for row in file.execute("PRAGMA integrity_check") if row[0] != "ok")
    yield from (f"dangling reference {row}" for row in file.execute("PRAGMA foreign_key_check"))


def _indexes(file: sqlite3.Connection) -> Iterator[str]:
    """Yield differences between the indexes of words and tags and the entries."""
    try:
        file.execute("INSERT INTO entry_text (entry_text, rank) VALUES ('integrity-check', 1)")
    except sqlite3.DatabaseError as error:
        yield f"index of words: {error}"
    tagged = set(
        file.execute(
            "SELECT value, scope, entries.id FROM entries, json_each(tags)"
            " WHERE dropped_after IS NULL AND text <> ''"
        )
    )
    if wrong := tagged ^ set(file.execute("SELECT tag, scope, entry FROM entry_tags")):
        yield f"index of tags: {len(wrong)} rows are lost or too many, one of them is {min(wrong)}"


def _branches(file: sqlite3.Connection) -> Iterator[str]:
    """Yield inconsistencies between live steps and branchings."""
    ((dead,),) = file.execute("SELECT count(*) FROM steps WHERE NOT live")
    ((recorded,),) = file.execute("SELECT coalesce(sum(left_at - tick), 0) FROM branchings")
    ((asked,),) = file.execute("SELECT count(*) FROM branchings WHERE why = 'asked'")
    if dead != recorded:
        yield f"branches: {dead} steps are dead, {recorded} are recorded"
    if asked:
        yield f"branches: {asked} are recorded as requested by the player"
    ticks = [tick for (tick,) in file.execute("SELECT tick FROM trail WHERE live ORDER BY id")]
    if ticks != sorted(set(ticks)):
        yield "trail: the live one goes back in time, or has a tick twice"


def _edges(file: sqlite3.Connection) -> Iterator[str]:
    """Yield differences between the entries derived along an edge of memory and the count the edge carried."""
    ((number, data),) = file.execute(
        "SELECT checkpoint, data FROM parts WHERE name = 'flows' ORDER BY checkpoint DESC LIMIT 1"
    )
    carried = json.loads(data)
    entries = [
        (kind, seq, json.loads(text))
        for kind, seq, text in file.execute(
            "SELECT kind, seq, data FROM entries WHERE kind IN (?, ?, ?)"
            " AND id <= (SELECT last_entry FROM checkpoints WHERE id = ?)"
            " AND (dropped_after IS NULL OR dropped_after >= ?)",
            (APPROACH, SITUATION, SPAN, number, number),
        )
    ]
    approaches = [each for kind, _, each in entries if kind == APPROACH]
    counted = sum(
        each["successes"] + each["failures"] for each in approaches if not each["reasoning"]
    )
    # Those that were interrupted are not counted.
    ((interrupted,),) = file.execute(
        "SELECT count(*) FROM events WHERE live AND kind = 'action'"
        " AND json_extract(payload, '$.outcome_summary') = 'interrupted'"
    )
    left_out = carried[ACTIONS]["carried"] - counted
    if len(approaches) < MAX_APPROACHES and not 0 <= left_out <= interrupted:
        yield f"approaches: {carried[ACTIONS]['carried']} actions were carried, {counted} are counted"
    situations = [each for kind, _, each in entries if kind == SITUATION]
    waiting = [
        each for kind, seq, each in entries if kind == SPAN and seq > carried[SITUATIONS]["cursor"]
    ]
    counted = sum(each["ticks"] for each in (*situations, *waiting))
    if len(situations) < MAX_SITUATIONS and counted != carried[MOMENTS]["carried"]:
        yield f"situations: {carried[MOMENTS]['carried']} moments were carried, {counted} are counted"


def _compared_with_ram(run: Path, cartridge: Cartridge, events: Sequence[Event]) -> Iterator[str]:
    """Yield battles, places and milestones that are missing or extra compared with RAM in a replay."""
    truth = truth_of(run, cartridge)
    # The result of the last tick of an interrupted run was not processed yet.
    events = [event for event in events if event[0] < truth.ticks]
    fought = [_fight(each) for each in truth.fights if each.last_tick < truth.ticks]
    yield from _compared(
        "battles", fought, [_battle(each) for _, kind, each in events if kind == "battle"]
    )
    seen = [(visit.tick, visit.place) for visit in truth.visits if visit.tick < truth.ticks]
    there = [
        (tick, str(each["location_name"])) for tick, kind, each in events if kind == "location"
    ]
    yield from _compared("places", seen, there)
    for tick, kind, each in events:
        shown = truth.milestones.get(str(each.get("id"))) if kind == "milestone" else 0
        if shown is None or shown > tick:
            yield f"milestones: {each['id']} is recorded at tick {tick}, RAM shows it at {shown}"


def _fight(fight: ObservedFight) -> tuple[int, str, str, str]:
    outcome = OUTCOMES.get(fight.outcome, "other")
    return fight.last_tick, outcome, fight.opponent, ", ".join(fight.enemies)


def _battle(battle: Mapping[str, Any]) -> tuple[int, str, str, str]:
    outcome = battle["outcome"] if battle["outcome"] in OUTCOMES.values() else "other"
    return battle["end_tick"], outcome, battle.get("opponent", ""), battle["enemy_pokemon"]


def _compared(what: str, happened: Sequence[Any], recorded: Sequence[Any]) -> Iterator[str]:
    """Yield the first difference between two sequences that must be equal."""
    for number, (one, other) in enumerate(zip(happened, recorded, strict=False), 1):
        if one != other:
            yield f"{what}: no. {number} was {one}, recorded is {other}"
            return
    if len(happened) != len(recorded):
        yield f"{what}: there were {len(happened)}, recorded are {len(recorded)}"
