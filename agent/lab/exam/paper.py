"""All questions that can be asked about recorded games, with their answers, and the draw that makes a paper of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from random import Random
from statistics import fmean
from typing import Final, TypeAlias

from agent.lab.exam.question import (
    Exactly,
    ExamAnswer,
    ExamQuestion,
    Expected,
    QuestionForm,
    QuestionKind,
    QuestionTopic,
    Unknown,
    Within,
)
from agent.lab.exam.truth import (
    PATIENCE,
    CartridgeNames,
    FightOutcome,
    GameTruth,
    HeldValue,
    ObservedFight,
)

Right: TypeAlias = ExamAnswer | Expected


def losses(truth: GameTruth) -> Iterator[ExamQuestion]:
    """Yield what was lost, where, by whom, and at which level."""
    lost = [fight for fight in truth.fights if fight.outcome is FightOutcome.LOST]
    for name in dict.fromkeys(name for fight in lost for name in fight.names):
        last = [fight for fight in lost if name in fight.names][-1]
        levels = [each.own_level for each in truth.against(name)]
        yield _ask(QuestionTopic.LOST_IN, name, last.place, truth.places)
        yield _ask(QuestionTopic.LOST_AT, name, last.own_level, levels)
        yield _ask(QuestionTopic.LOST_BY, name, last.own)
    dear = [fight for fight in lost if fight.blacked_out]
    if dear:
        against = dear[-1].opponent or ", ".join(dear[-1].enemies)
        opponents = [fight.opponent for fight in truth.fights]
        yield _ask(QuestionTopic.BLACKED_OUT_BY, "", against, opponents)
    for place in dict.fromkeys(fight.place for fight in lost):
        names = frozenset(n for fight in lost if fight.place == place for n in fight.enemies)
        yield _ask(QuestionTopic.LOST_THERE, place, names)


def victories(truth: GameTruth) -> Iterator[ExamQuestion]:
    """Yield who beat whom, and with which moves."""
    ours = sorted({fight.finisher for fight in truth.fights} | set(truth.levels))
    for name in truth.met:
        won = [each for each in truth.against(name) if each.outcome is FightOutcome.WON]
        if not won:
            continue
        yield _ask(QuestionTopic.WON_BY, name, won[-1].finisher, ours)
        if won[-1].moves:
            yield _ask(QuestionTopic.WON_WITH, name, won[-1].moves, [each.moves for each in won])


def latest(truth: GameTruth) -> Iterator[ExamQuestion]:
    """Yield the present value of what has changed; every older value is a trap."""
    yield _ask(QuestionTopic.MONEY, "", truth.money[-1].value, _older(truth.money))
    for name, held in truth.items.items():
        yield _ask(QuestionTopic.ITEMS, name, held[-1].value, _older(held))
        yield _ask(QuestionTopic.MOST, name, max(each.value for each in held), _older(held))
    names = [name for name, _ in truth.team]
    for name, level in truth.team:
        if names.count(name) == 1:
            yield _ask(QuestionTopic.LEVEL, name, level, _older(truth.levels[name]))
    yield _ask(QuestionTopic.HERE, "", truth.visits[-1].place, truth.places)


def firsts(truth: GameTruth) -> Iterator[ExamQuestion]:
    """Yield when a place was first entered, a name first met, a milestone reached, and what came first."""
    for place in truth.places:
        first, *later = (each.tick for each in truth.visits if each.place == place)
        yield _ask(QuestionTopic.FIRST_THERE, place, first, later)
    for name in truth.met:
        first_met, *again = truth.against(name)
        yield _ask(QuestionTopic.FIRST_MET, name, _span(first_met), map(_span, again))
        yield _ask(QuestionTopic.MET_IN, name, first_met.place, [each.place for each in again])
    ticks = truth.milestones.values()
    for name, tick in truth.milestones.items():
        yield _ask(QuestionTopic.REACHED, name, _shown(tick), map(_shown, ticks))
    for name, place in truth.found_in.items():
        yield _ask(QuestionTopic.FOUND_IN, name, place, truth.places)
    for name, tick in truth.milestones.items():
        money, level = truth.money_at(tick), truth.level_at(tick)
        if money == truth.money_at(tick + PATIENCE):
            yield _ask(QuestionTopic.MONEY_AT, name, money, _older(truth.money))
        if level and level == truth.level_at(tick + PATIENCE):
            yield _ask(QuestionTopic.LEVEL_AT, name, level, [truth.level_at(truth.ticks)])
    for one, other in combinations(truth.places, 2):
        # The later one is named first, so that taking the first name is no way to be right.
        yield _ask(QuestionTopic.EARLIER, other, one, [other], other=one)


def counts(truth: GameTruth) -> Iterator[ExamQuestion]:
    """Yield how often something was or happened."""
    for place in truth.places:
        times = sum(each.place == place for each in truth.visits)
        yield _ask(QuestionTopic.VISITS, place, times)
    for name in truth.met:
        against = truth.against(name)
        won = sum(each.outcome is FightOutcome.WON for each in against)
        yield _ask(QuestionTopic.MEETINGS, name, len(against), [len(against) + 1])
        yield _ask(QuestionTopic.WINS, name, won, [len(against)])
    lost = sum(each.outcome is FightOutcome.LOST for each in truth.fights)
    yield _ask(QuestionTopic.DEFEATS, "", lost)
    blackouts = sum(each.blacked_out for each in truth.fights)
    yield _ask(QuestionTopic.BLACKOUTS, "", blackouts, [lost])


def across(truths: Sequence[GameTruth]) -> Iterator[ExamQuestion]:
    """Yield what sets one run apart from the others; there is nothing to ask of only one."""
    if len(truths) < 2:
        return
    for truth in truths:
        yield from _of_one(truth, [each for each in truths if each is not truth])
    common = [name for name in truths[0].milestones if all(name in t.milestones for t in truths)]
    for name in common:
        yield from _compared(truths, name)
    for name in dict.fromkeys(name for truth in truths for name in truth.met):
        runs = frozenset(truth.run for truth in truths if _lost(truth, name))
        if runs:
            yield _ask(QuestionTopic.RUNS_LOST, name, runs)


def never_was(truths: Sequence[GameTruth], there: CartridgeNames) -> Iterator[ExamQuestion]:
    """Yield what never was in the last of the games, asked just as if it had been."""
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
                yield from (_ask(topic, name, Unknown()) for topic in topics)
    for each in truths[:-1]:
        for name in truth.met:
            if name not in each.met:
                met = len(truth.against(name))
                yield _ask(QuestionTopic.RUN_MEETINGS, name, Unknown(), [met], game=each)


def _never_met(truth: GameTruth, names: Sequence[str]) -> Iterator[ExamQuestion]:
    for name in names:
        against = truth.against(name)
        if name not in truth.met:
            yield _ask(QuestionTopic.FIRST_MET, name, Unknown())
            yield _ask(QuestionTopic.MET_IN, name, Unknown())
            yield _ask(QuestionTopic.MEETINGS, name, Unknown())
            yield _ask(QuestionTopic.WON_BY, name, Unknown())
        elif not _lost(truth, name):
            yield _ask(QuestionTopic.LOST_IN, name, Unknown(), [each.place for each in against])
        elif not any(each.outcome is FightOutcome.WON for each in against):
            yield _ask(QuestionTopic.WON_WITH, name, Unknown())


def _of_one(truth: GameTruth, others: Sequence[GameTruth]) -> Iterator[ExamQuestion]:
    starters = [each.starter for each in others]
    yield _ask(QuestionTopic.RUN_STARTER, "", truth.starter, starters, game=truth)
    for name, tick in truth.milestones.items():
        turns = truth.turns_to(tick + PATIENCE)
        if turns != truth.turns_to(tick):
            continue  # a fight ends so near to it that it may count or not
        reached = [each for each in others if name in each.milestones]
        theirs = [each.turns_to(each.milestones[name]) for each in reached]
        yield _ask(QuestionTopic.RUN_TURNS, name, turns, theirs, game=truth)
    for name in truth.met:
        times = len(truth.against(name))
        theirs = [len(each.against(name)) for each in others]
        yield _ask(QuestionTopic.RUN_MEETINGS, name, times, theirs, game=truth)
    caught = frozenset(
        name
        for fight in truth.fights
        if fight.outcome is FightOutcome.CAUGHT
        for name in fight.enemies
    )
    yield _ask(QuestionTopic.RUN_CAUGHT, "", caught or Unknown(), game=truth)


def _compared(truths: Sequence[GameTruth], name: str) -> Iterator[ExamQuestion]:
    ticks = {truth.run: truth.milestones[name] for truth in truths}
    first, second = sorted(ticks.values())[:2]
    if second > first + PATIENCE:
        yield _ask(QuestionTopic.QUICKEST, name, min(ticks, key=lambda each: ticks[each]), ticks)
    turns = defaultdict[str, list[int]](list)
    for truth in truths:
        tick = truth.milestones[name]
        if truth.turns_to(tick) != truth.turns_to(tick + PATIENCE):
            return
        turns[truth.starter].append(truth.turns_to(tick))
    means = sorted((fmean(each), starter) for starter, each in turns.items())
    if len(means) > 1 and means[0][0] < means[1][0]:
        others = [starter for _, starter in means[1:]]
        yield _ask(QuestionTopic.BEST_STARTER, name, means[0][1], others)


def _ask(
    topic: QuestionTopic,
    subject: str,
    right: Right,
    traps: Iterable[Right] = (),
    *,
    other: str = "",
    game: GameTruth | None = None,
) -> ExamQuestion:
    """Return a question of the run that has just ended, or of `game`; what is right is no trap."""
    expected = _expected(right)
    kind = QuestionKind.NEVER if isinstance(expected, Unknown) else topic.kind
    form = QuestionForm(topic, subject, other, game.run if game is not None else "")
    named = f"the game of seed {game.seed}" if game is not None else ""
    words = topic.words(subject=subject, other=other, game=named)
    wrong = dict.fromkeys(map(_expected, traps))
    others = tuple(e for e in wrong if e != expected and not isinstance(e, Unknown))
    return ExamQuestion(kind, form, words, expected, others)


def _expected(right: Right) -> Expected:
    return right if isinstance(right, Exactly | Within | Unknown) else Exactly(right)


def _older(history: Sequence[HeldValue]) -> list[int]:
    return [held.value for held in history[:-1]]


def _span(fight: ObservedFight) -> Within:
    return Within(fight.first_tick, fight.last_tick)


def _shown(tick: int) -> Within:
    return Within(tick, tick + PATIENCE)


def _lost(truth: GameTruth, name: str) -> bool:
    return any(each.outcome is FightOutcome.LOST for each in truth.against(name))


OF_EACH: Final = 16  # questions of a kind in one paper
OF_NEVER: Final = 32  # there are many ways of never having been


def paper(
    truths: Sequence[GameTruth], there: CartridgeNames, chance: Random, of_each: int = OF_EACH
) -> list[ExamQuestion]:
    """Return the questions about the last of the games in `truths`, and about it beside those before it."""
    offered = _offered(truths, there)
    asked: list[ExamQuestion] = []
    for kind in QuestionKind:
        most = of_each * OF_NEVER // OF_EACH if kind is QuestionKind.NEVER else of_each
        asked += _drawn([each for each in offered if each.kind is kind], most, chance)
    return asked


def _offered(truths: Sequence[GameTruth], there: CartridgeNames) -> list[ExamQuestion]:
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


def _drawn(offered: Sequence[ExamQuestion], most: int, chance: Random) -> list[ExamQuestion]:
    """Return at most so many, taking turns between what is asked, so that none of it crowds out another."""
    by_ask = defaultdict[QuestionTopic, list[ExamQuestion]](list)
    for each in offered:
        by_ask[each.form.ask].append(each)
    for questions in by_ask.values():
        chance.shuffle(questions)
    drawn: list[ExamQuestion] = []
    while len(drawn) < most and any(by_ask.values()):
        drawn += [questions.pop() for questions in by_ask.values() if questions]
    return drawn[:most]
