"""How each question about the run that has just ended is answered out of memory; None where memory has nothing."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from agent.exam.notebook import Notebook, members
from agent.exam.question import Answer, Ask, Form
from memory import BELONGING, BLACKOUT, WAYPOINT, milestones_of

Recalling: TypeAlias = Callable[[Notebook, Form], Answer | None]


def _of(field: str, counted: str = "met") -> Recalling:
    """Return how to read a field of an acquaintance in which something was `counted` at all."""

    def recall(notes: Notebook, form: Form) -> Answer | None:
        known = notes.acquaintance(form.subject) if notes.is_known(form.subject) else None
        return _read(known, field, counted)

    return recall


def _told(field: str, counted: str) -> Recalling:
    """Return the same by way of the lines that are gathered for a prompt."""
    return lambda notes, form: _read(notes.told_of(form.subject), field, counted)


def _read(known: Mapping[str, Any] | None, field: str, counted: str) -> Answer | None:
    if known is None or not known[counted]:
        return None
    value = known[field]
    return tuple(value) if isinstance(value, list) else value


def _lost_there(notes: Notebook, form: Form) -> Answer | None:
    names = (str(battle["enemy_pokemon"]).split(", ") for battle in notes.defeats_in(form.subject))
    return frozenset(name for each in names for name in each) or None


def _money(notes: Notebook, _form: Form) -> Answer | None:
    owned = notes.strategist.resource_history
    return owned[-1].money if owned else None


def _items(notes: Notebook, form: Form) -> Answer | None:
    owned = notes.strategist.resource_history
    if not any(form.subject in each.items for each in owned):
        return None
    return owned[-1].items.get(form.subject, 0)


def _level(notes: Notebook, form: Form) -> Answer | None:
    return notes.team().get(form.subject)


def _here(notes: Notebook, _form: Form) -> Answer | None:
    return next(reversed(list(notes.strategist.locations_visited)), None)


def _first_there(notes: Notebook, form: Form) -> int | None:
    if not notes.is_known(form.subject):
        return None
    place = notes.strategist.locations_visited.get(form.subject)
    return None if place is None else place.first_visit_tick


def _earlier(notes: Notebook, form: Form) -> Answer | None:
    one, other = _first_there(notes, form), _first_there(notes, Form(form.ask, form.other))
    if one is None or other is None:
        return None
    return form.subject if one < other else form.other


def _visits(notes: Notebook, form: Form) -> Answer | None:
    place = notes.strategist.locations_visited.get(form.subject)
    return None if place is None else place.visit_count


def _reached(notes: Notebook, form: Form) -> Answer | None:
    objective = notes.strategist.objective(f"reached:{form.subject}")
    return None if objective is None else objective.completed_tick


def _defeats(notes: Notebook, _form: Form) -> Answer | None:
    session = notes.strategist
    return session.defeats if session.total_battles else None


def _blackouts(notes: Notebook, _form: Form) -> Answer | None:
    return len(notes.own(BLACKOUT)) if notes.strategist.total_battles else None


def _blacked_out_by(notes: Notebook, _form: Form) -> Answer | None:
    told = notes.own(BLACKOUT)
    return str(max(told, key=lambda each: each.tick).data["subject"]) if told else None


def _thing(field: str) -> Recalling:
    """Return how to read a field of what is known of a thing."""

    def recall(notes: Notebook, form: Form) -> Answer | None:
        if not notes.is_known(form.subject):
            return None
        known = notes.recalled(BELONGING, form.subject)
        return next((data[field] for data in known if data["run"] == notes.run), None)

    return recall


def _then(field: str) -> Recalling:
    """Return how to read what was noted at a milestone."""

    def recall(notes: Notebook, form: Form) -> Answer | None:
        told = (milestones_of(each.data) for each in notes.own(WAYPOINT))
        data = next((each[form.subject] for each in told if form.subject in each), None)
        if data is None:
            return None
        value: Any = data[field]
        return max(members(value).values(), default=None) if field == "team" else int(value)

    return recall


RECALLING: Final[Mapping[Ask, Recalling]] = {
    Ask.LOST_IN: _of("lost_in", "lost"),
    Ask.LOST_AT: _of("lost_at", "lost"),
    Ask.LOST_BY: _of("lost_by", "lost"),
    Ask.LOST_THERE: _lost_there,
    Ask.WON_BY: _told("won_by", "won"),
    Ask.WON_WITH: _told("won_with", "won"),
    Ask.MONEY: _money,
    Ask.ITEMS: _items,
    Ask.LEVEL: _level,
    Ask.FOUND_IN: _thing("place"),
    Ask.MOST: _thing("most"),
    Ask.MONEY_AT: _then("money"),
    Ask.LEVEL_AT: _then("team"),
    Ask.BLACKED_OUT_BY: _blacked_out_by,
    Ask.HERE: _here,
    Ask.FIRST_THERE: _first_there,
    Ask.FIRST_MET: _of("first_tick"),
    Ask.MET_IN: _of("place"),
    Ask.REACHED: _reached,
    Ask.EARLIER: _earlier,
    Ask.VISITS: _visits,
    Ask.MEETINGS: _of("met"),
    Ask.WINS: _of("won"),
    Ask.DEFEATS: _defeats,
    Ask.BLACKOUTS: _blackouts,
}
