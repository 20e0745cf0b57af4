"""Write docs/red_story.svg: the milestones of Red's story by chapter, with arrows to the milestones that need them.

Optional goals are below the chapter after which they become worthwhile.
"""

import tomllib
from collections.abc import Collection, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Final

from agent.story.facts import FactKind, parse_fact
from agent.story.milestones import Milestone
from agent.story.places import Place
from agent.story.story import Story
from emulator import CartridgeKind
from memory.file_access import write_file

ROOT: Final = Path(__file__).resolve().parent.parent
PICTURE: Final = ROOT / "docs" / "red_story.svg"
CHAPTERS: Final = ROOT / "agent" / "story" / "cartridges" / "red"
# Machines that teach a move, which is not a task.
MACHINES: Final = {"move:cut": "item:hm01", "move:surf": "item:hm03", "move:strength": "item:hm04"}
STEP, BADGE, ASIDE = 'fill="#dcebfa"', 'fill="#ffe3a6"', 'fill="#e3f4e1" stroke-dasharray="5 3"'
WIDTH, HEIGHT, GAP, COLUMN, TOP, EDGE = 290, 34, 16, 370, 70, 24


def main() -> None:
    """Write the picture."""
    write_file(PICTURE, picture(Story.of(CartridgeKind.RED)))
    print(f"wrote {PICTURE.name}")


def picture(story: Story) -> str:
    """Return the picture as SVG."""
    columns = {title: [*rows, *_extras(story, rows)] for title, rows in _chapters().items() if rows}
    at = {
        name: (EDGE + number * COLUMN, TOP + row * (HEIGHT + GAP))
        for number, rows in enumerate(columns.values())
        for row, name in enumerate(rows)
    }
    width = EDGE + len(columns) * COLUMN
    height = TOP + max(len(rows) for rows in columns.values()) * (HEIGHT + GAP) + EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#5b6b7b"/></marker></defs>',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for number, title in enumerate(columns):
        x = EDGE + number * COLUMN
        parts.append(
            f'<text x="{x}" y="40" font-size="17" font-weight="bold" fill="#1d2733">{escape(title)}</text>'
        )
    for end, starts in _arrows(story).items():
        parts += [_arrow(at[start], at[end]) for start in starts]
    for goal in story.ambitions:
        parts += [_arrow(at[goal.after], at[goal.fact]), _box(goal.label, ASIDE, *at[goal.fact])]
    for each in story.milestones:
        earned = each.mark is not None and each.mark.kind is FactKind.BADGE
        parts.append(_box(each.label, BADGE if earned else STEP, *at[each.id]))
    return "\n".join((*parts, "</svg>\n"))


def _chapters() -> Mapping[str, list[str]]:
    """Return the milestones of each chapter by its title, in order."""
    found = {}
    for file in sorted(CHAPTERS.iterdir()):
        title = file.stem.partition("_")[2].replace("_", " ")
        rows = tomllib.loads(file.read_text(encoding="utf-8")).get("milestones", ())
        found[title[0].upper() + title[1:]] = [row["id"] for row in rows]
    return found


def _extras(story: Story, milestones: Collection[str]) -> list[str]:
    """Return the optional goals that become worthwhile after these milestones."""
    return [each.fact for each in story.ambitions if each.after in milestones]


def _arrows(story: Story) -> Mapping[str, list[str]]:
    """Return the direct requirements of each milestone, without indirect ones."""
    needs: dict[str, set[str]] = {}
    for each in story.milestones:
        direct = {name for fact in _facts(story, each) for name in _proven_by(story, fact, each)}
        needs[each.id] = {name for name in direct if name in needs}
    behind: dict[str, set[str]] = {}
    for name, direct in needs.items():
        behind[name] = direct.union(*(behind[each] for each in direct))
    return {
        name: sorted(direct - set[str]().union(*(behind[each] for each in direct)))
        for name, direct in needs.items()
    }


def _facts(story: Story, milestone: Milestone) -> Iterator[str]:
    """Yield the facts that a milestone needs, through the tasks and places that lead to it."""
    places = {each.name: each for each in story.places}
    waiting, seen = [milestone.fact] if milestone.fact else [], set[str]()
    if milestone.place:
        waiting += _needs_of(places[milestone.place])
    while waiting:
        fact = waiting.pop()
        if fact in seen:
            continue
        seen.add(fact)
        if fact != milestone.fact:
            yield fact
        if fact != milestone.fact and any(each.fact == fact for each in story.milestones):
            continue
        if fact in MACHINES:
            waiting.append(MACHINES[fact])
        for task in story.tasks:
            if fact in (task.sets, *task.gives):
                waiting += [each for each in task.needs if parse_fact(each)[1]]
                waiting += _needs_of(places[task.place])


def _needs_of(place: Place) -> list[str]:
    ways = place.ways if place.only_ways else ()
    return [
        each
        for each in (*place.needs, *(fact for way in ways for fact in way.needs))
        if parse_fact(each)[1]
    ]


def _proven_by(story: Story, fact: str, milestone: Milestone) -> Iterator[str]:
    """Yield the milestone that proves a fact, or that proves the task which gives it."""
    givers = {task.sets for task in story.tasks if fact in task.gives}
    for each in story.milestones:
        if (
            each is not milestone
            and each.fact is not None
            and (each.fact == fact or each.fact in givers)
        ):
            yield each.id
            return


def _arrow(start: tuple[int, int], end: tuple[int, int]) -> str:
    (a, b), (c, d) = start, end
    if a == c and d - b == HEIGHT + GAP:
        line = f"M{a + WIDTH / 2} {b + HEIGHT} V{d}"
    elif a == c:
        line = f"M{a + WIDTH} {b + HEIGHT / 2} C{a + WIDTH + 40} {b + HEIGHT / 2} {a + WIDTH + 40} {d + HEIGHT / 2} {c + WIDTH} {d + HEIGHT / 2}"
    else:
        line = f"M{a + WIDTH} {b + HEIGHT / 2} C{a + WIDTH + 60} {b + HEIGHT / 2} {c - 60} {d + HEIGHT / 2} {c} {d + HEIGHT / 2}"
    return f'<path d="{line}" fill="none" stroke="#5b6b7b" stroke-width="1.3" opacity="0.75" marker-end="url(#tip)"/>'


def _box(label: str, look: str, x: int, y: int) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6" stroke="#7f93a6" {look}/>'
        f'<text x="{x + 10}" y="{y + 22}" font-size="13" fill="#1d2733">{escape(label)}</text>'
    )


if __name__ == "__main__":
    main()
