"""All possible questions about recorded games, with their answers, and the random selection for a paper."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from statistics import fmean
from typing import Final

from tests.proofs.exam.question import ExamQuestion, Expected, QuestionKind, QuestionTopic
from tests.proofs.exam.truth import PROOF_DELAY, CartridgeNames, FightOutcome, GameTruth

OF_EACH: Final = 16  # questions of a kind in one paper
OF_NEVER: Final = 32  # there are many things that never happened
NEVER_MET: Final = (
    QuestionTopic.FIRST_MET, QuestionTopic.MET_IN, QuestionTopic.MEETINGS, QuestionTopic.WON_BY
)  # fmt: skip


def paper(truths: Sequence[GameTruth], there: CartridgeNames, chance: Random) -> list[ExamQuestion]:
    """Return the questions about the last of the games in `truths`, alone and compared with those before it."""
    truth = truths[-1]
    offered = [
        *losses(truth),
        *victories(truth),
        *latest(truth),
        *firsts(truth),
        *counts(truth),
        *across(truths),
        *never_happened(truths, there),
    ]
    asked: list[ExamQuestion] = []
    for kind in QuestionKind:
        most = OF_NEVER if kind is QuestionKind.NEVER else OF_EACH
        asked += _drawn([each for each in offered if each.kind is kind], most, chance)
    return asked


def _drawn(offered: Sequence[ExamQuestion], most: int, chance: Random) -> list[ExamQuestion]:
    """Return at most `most` questions, alternating between topics, so that no topic displaces another."""
    by_ask = defaultdict[QuestionTopic, list[ExamQuestion]](list)
    for each in offered:
        by_ask[each.topic].append(each)
    for questions in by_ask.values():
        chance.shuffle(questions)
    drawn: list[ExamQuestion] = []
    while len(drawn) < most and any(by_ask.values()):
        drawn += [questions.pop() for questions in by_ask.values() if questions]
    return drawn[:most]


def losses(truth: GameTruth) -> Iterator[ExamQuestion]:
    """Yield questions about lost battles: where, with which Pokemon, and at which level."""
    lost = truth.ended(FightOutcome.LOST)
    for name in dict.fromkeys(name for fight in lost for name in fight.names):
        last = truth.against(name, FightOutcome.LOST)[-1]
        yield ExamQuestion(QuestionTopic.LOST_IN, name, last.place)
        yield ExamQuestion(QuestionTopic.LOST_AT, name, last.own_level)
        yield ExamQuestion(QuestionTopic.LOST_BY, name, last.own)
    costly = [fight for fight in lost if fight.blacked_out]
    if costly:
        against = costly[-1].opponent or ", ".join(costly[-1].enemies)
        yield ExamQuestion(QuestionTopic.BLACKED_OUT_BY, "", against)
    for place in dict.fromkeys(fight.place for fight in lost):
        names = frozenset(n for fight in lost if fight.place == place for n in fight.enemies)
        yield ExamQuestion(QuestionTopic.LOST_THERE, place, names)


def victories(truth: GameTruth) -> Iterator[ExamQuestion]:
    """Yield questions about won battles: with which Pokemon, and with which moves."""
    for name in truth.met:
        won = truth.against(name, FightOutcome.WON)
        if not won:
            continue
        yield ExamQuestion(QuestionTopic.WON_BY, name, won[-1].finisher)
        if won[-1].moves:
            yield ExamQuestion(QuestionTopic.WON_WITH, name, won[-1].moves)


def latest(truth: GameTruth) -> Iterator[ExamQuestion]:
    """Yield questions about the current values of things that change."""
    yield ExamQuestion(QuestionTopic.MONEY, "", truth.money[-1].value)
    for name, held in truth.items.items():
        yield ExamQuestion(QuestionTopic.ITEMS, name, held[-1].value)
        yield ExamQuestion(QuestionTopic.MOST, name, max(each.value for each in held))
    names = [name for name, _ in truth.team]
    for name, level in truth.team:
        if names.count(name) == 1:
            yield ExamQuestion(QuestionTopic.LEVEL, name, level)
    yield ExamQuestion(QuestionTopic.HERE, "", truth.visits[-1].place)


def firsts(truth: GameTruth) -> Iterator[ExamQuestion]:
    """Yield questions about the first time of places, encounters and milestones, and about their order."""
    for place in truth.places:
        tick = next(each.tick for each in truth.visits if each.place == place)
        yield ExamQuestion(QuestionTopic.FIRST_THERE, place, tick)
    for name in truth.met:
        first = truth.against(name)[0]
        ticks = range(first.first_tick, first.last_tick + 1)
        yield ExamQuestion(QuestionTopic.FIRST_MET, name, ticks)
        yield ExamQuestion(QuestionTopic.MET_IN, name, first.place)
    for name, tick in truth.milestones.items():
        yield ExamQuestion(QuestionTopic.REACHED, name, range(tick, tick + PROOF_DELAY + 1))
    for name, place in truth.found_in.items():
        yield ExamQuestion(QuestionTopic.FOUND_IN, name, place)
    for name, tick in truth.milestones.items():
        money, level = truth.money_at(tick), truth.level_at(tick)
        if money == truth.money_at(tick + PROOF_DELAY):
            yield ExamQuestion(QuestionTopic.MONEY_AT, name, money)
        if level and level == truth.level_at(tick + PROOF_DELAY):
            yield ExamQuestion(QuestionTopic.LEVEL_AT, name, level)
    for one, other in combinations(truth.places, 2):
        # The later one is named first, so that always choosing the first name is wrong.
        yield ExamQuestion(QuestionTopic.EARLIER, other, one, other=one)


def counts(truth: GameTruth) -> Iterator[ExamQuestion]:
    """Yield questions about counts."""
    for place in truth.places:
        visits = sum(each.place == place for each in truth.visits)
        yield ExamQuestion(QuestionTopic.VISITS, place, visits)
    for name in truth.met:
        yield ExamQuestion(QuestionTopic.MEETINGS, name, len(truth.against(name)))
        yield ExamQuestion(QuestionTopic.WINS, name, len(truth.against(name, FightOutcome.WON)))
    yield ExamQuestion(QuestionTopic.DEFEATS, "", len(truth.ended(FightOutcome.LOST)))
    yield ExamQuestion(QuestionTopic.BLACKOUTS, "", sum(each.blacked_out for each in truth.fights))


def across(truths: Sequence[GameTruth]) -> Iterator[ExamQuestion]:
    """Yield questions that compare runs; none for a single run."""
    if len(truths) < 2:
        return
    for truth in truths:
        yield from _of_one(truth)
    common = [name for name in truths[0].milestones if all(name in t.milestones for t in truths)]
    for name in common:
        yield from _compared(truths, name)
    for name in dict.fromkeys(name for truth in truths for name in truth.met):
        runs = frozenset(each.run for each in truths if each.against(name, FightOutcome.LOST))
        if runs:
            yield ExamQuestion(QuestionTopic.RUNS_LOST, name, runs)


def never_happened(truths: Sequence[GameTruth], there: CartridgeNames) -> Iterator[ExamQuestion]:
    """Yield questions about things that never happened in the last game, worded as if they had."""
    truth = truths[-1]
    yield from _never_met(truth, (*there.species, *there.trainers))
    never = (
        (there.places, truth.places, (QuestionTopic.FIRST_THERE, QuestionTopic.VISITS, QuestionTopic.LOST_THERE)),
        (there.milestones, truth.milestones, (QuestionTopic.REACHED,)),
        (there.items, truth.items, (QuestionTopic.ITEMS,)),
        (there.species, truth.levels, (QuestionTopic.LEVEL,)),
    )  # fmt: skip
    for names, known, topics in never:
        for name in names:
            if name not in known:
                yield from (ExamQuestion(topic, name) for topic in topics)
    for each in truths[:-1]:
        for name in truth.met:
            if name not in each.met:
                yield _of_game(each, QuestionTopic.RUN_MEETINGS, name)


def _never_met(truth: GameTruth, names: Sequence[str]) -> Iterator[ExamQuestion]:
    for name in names:
        topics: Sequence[QuestionTopic] = ()
        if name not in truth.met:
            topics = NEVER_MET
        elif not truth.against(name, FightOutcome.LOST):
            topics = (QuestionTopic.LOST_IN,)
        elif not truth.against(name, FightOutcome.WON):
            topics = (QuestionTopic.WON_WITH,)
        yield from (ExamQuestion(topic, name) for topic in topics)


def _of_game(
    truth: GameTruth, topic: QuestionTopic, subject: str, right: Expected = None
) -> ExamQuestion:
    return ExamQuestion(topic, subject, right, run=truth.run, seed=truth.seed)


def _of_one(truth: GameTruth) -> Iterator[ExamQuestion]:
    yield _of_game(truth, QuestionTopic.RUN_STARTER, "", truth.starter)
    for name, tick in truth.milestones.items():
        turns = truth.turns_to(tick + PROOF_DELAY)
        if turns == truth.turns_to(tick):  # otherwise a battle ends too close to the milestone
            yield _of_game(truth, QuestionTopic.RUN_TURNS, name, turns)
    for name in truth.met:
        yield _of_game(truth, QuestionTopic.RUN_MEETINGS, name, len(truth.against(name)))
    fights = truth.ended(FightOutcome.CAUGHT)
    caught = frozenset(name for fight in fights for name in fight.enemies)
    yield _of_game(truth, QuestionTopic.RUN_CAUGHT, "", caught or None)


def _compared(truths: Sequence[GameTruth], name: str) -> Iterator[ExamQuestion]:
    ticks = {truth.run: truth.milestones[name] for truth in truths}
    first, second = sorted(ticks.values())[:2]
    if second > first + PROOF_DELAY:
        yield ExamQuestion(QuestionTopic.QUICKEST, name, min(ticks, key=lambda each: ticks[each]))
    turns = defaultdict[str, list[int]](list)
    for truth in truths:
        tick = truth.milestones[name]
        if truth.turns_to(tick) != truth.turns_to(tick + PROOF_DELAY):
            return
        turns[truth.starter].append(truth.turns_to(tick))
    means = sorted((fmean(each), starter) for starter, each in turns.items())
    if len(means) > 1 and means[0][0] < means[1][0]:
        yield ExamQuestion(QuestionTopic.BEST_STARTER, name, means[0][1])
