"""Published results name the code they were measured on, and no page quotes a figure of older code."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agent.lab import measure as measuring
from agent.lab import publish as publishing
from agent.lab.publish import (
    FOLDER,
    Origin,
    code_digest,
    demo,
    publish,
    read_result,
    results,
    write_result,
)
from tests.agent.support import ROOT

# A figure in a page: <!-- result: NAME.FIGURE -->VALUE<!-- /result -->, where FIGURE may be a path with dots.
QUOTED = re.compile(r"<!-- result: ([a-z0-9_]+)\.([a-z0-9_.]+) -->(.*?)<!-- /result -->")


def quoted() -> Iterator[tuple[str, str, str]]:
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        yield from QUOTED.findall(page.read_text(encoding="utf-8"))


def test_pages_quote_only_figures_of_the_current_code_and_cartridge() -> None:
    for name, figure, value in quoted():
        result = read_result(FOLDER / f"{name}.json")
        assert not result.older_than_tree(), f"{name} is older than the tree: do not quote it"
        found = result.figures
        for key in figure.split("."):
            found = found[key]
        assert value == f"{found}" or float(value) == round(float(str(found)), len(value) - 2)


def test_every_published_result_is_readable_and_in_the_index() -> None:
    index = FOLDER.with_suffix(".md").read_text(encoding="utf-8")
    for each in results():
        assert f"[{each.name}](results/{each.name}.json)" in index
        assert all((each.command, each.date, each.commit, each.code, each.sha1))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path.resolve() / "results"
    monkeypatch.setattr(publishing, "FOLDER", found)
    return found


def test_a_published_result_is_read_back(folder: Path) -> None:
    rows = [{"seed": 1, "ticks": 20}, {"seed": 2, "ticks": 30}]
    path = publish("games", rows, {"mean": 25.0}, "eval", what="Two games", picture=b"PNG")
    assert path == folder / "games.json"
    found = read_result(path)
    assert (found.name, found.rows, found.figures) == ("games", rows, {"mean": 25.0})
    assert (found.sha1, found.code) == (demo().sha1, code_digest())
    assert path.with_suffix(".png").read_bytes() == b"PNG"
    index = (folder.parent / "results.md").read_text(encoding="utf-8")
    assert "| [games](results/games.json) ([picture](results/games.png)) | Two games |" in index


def test_a_result_elsewhere_is_not_in_the_index(folder: Path, tmp_path: Path) -> None:
    write_result(tmp_path / "mine.json", [], {}, Origin("bench", "", demo()))
    assert json.loads((tmp_path / "mine.json").read_text(encoding="utf-8"))["rows"] == []
    assert not folder.exists()


def test_caches_beside_the_code_make_no_result_older(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "HOME", tmp_path)
    digest = code_digest.__wrapped__
    source, cached = tmp_path / "agent" / "a.py", tmp_path / "agent" / "__pycache__" / "a.nbi"
    cached.parent.mkdir(parents=True)
    source.write_text("1", encoding="utf-8")
    before = digest()
    cached.write_bytes(b"compiled")
    assert digest() == before
    source.write_text("2", encoding="utf-8")
    assert digest() != before


def test_a_result_of_other_code_or_another_cartridge_is_older(folder: Path) -> None:
    found = read_result(publish("speed", [], {}, "bench"))
    assert found.older_than_tree() == []
    assert replace(found, code="0").older_than_tree() == ["code"]
    assert replace(found, sha1="0", code="0").older_than_tree() == ["cartridge", "code"]
    path = folder / "speed.json"
    path.write_text(path.read_text(encoding="utf-8").replace(code_digest(), "0"), encoding="utf-8")
    assert publishing.older_results() == ["speed: code changed since; bench"]


@pytest.mark.parametrize("quick", [True, False])
def test_every_measurement_publishes_under_its_name(*, quick: bool) -> None:
    every = list(measuring.jobs(quick=quick))
    assert len({job.name for job in every}) == len(every)
    for job in every:
        assert (
            job.only_prints
            or job.marker.startswith("tests/")
            or job.marker.endswith(f"--write docs/results/{job.name}.json")
        )


def test_measure_all_reports_failures_and_skips_fresh_results(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = [
        measuring.Job("fresh", ["false"], "bench fresh", 1),
        measuring.Job("failing", ["false"], "bench failing", 1),
        measuring.Job("fine", ["true"], "bench fine", 1),
    ]
    publish("fresh", [], {}, "scripts/red-agent bench fresh")
    monkeypatch.setattr(measuring, "FOLDER", folder)
    monkeypatch.setattr(measuring, "jobs", lambda quick: every)
    messages: list[str] = []
    assert not measuring.measure_all(messages.append, quick=True)
    assert messages[0] == "fresh: already measured on this code"
    assert "2 to measure, about 2 minutes" in messages[1]
    assert messages[-1] == "not measured: failing"
