"""Facts and plans in words, for a person to read."""

from agent.planning.facts import Facts, after
from agent.planning.search import Plan


def explain(plan: Plan, facts: Facts) -> str:
    """Return why each action of `plan` is taken, one line each, however things are called."""
    wants = ", ".join(str(require) for require in plan.goal.requires if not require.holds(facts))
    lines = [f"Goal: {plan.goal.says} (wants {wants or 'nothing more'})."]
    for number, (action, price) in enumerate(zip(plan.actions, plan.costs, strict=True), start=1):
        changes = ", ".join(
            f"{effect.fact} {facts.get(effect.fact, 0)} -> {effect.becomes}"
            for effect in action.effects
            if facts.get(effect.fact, 0) != effect.becomes
        )
        note = f"; {action.note}" if action.note else ""
        lines.append(f"{number}. {action.says} (cost {price}; {changes}{note}).")
        facts = after(facts, action.effects)
    return "\n".join(" ".join(each.split()) for each in lines)
