"""The report of all jobs: by move, by effect, and in all."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import pi, sqrt
from typing import Any, Final

import numpy as np

from emulator import Dex
from tests.emulator.synthetic.facts import load
from tests.proofs.showdown.differences import known
from tests.proofs.showdown.frequencies import together
from tests.proofs.showdown.jobs import GAMES
from tests.proofs.showdown.samples import rejected
from tests.proofs.workers import Row

LEVEL: Final = 0.01  # for all tests of a kind together
LEAST_USES: Final = 50
FAILED: Final = "of these failed"
RESULTS: Final = ("possible", "impossible")


class Report:
    """Adds up the rows of all jobs."""

    def __init__(
        self, dex: Dex, turns: Sequence[Row], frequencies: Sequence[Row], battles: Sequence[Row]
    ) -> None:
        self._dex, self._turns = dex, turns
        self._explained = Counter[str]()
        self._tests: list[Row] = []
        for row in frequencies:
            self._tests += row["tests"]
            self._explained.update(row["explained"])
        self._duels = [duel for row in battles for duel in row["duels"]]
        self._failed = rejected([test["p_value"] for test in self._tests], LEVEL)
        self._by_move = self._tests_by_move()

    def _tests_by_move(self) -> dict[tuple[int, str], list[tuple[float, float]]]:
        found: defaultdict[tuple[int, str], list[tuple[float, float]]] = defaultdict(list)
        for test in self._tests:
            kind, _, side = test["what"].partition(" ")
            for user, move in enumerate(test["moves"]):
                role = ("user's " if int(side) == user else "target's ") if side else ""
                if move:
                    found[move, role + kind].append((test["difference"], test["variance"]))
        return dict(found)

    def moves(self) -> list[Row]:
        """Return a row for each move."""
        uses: defaultdict[int, Counter[str]] = defaultdict(Counter)
        for row in self._turns:
            for name, results in row["moves"].items():
                uses[int(name)].update(results)
        keys = list(self._by_move)
        deviating = rejected([together(self._by_move[key]) for key in keys], LEVEL)
        deviations = {keys[at] for at in deviating}
        return [
            self._move_row(number, uses[number], deviations)
            for number in sorted(self._dex.all_moves)
        ]

    def _move_row(
        self, number: int, results: Mapping[str, int], deviations: set[tuple[int, str]]
    ) -> Row:
        move = self._dex.move(number)
        tests = [at for at, test in enumerate(self._tests) if number in test["moves"]]
        wrong = [what for which, what in sorted(deviations) if which == number]
        single = sum(at in self._failed for at in tests)
        uses, impossible = sum(results.values()), results.get("impossible", 0)
        problems = [f"used {uses} times"] if uses < LEAST_USES else []
        problems += [f"{impossible} impossible outcomes"] if impossible else []
        problems += [f"another frequency of {', '.join(wrong)}"] if wrong else []
        problems += [f"{single} positions with other frequencies"] if single else []
        return {
            "name": move.name,
            "number": number,
            "effect": load("data/moves.json")["effects"][str(move.effect)],
            "uses": uses,
            "impossible": impossible,
            "known differences": {name: n for name, n in results.items() if name not in RESULTS},
            "positions compared": len(tests) // 3,
            "deviations": single + len(wrong),
            "problems": problems,
        }

    def totals(self) -> list[Row]:
        """Return a row for all steps, with those that are impossible, and one for whole battles."""
        impossible = [problem for row in self._turns for problem in row["problems"]]
        battles = self._battles()
        failed = [f"{battles[FAILED]} tests failed"] if battles[FAILED] else []
        return [
            {"name": "steps", "problems": impossible},
            {"name": "whole battles", **battles, "problems": failed},
        ]

    def figures(self, moves: Sequence[Row]) -> dict[str, Any]:
        """Return the totals."""
        counts = Counter[str]()
        for row in self._turns:
            counts.update(row["known"])
        steps = sum(row["steps"] for row in self._turns)
        p_values = [test["p_value"] for test in self._tests]
        return {
            "steps": steps,
            "impossible": sum(len(row["problems"]) for row in self._turns),
            "by known differences": sum(counts.values()),
            "samples a step": round(sum(row["samples"] for row in self._turns) / steps),
            "stats compared": sum(row["stats"] for row in self._turns),
            "least uses of a move": min(row["uses"] for row in moves),
            "positions repeated": len(self._tests) // 3,
            "positions with a known difference": sum(self._explained.values()),
            "tests of frequencies": len(p_values),
            FAILED: len(self._failed),
            "p-values below 0.05": round(float(np.mean([each < 0.05 for each in p_values])), 4),
            "effects": self._effects(moves),
            "differences": [
                {
                    **each.described(),
                    "steps": counts[each.name],
                    "positions": self._explained[each.name],
                }
                for each in known()
            ],
        }

    @staticmethod
    def _effects(moves: Sequence[Row]) -> dict[str, Row]:
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for row in moves:
            for key in ("uses", "impossible", "positions compared", "deviations"):
                found[row["effect"]][key] += row[key]
        return {effect: dict(each) for effect, each in sorted(found.items())}

    def _battles(self) -> Row:
        won = np.array([duel["won"] for duel in self._duels])
        chance = np.sqrt(won[:, 1] * (1 - won[:, 1]) * 2 / GAMES) * sqrt(2 / pi)
        p_values = [each for duel in self._duels for each in duel["p_values"]]
        left = np.array([duel["left"] for duel in self._duels])
        turns = np.array([duel["turns"] for duel in self._duels])
        return {
            "duels": len(won),
            "games each": GAMES,
            "won, ours": round(float(won[:, 0].mean()), 4),
            "won, Showdown's": round(float(won[:, 1].mean()), 4),
            "mean difference": round(float(np.abs(won[:, 0] - won[:, 1]).mean()), 4),
            "by chance alone": round(float(chance.mean()), 4),
            "HP left, ours": round(float(left[..., 0].mean()), 4),
            "HP left, Showdown's": round(float(left[..., 1].mean()), 4),
            "turns, ours": round(float(turns[:, 0].mean()), 3),
            "turns, Showdown's": round(float(turns[:, 1].mean()), 3),
            "tests": len(p_values),
            FAILED: len(rejected(p_values, LEVEL)),
        }
