"""Verdicts on advice, read from the rows of a run without the program's code."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.app.verdicts import verdicts
from memory import read_run

Row = tuple[int, str, Mapping[str, Any]]  # tick, kind and data of an event


@dataclass
class Reader:
    """Reads verdicts from the rows of a run, as a person with SQL would, without the program's code."""

    rows: Sequence[Row]
    last: int

    @classmethod
    def of(cls, run: Path) -> "Reader":
        with closing(sqlite3.connect(run / "run.sqlite")) as file:
            rows = [
                (tick, kind, json.loads(payload))
                for tick, kind, payload in file.execute(
                    "SELECT tick, kind, payload FROM events WHERE live = 1 AND"
                    " kind IN ('advice', 'objective', 'action') ORDER BY id"
                )
            ]
            (last,) = file.execute("SELECT max(tick) FROM steps WHERE live = 1").fetchone()
        return cls(rows, last)

    def verdicts(self) -> Iterator[tuple[str, str, bool]]:
        for at, (_, kind, asked) in enumerate(self.rows):
            if kind == "advice":
                yield self.verdict(at, asked) or self.verdict_on_target(at, asked)

    def verdict(self, at: int, asked: Mapping[str, Any]) -> tuple[str, str, bool] | None:
        """Return the verdict on a question whose answer needs no look at what followed."""
        answer = asked.get("advice")
        if answer is None:
            return "no answer", asked["silent"], False
        if answer["confidence"] < 0.3:
            return "changed nothing", "too unsure to be followed", False
        if not answer["goals"] and not answer["candidates"]:
            return "changed nothing", "it named nothing", False
        if asked["purpose"] != "choice":
            return None
        if [answer["candidates"][0]] == asked["by_rules"]:
            return "changed nothing", "rules had taken the same", False
        return "followed", "the choice was taken", False

    def verdict_on_target(self, at: int, asked: Mapping[str, Any]) -> tuple[str, str, bool]:
        answer, tick, end = asked["advice"], self.rows[at][0], self.end(at)
        did = [
            (when, data["action_value"], data["outcome_summary"])
            for when, kind, data in self.rows[at:]
            if kind == "action" and data["reasoning"] == "follow advice" and when < end
        ]
        did = [each for each in did if each[1] in answer["candidates"]]
        pursued = [each for each in answer["goals"][:1] if self.is_pursued(each, at, end)]
        targets = [name for _, name, _ in did] + pursued + answer["candidates"] + answer["goals"]
        if targets[0] in asked["by_rules"]:
            return "changed nothing", "rules would have taken the same", False
        if not did and not pursued:
            return "changed nothing", "play never turned to it", False
        if did and did[0][2] != "done":
            return "followed", f"its action was {did[0][2]}", False
        reached = did[0][0] if did else self.completed(pursued[0], at, end)
        if reached is not None:
            return "followed", f"reached after {reached - tick} ticks", True
        if self.last < end:
            return "followed", "no result when the run ended", False
        ended = "superseded" if end < tick + 500 else "not reached"
        return "followed", f"{ended} after {end - tick} ticks", False

    def end(self, at: int) -> int:
        """Return the tick at which an answer ceased to hold: 500 ticks later, or when the next one came."""
        tick = self.rows[at][0]
        for when, kind, data in self.rows[at + 1 :]:
            is_answer = kind == "advice" and "advice" in data and data["purpose"] != "choice"
            if is_answer and data["advice"]["confidence"] >= 0.3:
                return min(tick + 500, when)
        return tick + 500

    def is_pursued(self, goal: str, at: int, end: int) -> bool:
        """Return whether a goal was active at the end of the tick of the question, or later."""
        tick, active, later = self.rows[at][0], None, set()
        for when, kind, data in self.rows:
            if kind == "objective" and when <= tick:
                if data["status"] == "active":
                    active = data["objective_id"]
                elif data["objective_id"] == active:
                    active = None
            elif kind == "objective" and when < end and data["status"] == "active":
                later.add(data["objective_id"])
        return goal == active or goal in later

    def completed(self, goal: str, at: int, end: int) -> int | None:
        for when, kind, data in self.rows[at:]:
            is_it = kind == "objective" and data["objective_id"] == goal
            if is_it and data["status"] == "completed" and when < end:
                return when
        return None


def verdicts_and_reading(
    run: Path,
) -> tuple[list[tuple[str, str, bool]], list[tuple[str, str, bool]]]:
    """Return the verdicts of the program on a run, and those of the reader."""
    reader = Reader.of(run)
    with closing(read_run(run)) as folder:
        found = verdicts(folder.store, reader.last)
    return [(each.effect.value, each.why, each.reached) for each in found], list(reader.verdicts())
