"""`plan`: one moment as the planner sees it."""

from agent.app import Outlook
from agent.cli.output import Output


def show_outlook(outlook: Outlook, output: Output) -> None:
    """Print the moment, its facts, the open goals, what is done next, and the plan with its reasons."""
    output.say(f"Moment: {outlook.name}, {outlook.moment}")
    output.say(f"Team: {outlook.team}")
    true = [f"{name} = {value}" for name, value in sorted(outlook.facts.items()) if value]
    output.say(f"Facts, {len(outlook.facts) - len(true)} others being 0: {', '.join(true)}")
    output.say("Open goals, the most urgent first:" if outlook.goals else "Open goals: none")
    for goal in outlook.goals:
        chosen = " <- pursued" if goal is outlook.goal else ""
        output.say(f"  {goal.says} (priority {goal.priority}){chosen}")
    output.say(f"Now: {outlook.now}.")
    output.say(outlook.plan or "No plan.")
    for words in outlook.remembered:
        output.say(f"Remembered: {words}.")
