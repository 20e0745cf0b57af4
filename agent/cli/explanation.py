"""What `plan` prints: one moment as the planner sees it."""

from agent.app import Outlook
from agent.cli.output import Output


def show_outlook(outlook: Outlook, output: Output) -> None:
    """Print the moment, its facts, the open goals, and the plan with its reasons."""
    output.say(f"Moment: {outlook.moment}")
    output.say("Facts:")
    for name, value in sorted(outlook.facts.items()):
        output.say(f"  {name} = {value}")
    output.say("Open goals, the most urgent first:" if outlook.goals else "Open goals: none")
    for goal in outlook.goals:
        chosen = " <- pursued" if goal is outlook.goal else ""
        output.say(f"  {goal.says} (priority {goal.priority}){chosen}")
    output.say(outlook.plan or f"No plan now: {outlook.now}.")
