"""All questions that can be asked about recorded games, with their answers, and the draw that makes a paper of them."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from statistics import fmean
from typing import Final

from agent.lab.exam.question import (
    Exactly,
    ExamQuestion,
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


def losses(truth: GameTruth) -> Iterator[ExamQuestion]:
    """Yield what was lost, where, by whom, and how strong one was."""
    lost = [fight for fight in truth.fights if fight.outcome is FightOutcome.LOST]
    for name in dict.fromkeys(name for fight in lost for name in fight.names):
        against = [fight for fight in lost if name in fight.names]
        last = against[-1]
        where = tuple(Exactly(place) for place in truth.places if place != last.place)
        levels = tuple(Exactly(each.own_level) for each in truth.against(name))
        yield _question(
            QuestionKind.LOSS, QuestionTopic.LOST_IN, name, f"Where was the last fight lost against {name}?", last.place, where
        )  # fmt: skip
        yield _question(
            QuestionKind.LOSS, QuestionTopic.LOST_AT, name, f"At which level was the last fight lost against {name} begun?",
            last.own_level, levels,
        )  # fmt: skip
        yield _question(
            QuestionKind.LOSS, QuestionTopic.LOST_BY, name, f"Who of ours began the last fight lost against {name}?", last.own
        )  # fmt: skip
    dear = [fight for fight in lost if fight.blacked_out]
    if dear:
        words = "Against whom was the last fight lost that cost money?"
        against_whom = dear[-1].opponent or ", ".join(dear[-1].enemies)
        traps = tuple(Exactly(fight.opponent) for fight in truth.fights)
        yield _question(
            QuestionKind.LOSS, QuestionTopic.BLACKED_OUT_BY, "", words, against_whom, traps
        )
    for place in dict.fromkeys(fight.place for fight in lost):
        names = frozenset(n for fight in lost if fight.place == place for n in fight.enemies)
        words = f"Which species stood on the other side of the fights lost in {place}?"
        yield _question(QuestionKind.LOSS, QuestionTopic.LOST_THERE, place, words, names)


def victories(truth: GameTruth) -> Iterator[ExamQuestion]:
    """Yield who beat whom, and with which moves."""
    for name in truth.met:
        won = [each for each in truth.against(name) if each.outcome is FightOutcome.WON]
        if not won:
            continue
        last = won[-1]
        ours = {fight.finisher for fight in truth.fights} | set(truth.levels)
        others = tuple(Exactly(each) for each in sorted(ours - {last.finisher}))
        words = f"Who of ours was out when the last fight against {name} was won?"
        yield _question(
            QuestionKind.VICTORY, QuestionTopic.WON_BY, name, words, last.finisher, others
        )
        if last.moves:
            words = f"With which moves, in the order of their first use, was {name} beaten last?"
            earlier = tuple(Exactly(each.moves) for each in won)
            yield _question(
                QuestionKind.VICTORY, QuestionTopic.WON_WITH, name, words, last.moves, earlier
            )


def latest(truth: GameTruth) -> Iterator[ExamQuestion]:
    """Yield the present value of what has changed; every older value is a trap."""
    words = "How much money is there now?"
    yield _question(
        QuestionKind.LATEST,
        QuestionTopic.MONEY,
        "",
        words,
        truth.money[-1].value,
        _older(truth.money),
    )
    for name, held in truth.items.items():
        words = f"How many of {name} are carried now?"
        yield _question(
            QuestionKind.LATEST, QuestionTopic.ITEMS, name, words, held[-1].value, _older(held)
        )
        most = max(each.value for each in held)
        words = f"How many of {name} were there at most?"
        yield _question(QuestionKind.COUNT, QuestionTopic.MOST, name, words, most, _older(held))
    names = [name for name, _ in truth.team]
    for name, level in truth.team:
        if names.count(name) == 1:
            words = f"At which level is {name} now?"
            older = _older(truth.levels[name])
            yield _question(QuestionKind.LATEST, QuestionTopic.LEVEL, name, words, level, older)
    here = truth.visits[-1].place
    elsewhere = tuple(Exactly(place) for place in truth.places if place != here)
    yield _question(
        QuestionKind.LATEST, QuestionTopic.HERE, "", "Which place is this?", here, elsewhere
    )


def firsts(truth: GameTruth) -> Iterator[ExamQuestion]:
    """Yield when a place was first entered, somebody first met, a milestone reached, and what came first."""
    for place in truth.places:
        first, *later = (each.tick for each in truth.visits if each.place == place)
        words = f"At which tick was {place} first entered?"
        yield _question(
            QuestionKind.FIRST,
            QuestionTopic.FIRST_THERE,
            place,
            words,
            first,
            tuple(map(Exactly, later)),
        )
    for name in truth.met:
        first_met, *again = truth.against(name)
        words = f"At which tick was {name} first met?"
        form = QuestionForm(QuestionTopic.FIRST_MET, name)
        yield ExamQuestion(
            QuestionKind.FIRST, form, words, _span(first_met), tuple(map(_span, again))
        )
        words = f"In which place was {name} first met?"
        others = tuple(Exactly(each.place) for each in again)
        yield _question(
            QuestionKind.FIRST, QuestionTopic.MET_IN, name, words, first_met.place, others
        )
    for name, tick in truth.milestones.items():
        words = f"At which tick was the milestone {name} reached?"
        traps = tuple(_shown(other) for other in truth.milestones.values() if other != tick)
        yield ExamQuestion(
            QuestionKind.FIRST,
            QuestionForm(QuestionTopic.REACHED, name),
            words,
            _shown(tick),
            traps,
        )
    for name, place in truth.found_in.items():
        words = f"In which place was {name} first had?"
        others = tuple(Exactly(each) for each in truth.places)
        yield _question(QuestionKind.FIRST, QuestionTopic.FOUND_IN, name, words, place, others)
    yield from _then(truth)
    for one, other in combinations(truth.places, 2):
        # The later one is named first, so that taking the first name is no way to be right.
        words = f"Which was entered first, {other} or {one}?"
        form = QuestionForm(QuestionTopic.EARLIER, other, one)
        yield ExamQuestion(QuestionKind.FIRST, form, words, Exactly(one), (Exactly(other),))


def _then(truth: GameTruth) -> Iterator[ExamQuestion]:
    """Yield what things stood at when a milestone was reached; what they are now is a trap."""
    for name, tick in truth.milestones.items():
        money, level = truth.money_at(tick), truth.level_at(tick)
        if money == truth.money_at(tick + PATIENCE):
            words = f"How much money was there on reaching {name}?"
            yield _question(
                QuestionKind.FIRST, QuestionTopic.MONEY_AT, name, words, money, _older(truth.money)
            )
        if level and level == truth.level_at(tick + PATIENCE):
            words = f"What was the highest level of the team on reaching {name}?"
            now = (Exactly(truth.level_at(truth.ticks)),)
            yield _question(QuestionKind.FIRST, QuestionTopic.LEVEL_AT, name, words, level, now)


def counts(truth: GameTruth) -> Iterator[ExamQuestion]:
    """Yield how often something was or happened."""
    for place in truth.places:
        times = sum(each.place == place for each in truth.visits)
        yield _question(
            QuestionKind.COUNT,
            QuestionTopic.VISITS,
            place,
            f"How often was {place} entered?",
            times,
        )
    for name in truth.met:
        against = truth.against(name)
        won = sum(each.outcome is FightOutcome.WON for each in against)
        words = f"How often was {name} fought with?"
        yield _question(
            QuestionKind.COUNT,
            QuestionTopic.MEETINGS,
            name,
            words,
            len(against),
            (Exactly(len(against) + 1),),
        )
        words = f"How often was {name} beaten?"
        yield _question(
            QuestionKind.COUNT, QuestionTopic.WINS, name, words, won, _unless(won, len(against))
        )
    lost = sum(each.outcome is FightOutcome.LOST for each in truth.fights)
    blackouts = sum(each.blacked_out for each in truth.fights)
    yield _question(
        QuestionKind.COUNT, QuestionTopic.DEFEATS, "", "How many fights were lost?", lost
    )
    words = "How often did one black out?"
    yield _question(
        QuestionKind.COUNT, QuestionTopic.BLACKOUTS, "", words, blackouts, _unless(blackouts, lost)
    )


def _question(
    kind: QuestionKind,
    ask: QuestionTopic,
    subject: str,
    words: str,
    answer: str | int | frozenset[str] | tuple[str, ...],
    traps: tuple[Exactly, ...] = (),
) -> ExamQuestion:
    others = tuple(trap for trap in dict.fromkeys(traps) if trap.value != answer)
    return ExamQuestion(kind, QuestionForm(ask, subject), words, Exactly(answer), others)


def _older(history: Sequence[HeldValue]) -> tuple[Exactly, ...]:
    return tuple(Exactly(held.value) for held in history[:-1])


def _unless(answer: int, other: int) -> tuple[Exactly, ...]:
    return () if answer == other else (Exactly(other),)


def _span(fight: ObservedFight) -> Within:
    return Within(fight.first_tick, fight.last_tick)


def _shown(tick: int) -> Within:
    return Within(tick, tick + PATIENCE)


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
            words = f"Which runs lost to {name}?"
            yield ExamQuestion(
                QuestionKind.ACROSS,
                QuestionForm(QuestionTopic.RUNS_LOST, name),
                words,
                Exactly(runs),
            )


def never_was(truths: Sequence[GameTruth], there: CartridgeNames) -> Iterator[ExamQuestion]:
    """Yield what never was in the last of the games, asked just as if it had been."""
    truth = truths[-1]
    yield from _never_met(truth, there)
    yield from _never_there(truth, there)
    yield from _never_had(truth, there)
    for each in truths[:-1]:
        for name in truth.met:
            if name not in each.met:
                words = f"How often did the game of seed {each.seed} fight with {name}?"
                traps = (Exactly(len(truth.against(name))),)
                form = QuestionForm(QuestionTopic.RUN_MEETINGS, name, run=each.run)
                yield ExamQuestion(QuestionKind.NEVER, form, words, Unknown(), traps)


def _never_there(truth: GameTruth, there: CartridgeNames) -> Iterator[ExamQuestion]:
    for place in there.places:
        if place not in truth.places:
            words = f"At which tick was {place} first entered?"
            yield _never(QuestionTopic.FIRST_THERE, place, words)
            yield _never(QuestionTopic.VISITS, place, f"How often was {place} entered?")
            words = f"Which species stood on the other side of the fights lost in {place}?"
            yield _never(QuestionTopic.LOST_THERE, place, words)
    for name in there.milestones:
        if name not in truth.milestones:
            words = f"At which tick was the milestone {name} reached?"
            yield _never(QuestionTopic.REACHED, name, words)


def _never_had(truth: GameTruth, there: CartridgeNames) -> Iterator[ExamQuestion]:
    for item in there.items:
        if item not in truth.items:
            yield _never(QuestionTopic.ITEMS, item, f"How many of {item} are carried now?")
    for name in there.species:
        if name not in truth.levels:
            yield _never(QuestionTopic.LEVEL, name, f"At which level is {name} now?")


def _never_met(truth: GameTruth, there: CartridgeNames) -> Iterator[ExamQuestion]:
    for name in (*there.species, *there.trainers):
        if name not in truth.met:
            yield _never(QuestionTopic.FIRST_MET, name, f"At which tick was {name} first met?")
            yield _never(QuestionTopic.MET_IN, name, f"In which place was {name} first met?")
            yield _never(QuestionTopic.MEETINGS, name, f"How often was {name} fought with?")
            words = f"Who of ours was out when the last fight against {name} was won?"
            yield _never(QuestionTopic.WON_BY, name, words)
        elif not _lost(truth, name):
            words = f"Where was the last fight lost against {name}?"
            places = tuple(Exactly(each.place) for each in truth.against(name))
            yield ExamQuestion(
                QuestionKind.NEVER,
                QuestionForm(QuestionTopic.LOST_IN, name),
                words,
                Unknown(),
                places,
            )
        elif not any(each.outcome is FightOutcome.WON for each in truth.against(name)):
            words = f"With which moves, in the order of their first use, was {name} beaten last?"
            yield _never(QuestionTopic.WON_WITH, name, words)


def _of_one(truth: GameTruth, others: Sequence[GameTruth]) -> Iterator[ExamQuestion]:
    game = f"the game of seed {truth.seed}"
    theirs = tuple(Exactly(each.starter) for each in others if each.starter != truth.starter)
    form = QuestionForm(QuestionTopic.RUN_STARTER, run=truth.run)
    yield ExamQuestion(
        QuestionKind.ACROSS, form, f"With whom did {game} begin?", Exactly(truth.starter), theirs
    )
    for name, tick in truth.milestones.items():
        turns = truth.turns_to(tick + PATIENCE)
        if turns != truth.turns_to(tick):
            continue  # a fight ends so near to it that it may count or not
        traps = tuple(
            Exactly(each.turns_to(each.milestones[name]))
            for each in others
            if name in each.milestones and each.turns_to(each.milestones[name]) != turns
        )
        words = f"How many turns of battle did {game} take to {name}?"
        form = QuestionForm(QuestionTopic.RUN_TURNS, name, run=truth.run)
        yield ExamQuestion(QuestionKind.ACROSS, form, words, Exactly(turns), traps)
    for name in truth.met:
        times = len(truth.against(name))
        traps = tuple(
            Exactly(count) for each in others if (count := len(each.against(name))) != times
        )
        words = f"How often did {game} fight with {name}?"
        form = QuestionForm(QuestionTopic.RUN_MEETINGS, name, run=truth.run)
        yield ExamQuestion(QuestionKind.ACROSS, form, words, Exactly(times), traps)
    caught = frozenset(
        name
        for fight in truth.fights
        if fight.outcome is FightOutcome.CAUGHT
        for name in fight.enemies
    )
    form, words = (
        QuestionForm(QuestionTopic.RUN_CAUGHT, run=truth.run),
        f"Which species did {game} catch?",
    )
    yield (
        ExamQuestion(QuestionKind.ACROSS, form, words, Exactly(caught))
        if caught
        else ExamQuestion(QuestionKind.NEVER, form, words, Unknown())
    )


def _compared(truths: Sequence[GameTruth], name: str) -> Iterator[ExamQuestion]:
    ticks = Counter({truth.run: truth.milestones[name] for truth in truths})
    first, second = sorted(ticks.values())[:2]
    if second > first + PATIENCE:
        run = min(ticks, key=lambda each: ticks[each])
        words = f"Which run took the fewest ticks to {name}?"
        form = QuestionForm(QuestionTopic.QUICKEST, name)
        traps = tuple(Exactly(other) for other in ticks if other != run)
        yield ExamQuestion(QuestionKind.ACROSS, form, words, Exactly(run), traps)
    turns = defaultdict[str, list[int]](list)
    for truth in truths:
        tick = truth.milestones[name]
        if truth.turns_to(tick) != truth.turns_to(tick + PATIENCE):
            return
        turns[truth.starter].append(truth.turns_to(tick))
    means = sorted((fmean(each), starter) for starter, each in turns.items())
    if len(means) > 1 and means[0][0] < means[1][0]:
        words = f"With which starter did {name} take the fewest turns of battle, on average?"
        others = tuple(Exactly(starter) for _, starter in means[1:])
        form = QuestionForm(QuestionTopic.BEST_STARTER, name)
        yield ExamQuestion(QuestionKind.ACROSS, form, words, Exactly(means[0][1]), others)


def _lost(truth: GameTruth, name: str) -> bool:
    return any(each.outcome is FightOutcome.LOST for each in truth.against(name))


def _never(ask: QuestionTopic, subject: str, words: str) -> ExamQuestion:
    return ExamQuestion(QuestionKind.NEVER, QuestionForm(ask, subject), words, Unknown())


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
