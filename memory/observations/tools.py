"""Extractors for the tools of a model: files, commands, searches, todo lists, delegated tasks."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from memory.codec import Json
from memory.observations.block import RowMode, Section
from memory.observations.observation import Args, Extract, Observed, Result, line

FILE_MODIFIED: Final = "file_modified"
FILE_CREATED: Final = "file_created"
FILE_READ: Final = "file_read"
COMMAND_RUN: Final = "command_run"
COMMAND_ERROR: Final = "command_error"
TOOL_ERROR: Final = "tool_error"
SEARCH: Final = "search_performed"
TODOS: Final = "todo_updated"
TASK: Final = "task_delegated"

ERROR: Final = 8  # the importance of a failure


def _file(kind: str, importance: int, *outdates: str) -> Extract:
    def extract(args: Args, result: Result) -> Sequence[Observed]:
        path = str(args.get("path") or args.get("file_path") or "")
        if result.error:
            return [_failed(f"{kind.removeprefix('file_')} {path}", path, result.error)]
        return [Observed(kind, path, importance, path, {"path": path}, outdates)]

    return extract


def _command(args: Args, result: Result) -> Sequence[Observed]:
    given = str(args.get("command", ""))
    command = line(given)
    output = result.output if isinstance(result.output, Mapping) else {}
    code = output.get("exit_code", 1 if result.error else 0)
    if code == 0 and not result.error:
        ran: Mapping[str, Json] = {"command": given, "exit_code": 0}
        supersedes = (COMMAND_RUN, COMMAND_ERROR)
        return [Observed(COMMAND_RUN, f"{command} -> exit 0", 4, command, ran, supersedes)]
    error = str(result.error or output.get("stderr") or output.get("stdout") or "")
    summary = f"Failed: {command} -> exit {code}"
    metadata = {"command": given, "exit_code": code, "error": error}
    content = f"{summary}: {line(error)}" if error.strip() else summary
    return [Observed(COMMAND_ERROR, content, ERROR, command, metadata, (COMMAND_RUN,))]


def _search(tool: str) -> Extract:
    def extract(args: Args, result: Result) -> Sequence[Observed]:
        call = f'{tool} "{line(args.get("pattern", ""))}"'
        if result.error:
            return [_failed(call, call, result.error)]
        count = _matches(result.output)
        found = f"{call} -> {count} match{'' if count == 1 else 'es'}"
        return [Observed(SEARCH, found, 3, call, {"matches": count}, (SEARCH,))]

    return extract


def _todos(args: Args, result: Result) -> Sequence[Observed]:
    if result.error:
        return [_failed("todo_write", "todos", result.error)]
    todos: list[dict[str, Any]] = list(args.get("todos", ()))
    content = "; ".join(
        f"[{each.get('status', 'pending')}] {line(each.get('content', ''))}" for each in todos
    )
    return [Observed(TODOS, content or "nothing to do", 5, "todos", {}, (TODOS, TOOL_ERROR))]


def _task(args: Args, result: Result) -> Sequence[Observed]:
    task = line(args.get("description") or args.get("prompt") or "")
    if result.error:
        return [_failed(f"task {task}", task, result.error)]
    return [Observed(TASK, task, 5, task, {"result": str(result.output)}, (TOOL_ERROR,))]


def _failed(call: str, about: str, error: str) -> Observed:
    """Return the observation of a failed call, in place of the one for success."""
    return Observed(TOOL_ERROR, f"Failed: {call}: {line(error)}", ERROR, about, {"error": error})


def _matches(output: object) -> int:
    """Return the number of search results, given as a list, a count, or lines of text."""
    match output:
        case {"matches": list(found)}:
            return len(found)
        case {"matches": int(count)}:
            return count
        case list():
            return len(output)
        case str():
            return sum(bool(each.strip()) for each in output.splitlines())
        case _:
            return 0


TOOLS: Final[Mapping[str, Extract]] = {
    "edit_file": _file(FILE_MODIFIED, 7, FILE_READ, TOOL_ERROR),
    "write_file": _file(FILE_CREATED, 7, FILE_READ, TOOL_ERROR),
    "read_file": _file(FILE_READ, 3, FILE_READ),
    "run_command": _command,
    "glob": _search("glob"),
    "grep": _search("grep"),
    "todo_write": _todos,
    "task": _task,
}

_FILES_CHANGED: Final = {FILE_CREATED: "created", FILE_MODIFIED: "modified"}
TOOL_SECTIONS: Final = (
    Section("Modified Files", _FILES_CHANGED, 10, RowMode.COUNTED, is_required=True),
    Section(
        "Errors", {COMMAND_ERROR: "", TOOL_ERROR: ""}, 9, RowMode.EACH, most=10, is_required=True
    ),
    Section("Todos", {TODOS: ""}, 6, RowMode.LAST),
    Section("Tasks Delegated", {TASK: ""}, 5, RowMode.EACH),
    Section("Commands", {COMMAND_RUN: ""}, 4, RowMode.LATEST, most=10),
    Section("Searches", {SEARCH: ""}, 3, RowMode.LATEST, most=8),
)
