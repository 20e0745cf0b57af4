"""A paper: which of all the questions that could be asked are asked, as many of each kind as there are."""

from collections import defaultdict
from collections.abc import Sequence
from random import Random
from typing import Final

from agent.exam.asking import counts, firsts, latest, losses, victories
from agent.exam.asking_across import across, never_was
from agent.exam.question import Ask, Kind, Question
from agent.exam.there import There
from agent.exam.truth import Truth

OF_EACH: Final = 16  # questions of a kind in one paper
OF_NEVER: Final = 32  # there are many ways of never having been


def paper(
    truths: Sequence[Truth], there: There, chance: Random, of_each: int = OF_EACH
) -> list[Question]:
    """Return the questions about the last of the games in `truths`, and about it beside those before it."""
    offered = _offered(truths, there)
    asked: list[Question] = []
    for kind in Kind:
        most = of_each * OF_NEVER // OF_EACH if kind is Kind.NEVER else of_each
        asked += _drawn([each for each in offered if each.kind is kind], most, chance)
    return asked


def _offered(truths: Sequence[Truth], there: There) -> list[Question]:
    truth = truths[-1]
    return [
        *losses(truth),
        *victories(truth),
        *latest(truth),
        *firsts(truth),
        *counts(truth),
        *across(truths),
        *never_was(truths, there),
    ]


def _drawn(offered: Sequence[Question], most: int, chance: Random) -> list[Question]:
    """Return at most so many, taking turns between what is asked, so that none of it crowds out another."""
    by_ask = defaultdict[Ask, list[Question]](list)
    for each in offered:
        by_ask[each.form.ask].append(each)
    for questions in by_ask.values():
        chance.shuffle(questions)
    drawn: list[Question] = []
    while len(drawn) < most and any(by_ask.values()):
        drawn += [questions.pop() for questions in by_ask.values() if questions]
    return drawn[:most]
