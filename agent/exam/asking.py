"""Questions about one recorded game, with their answers; what could be asked, before any of it is chosen."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from agent.exam.fights import Fight, Outcome
from agent.exam.question import Ask, Exactly, Form, Kind, Question, Within
from agent.exam.truth import PATIENCE, Held, Truth


def losses(truth: Truth) -> Iterator[Question]:
    """Yield what was lost, where, by whom, and how strong one was."""
    lost = [fight for fight in truth.fights if fight.outcome is Outcome.LOST]
    for name in dict.fromkeys(name for fight in lost for name in fight.names):
        against = [fight for fight in lost if name in fight.names]
        last = against[-1]
        where = tuple(Exactly(place) for place in truth.places if place != last.place)
        levels = tuple(Exactly(each.own_level) for each in truth.against(name))
        yield _question(
            Kind.LOSS, Ask.LOST_IN, name, f"Where was the last fight lost against {name}?", last.place, where
        )  # fmt: skip
        yield _question(
            Kind.LOSS, Ask.LOST_AT, name, f"At which level was the last fight lost against {name} begun?",
            last.own_level, levels,
        )  # fmt: skip
        yield _question(
            Kind.LOSS, Ask.LOST_BY, name, f"Who of ours began the last fight lost against {name}?", last.own
        )  # fmt: skip
    dear = [fight for fight in lost if fight.blacked_out]
    if dear:
        words = "Against whom was the last fight lost that cost money?"
        against_whom = dear[-1].opponent or ", ".join(dear[-1].enemies)
        traps = tuple(Exactly(fight.opponent) for fight in truth.fights)
        yield _question(Kind.LOSS, Ask.BLACKED_OUT_BY, "", words, against_whom, traps)
    for place in dict.fromkeys(fight.place for fight in lost):
        names = frozenset(n for fight in lost if fight.place == place for n in fight.enemies)
        words = f"Which species stood on the other side of the fights lost in {place}?"
        yield _question(Kind.LOSS, Ask.LOST_THERE, place, words, names)


def victories(truth: Truth) -> Iterator[Question]:
    """Yield who beat whom, and with which moves."""
    for name in truth.met:
        won = [each for each in truth.against(name) if each.outcome is Outcome.WON]
        if not won:
            continue
        last = won[-1]
        ours = {fight.finisher for fight in truth.fights} | set(truth.levels)
        others = tuple(Exactly(each) for each in sorted(ours - {last.finisher}))
        words = f"Who of ours was out when the last fight against {name} was won?"
        yield _question(Kind.VICTORY, Ask.WON_BY, name, words, last.finisher, others)
        if last.moves:
            words = f"With which moves, in the order of their first use, was {name} beaten last?"
            earlier = tuple(Exactly(each.moves) for each in won)
            yield _question(Kind.VICTORY, Ask.WON_WITH, name, words, last.moves, earlier)


def latest(truth: Truth) -> Iterator[Question]:
    """Yield the present value of what has changed; every older value is a trap."""
    words = "How much money is there now?"
    yield _question(Kind.LATEST, Ask.MONEY, "", words, truth.money[-1].value, _older(truth.money))
    for name, held in truth.items.items():
        words = f"How many of {name} are carried now?"
        yield _question(Kind.LATEST, Ask.ITEMS, name, words, held[-1].value, _older(held))
        most = max(each.value for each in held)
        words = f"How many of {name} were there at most?"
        yield _question(Kind.COUNT, Ask.MOST, name, words, most, _older(held))
    names = [name for name, _ in truth.team]
    for name, level in truth.team:
        if names.count(name) == 1:
            words = f"At which level is {name} now?"
            older = _older(truth.levels[name])
            yield _question(Kind.LATEST, Ask.LEVEL, name, words, level, older)
    here = truth.visits[-1].place
    elsewhere = tuple(Exactly(place) for place in truth.places if place != here)
    yield _question(Kind.LATEST, Ask.HERE, "", "Which place is this?", here, elsewhere)


def firsts(truth: Truth) -> Iterator[Question]:
    """Yield when a place was first entered, somebody first met, a milestone reached, and what came first."""
    for place in truth.places:
        first, *later = (each.tick for each in truth.visits if each.place == place)
        words = f"At which tick was {place} first entered?"
        yield _question(
            Kind.FIRST, Ask.FIRST_THERE, place, words, first, tuple(map(Exactly, later))
        )
    for name in truth.met:
        first_met, *again = truth.against(name)
        words = f"At which tick was {name} first met?"
        form = Form(Ask.FIRST_MET, name)
        yield Question(Kind.FIRST, form, words, _span(first_met), tuple(map(_span, again)))
        words = f"In which place was {name} first met?"
        others = tuple(Exactly(each.place) for each in again)
        yield _question(Kind.FIRST, Ask.MET_IN, name, words, first_met.place, others)
    for name, tick in truth.milestones.items():
        words = f"At which tick was the milestone {name} reached?"
        traps = tuple(_shown(other) for other in truth.milestones.values() if other != tick)
        yield Question(Kind.FIRST, Form(Ask.REACHED, name), words, _shown(tick), traps)
    for name, place in truth.found_in.items():
        words = f"In which place was {name} first had?"
        others = tuple(Exactly(each) for each in truth.places)
        yield _question(Kind.FIRST, Ask.FOUND_IN, name, words, place, others)
    yield from _then(truth)
    for one, other in combinations(truth.places, 2):
        # The later one is named first, so that taking the first name is no way to be right.
        words = f"Which was entered first, {other} or {one}?"
        form = Form(Ask.EARLIER, other, one)
        yield Question(Kind.FIRST, form, words, Exactly(one), (Exactly(other),))


def _then(truth: Truth) -> Iterator[Question]:
    """Yield what things stood at when a milestone was reached; what they are now is a trap."""
    for name, tick in truth.milestones.items():
        money, level = truth.money_at(tick), truth.level_at(tick)
        if money == truth.money_at(tick + PATIENCE):
            words = f"How much money was there on reaching {name}?"
            yield _question(Kind.FIRST, Ask.MONEY_AT, name, words, money, _older(truth.money))
        if level and level == truth.level_at(tick + PATIENCE):
            words = f"What was the highest level of the team on reaching {name}?"
            now = (Exactly(truth.level_at(truth.ticks)),)
            yield _question(Kind.FIRST, Ask.LEVEL_AT, name, words, level, now)


def counts(truth: Truth) -> Iterator[Question]:
    """Yield how often something was or happened."""
    for place in truth.places:
        times = sum(each.place == place for each in truth.visits)
        yield _question(Kind.COUNT, Ask.VISITS, place, f"How often was {place} entered?", times)
    for name in truth.met:
        against = truth.against(name)
        won = sum(each.outcome is Outcome.WON for each in against)
        words = f"How often was {name} fought with?"
        yield _question(
            Kind.COUNT, Ask.MEETINGS, name, words, len(against), (Exactly(len(against) + 1),)
        )
        words = f"How often was {name} beaten?"
        yield _question(Kind.COUNT, Ask.WINS, name, words, won, _unless(won, len(against)))
    lost = sum(each.outcome is Outcome.LOST for each in truth.fights)
    blackouts = sum(each.blacked_out for each in truth.fights)
    yield _question(Kind.COUNT, Ask.DEFEATS, "", "How many fights were lost?", lost)
    words = "How often did one black out?"
    yield _question(Kind.COUNT, Ask.BLACKOUTS, "", words, blackouts, _unless(blackouts, lost))


def _question(
    kind: Kind,
    ask: Ask,
    subject: str,
    words: str,
    answer: str | int | frozenset[str] | tuple[str, ...],
    traps: tuple[Exactly, ...] = (),
) -> Question:
    others = tuple(trap for trap in dict.fromkeys(traps) if trap.value != answer)
    return Question(kind, Form(ask, subject), words, Exactly(answer), others)


def _older(history: Sequence[Held]) -> tuple[Exactly, ...]:
    return tuple(Exactly(held.value) for held in history[:-1])


def _unless(answer: int, other: int) -> tuple[Exactly, ...]:
    return () if answer == other else (Exactly(other),)


def _span(fight: Fight) -> Within:
    return Within(fight.first_tick, fight.last_tick)


def _shown(tick: int) -> Within:
    return Within(tick, tick + PATIENCE)
