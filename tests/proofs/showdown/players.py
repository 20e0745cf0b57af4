"""Who chooses in a battle of Showdown's engine: what the agent would do, and what the game would."""

from collections.abc import Sequence

import numpy as np

from agent.battle import policy, search
from agent.battle.odds import tables_of
from agent.skills import Attack
from emulator import Dex
from emulator.engine.choices import AS_THE_GAME, legal_choices
from emulator.engine.foe import choose_move
from emulator.engine.stages import NOT_COUNTED, next_member
from emulator.rules import codes
from emulator.rules.position import Position
from tests.proofs.showdown.oracle import Answer
from tests.proofs.showdown.positions import Columns, Translator


class Players:
    """Answers what asked.js asks: for our side by a policy, for the other as the game does."""

    def __init__(self, dex: Dex, classes: Sequence[int], foe: int = AS_THE_GAME) -> None:
        """`classes` says for each battle how the foe chooses: as a trainer class, or any move for 0.

        `foe` is the policy that our side expects of it.
        """
        self._dex, self._tables = dex, tables_of(dex)
        self._classes, self._expected = classes, foe
        self._translator: Translator | None = None
        self._out: dict[int, tuple[int, int]] = {}  # who the foe has out, since which turn
        self.asked = self.unlike = 0

    def choose(self, columns: list[str], asked: list[Answer]) -> list[int]:
        """Return a choice for each that waits."""
        if self._translator is None:
            self._translator = Translator(Columns(columns), self._dex)
        rows = np.array([each["row"] for each in asked])
        positions = self._translator.positions(rows)
        turns = self._translator.columns.of(rows, "turn")
        return [
            self._choice(position, each, int(turn))
            for position, each, turn in zip(positions, asked, turns, strict=True)
        ]

    def _choice(self, position: Position, asked: Answer, turn: int) -> int:
        number, side, legal = asked["battle"], asked["side"], asked["legal"]
        position.kind, position.trainer_class = codes.TRAINER, self._classes[number]
        position.ai_uses = NOT_COUNTED
        for each in position.sides:
            each.mimic_slot = codes.NO_ONE
        position.seed = number * 1_000 + turn
        position.turns = turn
        out = int(position.sides[codes.THEIRS].out)
        if self._out.get(number, (codes.NO_ONE, 0))[0] != out:
            self._out[number] = out, turn
        position.ai_turns = turn - self._out[number][1]
        if asked["send"]:
            position.outcome = codes.WE_SEND
        if side == codes.THEIRS:
            found = self._foe(position, send=asked["send"])
        else:
            found = self._searches(position)
        self.asked += 1
        self.unlike += found not in legal
        return found if found in legal else int(legal[0])

    def _foe(self, position: Position, *, send: bool) -> int:
        if send:
            return codes.SWITCH + int(next_member(position, codes.THEIRS))
        return int(choose_move(position, self._tables))

    def _searches(self, position: Position) -> int:
        """Return the choice that the agent's policy values most, without items."""
        choices = [int(each) for each in legal_choices(position, codes.OURS) if each < codes.ITEM]
        moves = [each for each in choices if not codes.SWITCH <= each < codes.SWITCH + codes.TEAM]
        rated = self._rated(position, moves, first=True)
        best = max(rated, key=lambda each: each.value, default=None)
        most = 1 + search.HP_VALUE * float(search.hp_shares(position, codes.OURS))
        if best is None or best.value < most - policy.GOOD_ENOUGH:
            best = max(self._rated(position, choices), key=lambda each: each.value)
        found = best.option.choice
        return (
            (found - codes.MIMIC_ONE) // codes.SLOTS
            if codes.MIMIC_ONE <= found < codes.ITEM
            else found
        )

    def _rated(
        self, position: Position, choices: Sequence[int], *, first: bool = False
    ) -> list[search.RatedOption]:
        options = [
            search.TurnOption(Attack(0), each, cost=_cost(position, each), foe=self._expected)
            for each in choices
        ]
        weights = search.weights_of(position, policy.TRAINING_RUN_VALUE)
        tables = self._tables
        return search.rate(position, options, weights, tables, first=first) if options else []


def _cost(position: Position, choice: int) -> float:
    if choice < codes.SLOTS:
        return policy.PP_COST / max(int(position.sides[codes.OURS].pp[choice]), 1)
    if codes.SWITCH <= choice < codes.SWITCH + codes.TEAM:
        return policy.SWITCH_COST if position.outcome == codes.GOES_ON else 0.0
    return policy.PP_COST if choice >= codes.MIMIC_ONE else 0.0
