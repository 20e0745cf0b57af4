"""An advisor that says what it was told to say."""

from collections import deque
from collections.abc import Iterable, Mapping

from agent.advisor.answer import fitting
from agent.advisor.port import Advice, Purpose, Question, Silence, Silent


class ScriptedAdvisor:
    """Answers one after another from a list, or by purpose from a mapping; `questions` has what it was asked.

    It names nothing that the question does not offer. Where the script has nothing to say, it is silent.
    """

    def __init__(
        self, script: Iterable[Advice | Silent] | Mapping[Purpose, Advice | Silent] = ()
    ) -> None:
        self.questions: list[Question] = []
        self._by_purpose: Mapping[Purpose, Advice | Silent] = {}
        self._rest: deque[Advice | Silent] = deque()
        if isinstance(script, Mapping):
            self._by_purpose = script
        else:
            self._rest.extend(script)

    def ask(self, question: Question) -> Advice | Silent:
        """Return the answer of the script."""
        self.questions.append(question)
        answer = self._by_purpose.get(question.purpose)
        if answer is None and self._rest:
            answer = self._rest.popleft()
        if answer is None:
            return Silent(Silence.NOT_RECORDED, "the script has no answer")
        return fitting(answer, question) if isinstance(answer, Advice) else answer
