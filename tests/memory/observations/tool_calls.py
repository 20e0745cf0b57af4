"""Tool calls and their observations, for the tests of observations."""

from memory import Observed
from memory.observations.observation import Extractors, Observation, Result
from memory.observations.tools import TOOLS

TOOL_CALLS = Extractors(TOOLS)
DONE = Result("ok")


def observed_by(tool: str, result: Result = DONE, **args: object) -> list[tuple[str, str, int]]:
    """Return the type, content and importance of each observation of a call."""
    return [(each.type, each.content, each.importance) for each in TOOL_CALLS(tool, args, result)]


def error_result(error: str) -> Result:
    return Result(error=error)


def command_result(code: int, stdout: str = "", stderr: str = "") -> Result:
    """Return the result of a command."""
    return Result({"exit_code": code, "stdout": stdout, "stderr": stderr})


def stored(
    number: int,
    kind: str,
    content: str,
    *,
    importance: int = 5,
    about: str | None = None,
    stale: str = "",
) -> Observation:
    """Return a stored observation."""
    about = content if about is None else about
    return Observation(
        number, "s", kind, content, {}, importance, "programmatic", number, 0.5, about, stale
    )


def all_of(observed: list[Observed]) -> list[Observation]:
    """Return the observations as stored in this order."""
    return [
        stored(number, each.type, each.content, importance=each.importance, about=each.about)
        for number, each in enumerate(observed, 1)
    ]
