"""Who sits the exam: answers come from memory, else from a glimpse of the moment, else it says that it does not know."""

from dataclasses import dataclass
from typing import Final

from agent.capabilities import Story
from agent.exam.comparing import COMPARING
from agent.exam.notebook import Notebook
from agent.exam.question import Answer, Ask, Form
from agent.exam.recalling import RECALLING
from emulator import Dex, State

KNOWING: Final = {**RECALLING, **COMPARING}


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What the last state of a game tells of itself to who remembers nothing."""

    state: State
    story: Story
    dex: Dex

    def answer(self, form: Form) -> Answer | None:
        """Return what can be seen, or None."""
        match form.ask:
            case Ask.MONEY:
                return self.state.player.money
            case Ask.ITEMS:
                carried = self.state.bag.items
                named = (s for s in carried if self.dex.item(s.item).name == form.subject)
                return sum(stack.quantity for stack in named) or None
            case Ask.LEVEL:
                team = {self.dex.species(m.species).name: m.level for m in self.state.party.mons}
                return team.get(form.subject)
            case Ask.HERE:
                return self.story.place_of(self.state)
            case _:
                return None


@dataclass(frozen=True, slots=True)
class Examinee:
    """With a memory and no glimpse, or with an empty memory and one."""

    notes: Notebook
    glimpse: Glimpse | None = None

    def answer(self, form: Form) -> Answer | None:
        """Return the answer, or None for not knowing."""
        answer = KNOWING[form.ask](self.notes, form)
        return self.glimpse.answer(form) if answer is None and self.glimpse else answer
