"""The page of many games: how they ended, and what they took, by how many badges there were at the start."""

from collections.abc import Sequence
from statistics import median
from typing import Final

from agent.storyworld.playing import End
from emulator import RED
from playthroughs.game import Told

HEAD: Final = """# A thousand ways through Red's story

The planner that plays, with the story file that it plays by, put to a [model of the world](red_story.md) instead of a cartridge:
regions and their joins, gates, things, badges and moves, as written facts have them. `scripts/playthrough --count {count} --write
docs/playthrough.md` wrote this page. Each game begins at another legal moment: a walk at random, a part of a planned game,
and another walk at random, in which anything that the model allows may be done, in any order, or left out, things used up,
money spent, boulders let roll back, battles lost, the Safari run out. From there on the planner plays, and whatever it plans the model carries
out or refuses. One refused action ends a game.

What the model takes as given: a ball is in the bag when somebody is to be caught, whoever trains long enough wins, nobody
spends the last 2000 of the purse (who was beaten pays only once), and teams are as strong as their level.
"""


def page(told: Sequence[Told]) -> str:
    """Return the page."""
    famous = [each for each in told if each.end is End.FAME]
    rows = [
        _row(str(badges), [each for each in told if each.badges == badges]) for badges in range(9)
    ]
    failures = [
        f"- seed {each.seed}, on {RED.maps[each.map_id]}: {each.end.value}: {each.why}"
        for each in told
        if each.end is not End.FAME
    ]
    parts = (
        HEAD.format(count=len(told)),
        f"**{len(famous)} of {len(told)} games reached the Hall of Fame.**\n",
        "| badges at the start | games | reached it | actions, median | actions, most | plans, median | longest plan |",
        "|---|---|---|---|---|---|---|",
        *(row for row in rows if row),
        _row("all", told),
        "",
        *(failures or ["No action was refused, and no game was without a plan."]),
    )
    return "\n".join(parts) + "\n"


def _row(name: str, told: Sequence[Told]) -> str:
    if not told:
        return ""
    reached = sum(each.end is End.FAME for each in told)
    actions, plans = [each.actions for each in told], [each.plans for each in told]
    longest = max(each.longest for each in told)
    cells = (
        name,
        len(told),
        reached,
        round(median(actions)),
        max(actions),
        round(median(plans)),
        longest,
    )
    return f"| {' | '.join(str(each) for each in cells)} |"
