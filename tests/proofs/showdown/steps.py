"""The steps of random battles on Showdown's engine, and whether its stats are ours."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from emulator import Dex
from emulator.ram.party import Dvs, Stats
from emulator.rules.stats import stats_of
from tests.proofs.showdown.oracle import Answer, TeamJson, Turns, random_turns
from tests.proofs.showdown.positions import SLOTS, STATS, Columns, Rows

MOVE: Final = re.compile(r"\|move\|p[12]a: \d\|([^|]+)\|")


class Step(NamedTuple):
    """What Showdown did from one request of choices to the next; -1 is no choice.

    `send` says that only replacements were chosen. `again` is the same step with other chance.
    """

    before: Rows
    ours: int
    theirs: int
    after: Rows
    send: bool
    log: Sequence[str]
    again: Sequence["Step"] = ()

    def chosen(self, side: int, columns: Columns) -> int:
        """Return the number of the move that a side chose, or 0."""
        choice = (self.ours, self.theirs)[side]
        return int(columns.of(self.before, f"{side}.move{choice}")) if 0 <= choice < SLOTS else 0


@dataclass
class Recording:
    """Reads random battles: `columns` are known from the first step on; stats are compared in the first step of each."""

    request: Turns
    dex: Dex
    columns: Columns = field(default_factory=lambda: Columns(()))
    numbers: Mapping[str, int] = field(default_factory=dict)  # of moves, by Showdown's names
    stats: int = 0
    wrong_stats: list[str] = field(default_factory=list)

    def steps(self) -> Iterator[Step]:
        """Yield every step."""
        teams: list[TeamJson] = []
        for answer in random_turns(self.request):
            if "columns" in answer:
                self.columns, self.numbers = Columns(answer["columns"]), answer["moves"]
            elif "teams" in answer:
                teams = answer["teams"]
            elif "before" in answer:
                step = self._step(answer)
                for side, team in enumerate(teams):
                    self._compare_stats(step.before, side, team)
                teams = []
                yield step

    def moves(self, step: Step) -> list[int]:
        """Return the numbers of the moves that were used in a step."""
        return [self.numbers[found[1]] for line in step.log if (found := MOVE.match(line))]

    def _step(self, answer: Answer) -> Step:
        after = np.array(answer["after"], np.int64)
        before = np.array(answer["before"], np.int64)
        ours, theirs = answer["choices"]
        step = Step(before, ours, theirs, after, answer["send"], answer["log"])
        again = [
            step._replace(after=np.array(each["after"], np.int64), log=each["log"])
            for each in answer.get("again", ())
        ]
        return step._replace(again=again)

    def _compare_stats(self, row: Rows, side: int, team: TeamJson) -> None:
        species = {each.dex: each for each in self.dex.all_species.values()}
        for place, member in enumerate(team):
            base, dvs = species[member["species"]].base, Dvs(*member["dvs"][1:])
            trained = Stats(*[root * root for root in member["trained"]])
            ours = stats_of(base, dvs, member["level"], trained)
            names = [f"{side}.{place}.{name}" for name in ("max_hp", *STATS)]
            theirs = tuple(map(int, self.columns.several(row, names)))
            self.stats += len(ours)
            if theirs != tuple(ours):
                self.wrong_stats.append(f"{member}: {theirs}, ours {ours}")
