"""Options that several commands share, and their parsing."""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import Field, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any, Final, get_args, get_type_hints

import typer

from agent import HOME
from agent.errors import UsageError
from agent.settings import Settings

SEEDS: Final = re.compile(r"(\d+)(?:\.\.(\d+))?")


def option(text: str, metavar: str = "", *names: str, default: object = None, **more: Any) -> Any:  # noqa: ANN401  # as typer.Option
    """Return an option with its help; `names` replace the name of its parameter."""
    return typer.Option(default, *names, metavar=metavar or None, help=text, **more)


def switch(name: str, text: str, **more: Any) -> Any:  # noqa: ANN401
    """Return an on/off option."""
    return typer.Option(False, name, help=text, **more)


def argument(text: str, metavar: str | None = None, *, default: object = ..., **more: Any) -> Any:  # noqa: ANN401
    """Return an argument with its help, required unless it has a default."""
    return typer.Argument(default, metavar=metavar, help=text, **more)


LAST: Final = Path("last")


def run_named(path: Path | None) -> Path | None:
    """Return the run that was played last for the name `last`, and any other path unchanged."""
    if path != LAST or LAST.exists():
        return path
    from agent.tools.run_list import newest_run

    return newest_run(HOME / "runs")


def runs_named(paths: list[Path]) -> list[Path]:
    """Return the paths of runs, one of which may be `last`."""
    return [run_named(each) or each for each in paths]


def _option_of(setting: Field[Any]) -> Any:  # noqa: ANN401  # as typer.Option
    """Return the option of a field of settings."""
    about = dict(setting.metadata)
    default = None if setting.default == () else setting.default
    if setting.name == "resume":
        about["callback"] = run_named
    return typer.Option(default, about.pop("flag"), **about)


def _parameters(kind: Any, leave_out: Collection[str]) -> Iterator[Parameter]:  # noqa: ANN401  # a dataclass
    hints = get_type_hints(kind)
    for each in fields(kind):
        hint = hints[each.name]
        if is_dataclass(hint):
            yield from _parameters(hint, leave_out)
        elif each.metadata and each.name not in leave_out:
            if each.default == ():
                hint = list[get_args(hint)[0]] | None  # type: ignore[misc]
            option_of = _option_of(each)
            yield Parameter(each.name, Parameter.KEYWORD_ONLY, default=option_of, annotation=hint)


def _taken(kind: Any, given: dict[str, Any], leave_out: Collection[str]) -> Any:  # noqa: ANN401  # a dataclass
    """Return the settings that take their values out of `given`."""
    values, hints = {}, get_type_hints(kind)
    for each in fields(kind):
        if is_dataclass(hints[each.name]):
            values[each.name] = _taken(hints[each.name], given, leave_out)
        elif each.metadata and each.name not in leave_out:
            value = given.pop(each.name)
            values[each.name] = tuple(value or ()) if each.default == () else value
    return kind(**values)


def with_settings(*leave_out: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that gives a command a flag for each field of the settings that it takes, but those to leave out."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        hints, shown = get_type_hints(command), list[Parameter]()
        kinds = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
        for each in signature(command).parameters.values():
            is_own = each.name not in kinds
            own = [each.replace(annotation=hints[each.name], kind=Parameter.KEYWORD_ONLY)]
            shown += own if is_own else _parameters(kinds[each.name], leave_out)

        @wraps(command)
        def run(**given: Any) -> None:  # noqa: ANN401  # values of any flag
            found = {name: _taken(kind, given, leave_out) for name, kind in kinds.items()}
            command(**found, **given)

        run.__signature__ = Signature(shown)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in shown}
        return run

    return decorate


_OPTIONS: Final = {each.name: _option_of(each) for each in fields(Settings) if each.metadata}
ROM: Final = _OPTIONS["rom"]
SEED: Final = _OPTIONS["seed"]
MIND: Final = _OPTIONS["mind"]
AS_JSON: Final = switch("--json", "Print the result as one JSON object on the last line.")


def seeds_of(text: str) -> list[int]:
    """Return the seeds in `A..B` or of one number; raises UsageError for any other text."""
    match = SEEDS.fullmatch(text)
    if match is None or int(match[2] or match[1]) < int(match[1]):
        message = f"--seeds {text} is no range; give A..B with A <= B, as in 100..149, or one seed"
        raise UsageError(message)
    return list(range(int(match[1]), int(match[2] or match[1]) + 1))


def make_folder(flag: str, folder: Path) -> None:
    """Make a folder that `flag` names, if it is missing; raises UsageError if that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{flag} {folder} is no folder ({error.strerror}); name another"
        ) from error


def require_result_path(path: Path | None) -> None:
    """Raise UsageError unless a result can be written to `path`."""
    if path is not None and (path.is_dir() or not path.parent.is_dir()):
        raise UsageError(f"--write {path} names no file in an existing folder; name one")
    if path is not None and path.suffix != ".json":
        raise UsageError(f"--write {path} must end in .json; the picture is written beside it")
