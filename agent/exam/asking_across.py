"""Questions about several recorded games that one memory has seen, and about what never was in them."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from statistics import fmean

from agent.exam.fights import Outcome
from agent.exam.question import Ask, Exactly, Form, Kind, Question, Unknown
from agent.exam.there import There
from agent.exam.truth import PATIENCE, Truth


def across(truths: Sequence[Truth]) -> Iterator[Question]:
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
            yield Question(Kind.ACROSS, Form(Ask.RUNS_LOST, name), words, Exactly(runs))


def never_was(truths: Sequence[Truth], there: There) -> Iterator[Question]:
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
                form = Form(Ask.RUN_MEETINGS, name, run=each.run)
                yield Question(Kind.NEVER, form, words, Unknown(), traps)


def _never_there(truth: Truth, there: There) -> Iterator[Question]:
    for place in there.places:
        if place not in truth.places:
            words = f"At which tick was {place} first entered?"
            yield _never(Ask.FIRST_THERE, place, words)
            yield _never(Ask.VISITS, place, f"How often was {place} entered?")
            words = f"Which species stood on the other side of the fights lost in {place}?"
            yield _never(Ask.LOST_THERE, place, words)
    for name in there.milestones:
        if name not in truth.milestones:
            words = f"At which tick was the milestone {name} reached?"
            yield _never(Ask.REACHED, name, words)


def _never_had(truth: Truth, there: There) -> Iterator[Question]:
    for item in there.items:
        if item not in truth.items:
            yield _never(Ask.ITEMS, item, f"How many of {item} are carried now?")
    for name in there.species:
        if name not in truth.levels:
            yield _never(Ask.LEVEL, name, f"At which level is {name} now?")


def _never_met(truth: Truth, there: There) -> Iterator[Question]:
    for name in (*there.species, *there.trainers):
        if name not in truth.met:
            yield _never(Ask.FIRST_MET, name, f"At which tick was {name} first met?")
            yield _never(Ask.MET_IN, name, f"In which place was {name} first met?")
            yield _never(Ask.MEETINGS, name, f"How often was {name} fought with?")
            words = f"Who of ours was out when the last fight against {name} was won?"
            yield _never(Ask.WON_BY, name, words)
        elif not _lost(truth, name):
            words = f"Where was the last fight lost against {name}?"
            places = tuple(Exactly(each.place) for each in truth.against(name))
            yield Question(Kind.NEVER, Form(Ask.LOST_IN, name), words, Unknown(), places)
        elif not any(each.outcome is Outcome.WON for each in truth.against(name)):
            words = f"With which moves, in the order of their first use, was {name} beaten last?"
            yield _never(Ask.WON_WITH, name, words)


def _of_one(truth: Truth, others: Sequence[Truth]) -> Iterator[Question]:
    game = f"the game of seed {truth.seed}"
    theirs = tuple(Exactly(each.starter) for each in others if each.starter != truth.starter)
    form = Form(Ask.RUN_STARTER, run=truth.run)
    yield Question(
        Kind.ACROSS, form, f"With whom did {game} begin?", Exactly(truth.starter), theirs
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
        form = Form(Ask.RUN_TURNS, name, run=truth.run)
        yield Question(Kind.ACROSS, form, words, Exactly(turns), traps)
    for name in truth.met:
        times = len(truth.against(name))
        traps = tuple(
            Exactly(count) for each in others if (count := len(each.against(name))) != times
        )
        words = f"How often did {game} fight with {name}?"
        form = Form(Ask.RUN_MEETINGS, name, run=truth.run)
        yield Question(Kind.ACROSS, form, words, Exactly(times), traps)
    caught = frozenset(
        name for fight in truth.fights if fight.outcome is Outcome.CAUGHT for name in fight.enemies
    )
    form, words = Form(Ask.RUN_CAUGHT, run=truth.run), f"Which species did {game} catch?"
    yield (
        Question(Kind.ACROSS, form, words, Exactly(caught))
        if caught
        else Question(Kind.NEVER, form, words, Unknown())
    )


def _compared(truths: Sequence[Truth], name: str) -> Iterator[Question]:
    ticks = Counter({truth.run: truth.milestones[name] for truth in truths})
    first, second = sorted(ticks.values())[:2]
    if second > first + PATIENCE:
        run = min(ticks, key=lambda each: ticks[each])
        words = f"Which run took the fewest ticks to {name}?"
        form = Form(Ask.QUICKEST, name)
        traps = tuple(Exactly(other) for other in ticks if other != run)
        yield Question(Kind.ACROSS, form, words, Exactly(run), traps)
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
        form = Form(Ask.BEST_STARTER, name)
        yield Question(Kind.ACROSS, form, words, Exactly(means[0][1]), others)


def _lost(truth: Truth, name: str) -> bool:
    return any(each.outcome is Outcome.LOST for each in truth.against(name))


def _never(ask: Ask, subject: str, words: str) -> Question:
    return Question(Kind.NEVER, Form(ask, subject), words, Unknown())
