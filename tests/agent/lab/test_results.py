"""Published results say what they rest on, and no page quotes a figure of a stale one."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent.errors import UsageError
from agent.lab import publish as publishing
from agent.lab import sources
from agent.lab.publish import (
    FOLDER,
    Origin,
    demo,
    index,
    measure_all,
    read_result,
    results,
    stale_results,
    write_result,
)
from agent.lab.sources import CHAINS, EDITED, GAMES, digest, recording, sources_of, unpacked
from tests.agent.support import ROOT

# A figure in a page: <!-- result: NAME.FIGURE -->VALUE<!-- /result -->, where FIGURE may be a path with dots.
QUOTED = re.compile(r"<!-- result: ([a-z0-9_]+)\.([a-z0-9_.]+) -->(.*?)<!-- /result -->")


def quoted() -> Iterator[tuple[str, str, str]]:
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        yield from QUOTED.findall(page.read_text(encoding="utf-8"))


def test_pages_quote_only_figures_that_are_not_stale() -> None:
    for name, figure, value in quoted():
        result = read_result(FOLDER / f"{name}.json")
        assert not result.stale, f"{name} is stale: do not quote it"
        found = result.figures
        for key in figure.split("."):
            found = found[key]
        assert value == f"{found}" or float(value) == round(float(str(found)), len(value) - 2)


def test_every_published_result_is_readable_and_in_the_page_of_results() -> None:
    for each in results():
        assert all((each.command, each.date, each.commit, each.sha1))
    assert FOLDER.with_suffix(".md").read_text(encoding="utf-8") == index()


def publish(name: str, *result: Any) -> Path:  # noqa: ANN401  # as `write_result`
    path = publishing.FOLDER / f"{name}.json"
    write_result(path, *result)
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path.resolve() / "results"
    monkeypatch.setattr(publishing, "FOLDER", found)
    return found


def test_a_published_result_is_read_back(folder: Path) -> None:
    rows = [{"seed": 1, "ticks": 20}, {"seed": 2, "ticks": 30}]
    origin = Origin("eval", "Two games", seconds=2.5)
    path = publish("games", rows, {"mean": 25.0}, origin, b"PNG")
    assert path == folder / "games.json"
    found = read_result(path)
    assert (found.name, found.rows, found.figures) == ("games", rows, {"mean": 25.0})
    assert (found.sha1, found.seconds) == (demo().sha1, 2.5)
    assert path.with_suffix(".png").read_bytes() == b"PNG"
    page = (folder.parent / "results.md").read_text(encoding="utf-8")
    assert "| [games](results/games.json) ([picture](results/games.png)) | Two games |" in page


def test_a_result_elsewhere_is_not_in_the_index(folder: Path, tmp_path: Path) -> None:
    write_result(tmp_path / "mine.json", [], {}, Origin("bench", "", demo()))
    assert json.loads((tmp_path / "mine.json").read_text(encoding="utf-8"))["rows"] == []
    assert not folder.exists()


def published(name: str, command: str, opened: Iterable[Path]) -> Path:
    return publish(name, [], {}, Origin(command, "", sources=sources_of(name, opened)))


def edit(patch: pytest.MonkeyPatch, name: str) -> None:
    """Let a file of the project have another text from now on."""
    patch.setattr(sources, "digest", lambda each: "edited" if each == name else digest(each))


def test_a_result_rests_on_the_files_of_the_project_that_were_opened(
    folder: Path, tmp_path: Path
) -> None:
    compiled = ROOT / "agent" / "__pycache__" / "loop.cpython-311.pyc"
    counted = [compiled, ROOT / "memory" / "store" / "run.sql", ROOT / "memory" / "codec.py"]
    others = [
        compiled.parent / "engine" / "loop.nbi",
        ROOT / "README.md",
        ROOT / "roms" / "demo.gb",
        ROOT / "agent" / "lab" / "publish.py",
    ]
    opened = [*counted, *others, Path(pytest.__file__), tmp_path / "run.sqlite"]
    path = published("dates", "bench", opened)
    names = ("agent/loop.py", "memory/codec.py", "memory/store/run.sql")
    assert unpacked(read_result(path).rests_on) == {name: digest(name) for name in names}


def test_a_file_that_was_edited_while_it_was_measured_has_no_digest() -> None:
    loaded = "agent/lab/stats.py"
    with recording(here=True) as record:
        assert record.sources("speed", here=True)[loaded] == digest(loaded)
        assert record._replace(before=0).sources("speed", here=True)[loaded] == EDITED


def test_a_result_is_stale_once_something_it_rests_on_has_changed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = [ROOT / "agent" / "loop.py", ROOT / "memory" / "codec.py"]
    found = read_result(published("speed", "bench", opened))
    assert found.stale == ""
    assert replace(found, sha1="0").stale == "measured on another cartridge"
    assert replace(found, figures={"problems": 1}).stale == "problems were found"
    assert replace(found, rests_on={}).stale == "measured before results said what they rest on"
    assert replace(found, rests_on={"agent": "gone.py 1, x.py 2"}).stale == (
        "agent/gone.py and 1 more changed"
    )
    assert stale_results() == {}
    edit(monkeypatch, "memory/codec.py")
    assert stale_results() == {"speed": "memory/codec.py changed"}


def test_whole_games_rest_on_the_recorded_games_and_on_what_measures_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("agent/mind/mind.py", "agent/lab/eval.py", CHAINS)
    published("games", "eval", [ROOT / name for name in names[:2]])
    for name, why in zip(names, ("", names[1], "the recorded games"), strict=True):
        with monkeypatch.context() as patch:
            edit(patch, name)
            assert stale_results() == ({"games": f"{why} changed"} if why else {})


def test_results_of_whole_games_are_published() -> None:
    assert set(GAMES) <= {each.name for each in results()}


def test_all_stale_results_are_measured_by_the_commands_that_measured_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = {"scripts/red-agent": "platform", ".venv/bin/pytest": "json.tool"}
    monkeypatch.setattr(publishing, "PROGRAMS", programs)
    published("fresh", "scripts/red-agent", [ROOT / "agent" / "loop.py"])
    publish("longest", [], {}, Origin("SIZE=2 .venv/bin/pytest no-file", ""))
    for name in ("silent", "twin"):
        publish(name, [], {}, Origin("scripts/red-agent terse", "", seconds=200))
    messages: list[str] = []
    assert not measure_all(messages.append, ())
    old = "measured before results said what they rest on"
    assert messages[:4] == [
        f"silent: {old}; 200 s",
        f"twin: {old}; 200 s",
        f"longest: {old}; time unknown",
        "2 to measure, about 3 minutes, and 1 of unknown length",
    ]
    ends = [line.partition(" after")[0] for line in messages if "FAILED" in line]
    assert ends == [f"silent, twin: FAILED, {old}", "longest: FAILED, its command failed"]
    assert messages[-1] == "not measured: silent, twin, longest"
    assert measure_all(messages.append, ["fresh"])
    assert messages[-1] == "0 to measure, about 0 minutes"
    with pytest.raises(UsageError, match="there is no result nothing"):
        measure_all(messages.append, ["fresh", "nothing"])


def test_every_published_command_can_be_repeated() -> None:
    for each in results():
        words = [word for word in each.command.split() if "=" not in word]
        assert words[0] in publishing.PROGRAMS
        if words[0] == ".venv/bin/pytest":
            assert (ROOT / words[-1]).is_file()
        elif not each.command.startswith(publishing.SCENARIOS):
            assert words[-2:] == ["--write", f"docs/results/{each.name}.json"]
