"""doctor says what is here, what is missing, and what to do."""

import base64
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agent.cli.doctor import Health, confirmable, examine
from agent.tools import owner_facts
from emulator import Cartridge, demo_cartridge_path, load_cartridge
from emulator.cartridge import BANK_SIZE, IMAGE_CHECKSUM, image_checksum
from emulator.profile import table
from emulator.soundness.survey import survey
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


def spoilt_demo(folder: Path) -> Path:
    """Write the demo with a move that has no PP, and a sum of bytes that fits."""
    rom = bytearray(demo_cartridge_path().read_bytes())
    bank, address = table("Moves")
    pp = 5
    rom[bank * BANK_SIZE + address % BANK_SIZE + pp] = 0
    rom[IMAGE_CHECKSUM] = image_checksum(bytes(rom))
    path = folder / "spoilt.gb"
    path.write_bytes(rom)
    return path


def test_doctor_has_a_row_for_every_invariant(tmp_path: Path) -> None:
    checks = survey(load_cartridge(demo_cartridge_path()))
    rows = [each for each in examine(None, tmp_path) if each.what == "survey"]
    assert [row.found.split(":")[0] for row in rows] == [check.invariant for check in checks]
    assert {row.health for row in rows} == {Health.OK}


def test_doctor_names_what_is_not_sound_and_what_to_do(agent: Agent, tmp_path: Path) -> None:
    rom = spoilt_demo(tmp_path)
    broken = [each for each in examine(rom, tmp_path) if each.health is Health.BROKEN]
    assert [each.found for each in broken] == [
        "moves have PP, and a type that exists, but: move 1 has 0 PP"
    ]
    assert "copy the image again" in broken[0].advice
    ended = agent("doctor", "--rom", rom)
    assert ended.code == 1
    assert "confirm at a glance" not in ended.out


def test_a_cartridge_whose_main_menu_never_opens_is_told(agent: Agent, tmp_path: Path) -> None:
    rom = bytearray(demo_cartridge_path().read_bytes())
    rom[0x100:0x102] = b"\x18\xfe"  # its first instruction jumps to itself
    rom[IMAGE_CHECKSUM] = image_checksum(bytes(rom))
    path = tmp_path / "still.gb"
    path.write_bytes(rom)
    ended = agent("doctor", "--rom", path)
    assert ended.code == 1
    assert "its main menu does not open" in " ".join(ended.out.replace("│", " ").split())
    assert "confirm at a glance" in ended.out


def test_doctor_shows_what_an_owner_can_confirm(agent: Agent) -> None:
    says = {fact.what: fact.says for fact in confirmable(None)}
    assert says["towns"].startswith("THISTLE END, ALDERBROOK, STONECROSS")
    assert [what for what in says if what.startswith("starter ")] == [
        "starter PLIPPET",
        "starter MOPPLE",
        "starter TOASTNUT",
    ]
    body = "BROOK; base stats: hp 42, attack 51, defense 42, speed 52, special 52"
    assert says["starter PLIPPET"] == body
    assert says["first route: NIBBIT"] == "level 2: 19.9 %, level 3: 15.2 %"
    ended = agent("doctor")
    assert ended.code == 0
    assert "confirm at a glance" in ended.out
    assert "PLIPPET" in ended.out


def test_the_real_game_has_towns_and_starters_that_people_know(
    synthetic_cartridge: Cartridge,
) -> None:
    says = {fact.what: fact.says for fact in owner_facts(synthetic_cartridge)}
    assert says["towns"].startswith("PALLET TOWN, VIRIDIAN CITY, PEWTER CITY")
    assert says["towns"].count(",") == 10
    assert says["starter CHARMANDER"].startswith("FIRE; base stats: hp 39, attack 52")
    assert set(says) > {"starter SQUIRTLE", "starter BULBASAUR", "first route: RATTATA"}


def test_the_page_for_owners_shows_what_doctor_says(synthetic_cartridge: Cartridge) -> None:
    told = (ROOT / "docs" / "cartridge.md").read_text(encoding="utf-8")
    for fact in owner_facts(synthetic_cartridge):
        assert f"| {fact.what} | {fact.says} |" in told


def test_doctor_only_reads_the_cartridge_and_tells_nothing_of_its_bytes(
    agent: Agent, tmp_path: Path
) -> None:
    folder = tmp_path / "cartridges"
    folder.mkdir()
    shutil.copyfile(demo_cartridge_path(), folder / "mine.gb")
    (folder / "diary.txt").write_text("nobody's business", encoding="utf-8")
    before = snapshot(folder)
    ended = agent("doctor", "--rom", folder / "mine.gb")
    assert ended.code == 0
    assert snapshot(folder) == before
    told = "".join((ended.out + ended.err).split())
    assert "diary" not in told
    assert "nobody" not in told.replace("nobodylivesthere", "")
    rom = demo_cartridge_path().read_bytes()
    for part in (rom[at : at + 16] for at in range(0, len(rom), 16)):
        if len(set(part)) > 2:  # blank room is in every image
            for coded in (part.hex(), base64.b64encode(part)[:20].decode(), repr(part)[2:-1]):
                assert coded not in told


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return what a folder holds, and when each file was written."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(folder.rglob("*"))
    }
