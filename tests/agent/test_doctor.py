"""doctor says what is here, what is missing, and what to do."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agent.cli.doctor import Health, examine
from tests.agent.support import ROOT, Agent


def test_doctor_finds_this_machine_fit(agent: Agent) -> None:
    ended = agent("doctor")
    assert ended.code == 0
    for word in ("python", "packages", "tesseract", "key", "disk", "cartridge", "Red Agent Demo"):
        assert word in ended.out


def test_doctor_never_prints_the_key() -> None:
    secret = "sk-ant-" + "x" * 12
    done = subprocess.run(
        [sys.executable, "-m", "agent", "doctor"],
        cwd=ROOT,
        env={**os.environ, "ANTHROPIC_API_KEY": secret, "COLUMNS": "300"},  # so that nothing wraps
        capture_output=True,
        text=True,
        check=True,
    )
    assert secret not in done.stdout + done.stderr
    assert "is set" in done.stdout


def test_a_cartridge_that_cannot_be_played_fails_the_check(agent: Agent, tmp_path: Path) -> None:
    ended = agent("doctor", "--rom", tmp_path / "none.gb")
    assert ended.code == 1
    assert "no cartridge at" in " ".join(ended.out.split())


def test_tesseract_is_found(tmp_path: Path) -> None:
    if shutil.which("tesseract") is None:
        assert os.environ.get("CI") != "true", "CI installs tesseract-ocr"
        pytest.skip("tesseract is not installed (Debian: apt-get install tesseract-ocr)")
    findings = {each.what: each for each in examine(None, tmp_path)}
    assert findings["tesseract"].health is Health.OK
    assert "characters of the main menu" in findings["text by tesseract"].found


def test_the_main_menu_is_read_from_pixels_without_a_fault(tmp_path: Path) -> None:
    findings = {each.what: each for each in examine(None, tmp_path)}
    assert findings["text by glyphs"].health is Health.OK
    assert findings["text by glyphs"].found == "13 of 13 characters of the main menu"


def test_without_tesseract_the_agent_still_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    findings = {each.what: each for each in examine(None, tmp_path)}
    assert findings["tesseract"].health is Health.OPTIONAL
    assert "apt-get install tesseract-ocr" in findings["tesseract"].advice
    assert findings["text by tesseract"].health is Health.OPTIONAL
