"""The milestones of a run: those reached, with their pictures and witnesses, and those still to come."""

from base64 import b64decode
from binascii import Error
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from agent.capabilities import Story
from agent.report.gather.times import Times, When
from agent.report.words import plain
from memory import EventRow, RunReader

PNG: Final = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class Milestone:
    """One milestone; `picture` is a PNG in base64, or '' where none was kept."""

    id: str
    says: str
    when: When
    witnesses: Mapping[str, str]
    picture: str = field(repr=False)


def milestones(run: RunReader, story: Story | None, times: Times) -> Iterator[Milestone]:
    """Yield the milestones of the live lineage, the first first."""
    says = _says(story)
    for event in run.events("milestone"):
        yield _milestone(event, says, times)


def pending(story: Story | None, reached: Sequence[Milestone], until: str) -> Sequence[str]:
    """Return in words what is still to come, up to the goal of the run."""
    done = {each.id for each in reached}
    if story is None:
        return () if until in done else (plain(until),)
    found = []
    for each in story.milestones:
        if each.id not in done:
            found.append(each.says)
        if each.id == until:
            break
    return found


def said(story: Story | None, name: str) -> str:
    """Return in words what a milestone is about."""
    return _says(story).get(name, plain(name))


def _says(story: Story | None) -> Mapping[str, str]:
    return {each.id: each.says for each in story.milestones} if story is not None else {}


def _milestone(event: EventRow, says: Mapping[str, str], times: Times) -> Milestone:
    payload: Mapping[str, Any] = event.payload
    name = str(payload.get("id", "?"))
    witnesses = payload.get("witnesses")
    return Milestone(
        id=name,
        says=says.get(name, plain(name)),
        when=times.when(event.tick),
        witnesses=(
            {str(kind): str(words) for kind, words in witnesses.items()}
            if isinstance(witnesses, Mapping)
            else {}
        ),
        picture=_picture(payload.get("picture")),
    )


def _picture(text: object) -> str:
    """Return a picture that is one; a file that somebody edited brings nothing else onto the page."""
    try:
        is_picture = isinstance(text, str) and b64decode(text, validate=True).startswith(PNG)
    except (Error, ValueError):
        return ""
    return str(text) if is_picture else ""
