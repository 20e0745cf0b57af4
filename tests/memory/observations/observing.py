"""Calls of tools, and what they come to, for the tests of observations."""

from memory import Observed
from memory.observations.observation import Extractors, Observation, Result
from memory.observations.tools import TOOLS

TOOL_CALLS = Extractors(TOOLS)
DONE = Result("ok")


def saw(tool: str, result: Result = DONE, **args: object) -> list[tuple[str, str, int]]:
    """Return the type, content and importance of what a call comes to."""
    return [(each.type, each.content, each.importance) for each in TOOL_CALLS(tool, args, result)]


def failed(error: str) -> Result:
    return Result(error=error)


def ended(code: int, stdout: str = "", stderr: str = "") -> Result:
    """Return how a command ended."""
    return Result({"exit_code": code, "stdout": stdout, "stderr": stderr})


def kept(
    number: int,
    kind: str,
    content: str,
    *,
    importance: int = 5,
    about: str | None = None,
    stale: str = "",
) -> Observation:
    """Return an observation as a store would."""
    about = content if about is None else about
    return Observation(
        number, "s", kind, content, {}, importance, "programmatic", number, 0.5, about, stale
    )


def all_of(observed: list[Observed]) -> list[Observation]:
    """Return what was observed as if it had been kept in this order."""
    return [
        kept(number, each.type, each.content, importance=each.importance, about=each.about)
        for number, each in enumerate(observed, 1)
    ]
