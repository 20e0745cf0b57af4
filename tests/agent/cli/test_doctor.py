"""doctor: checks of the machine and the cartridge, and facts for owners."""

import base64
import os
import shutil
from pathlib import Path

import pytest

from agent.cli.doctor import Health, HealthFinding, confirmable, examine
from agent.tools.doctor import owner_facts
from emulator import Cartridge, demo_cartridge_path, load_cartridge
from emulator.cartridge import BANK_SIZE, IMAGE_CHECKSUM, image_checksum
from emulator.profile import table
from emulator.soundness.survey import survey
from tests.agent.support import ROOT, Agent


def test_doctor_passes_here_and_shows_facts_for_owners(agent: Agent) -> None:
    ended = agent("doctor")
    assert ended.code == 0
    for word in ("python", "packages", "tesseract", "key", "disk", "cartridge", "Red Agent Demo"):
        assert word in ended.out
    assert "confirm at a glance" in ended.out
    assert "PLIPPET" in ended.out


def test_doctor_never_prints_the_key(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "sk-ant-" + "x" * 12
    monkeypatch.setenv("ANTHROPIC_API_KEY", secret)
    monkeypatch.setenv("COLUMNS", "300")  # wide, so that nothing wraps
    ended = agent("doctor")
    assert secret not in ended.out + ended.err
    assert "is set" in ended.out


@pytest.fixture(scope="module")
def findings() -> list[HealthFinding]:
    return list(examine(None, ROOT))


def test_tesseract_is_found(findings: list[HealthFinding]) -> None:
    if shutil.which("tesseract") is None:
        assert os.environ.get("CI") != "true", "CI installs tesseract-ocr"
        pytest.skip("tesseract is not installed (Debian: apt-get install tesseract-ocr)")
    found = {each.what: each for each in findings}
    assert "characters of the main menu" in found["text by tesseract"].found


def test_glyphs_read_the_main_menu_exactly(findings: list[HealthFinding]) -> None:
    (glyphs,) = (each for each in findings if each.what == "text by glyphs")
    assert glyphs.health is Health.OK
    assert glyphs.found == "13 of 13 characters of the main menu"


def test_a_missing_tesseract_is_optional(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    findings = {each.what: each for each in examine(None, tmp_path)}
    assert findings["text by tesseract"].health is Health.OPTIONAL
    assert "apt-get install tesseract-ocr" in findings["text by tesseract"].found


def altered_demo(folder: Path, at: int, data: bytes) -> Path:
    """Write the demo with `data` at one offset and a valid checksum; return its path."""
    rom = bytearray(demo_cartridge_path().read_bytes())
    rom[at : at + len(data)] = data
    rom[IMAGE_CHECKSUM] = image_checksum(bytes(rom))
    path = folder / "altered.gb"
    path.write_bytes(rom)
    return path


def test_doctor_has_a_row_for_every_invariant(findings: list[HealthFinding]) -> None:
    checks = survey(load_cartridge(demo_cartridge_path()))
    rows = [each for each in findings if each.what == "cartridge checks"]
    assert [row.found.split(":")[0] for row in rows] == [check.invariant for check in checks]
    assert {row.health for row in rows} == {Health.OK}


def test_doctor_reports_a_broken_invariant_with_advice(agent: Agent, tmp_path: Path) -> None:
    bank, address = table("Moves")
    pp = bank * BANK_SIZE + address % BANK_SIZE + 5
    rom = altered_demo(tmp_path, pp, b"\0")
    broken = [each for each in examine(rom, tmp_path) if each.health is Health.BROKEN]
    assert [each.found for each in broken] == [
        "moves have PP, and a type that exists, but: move 1 has 0 PP"
    ]
    assert "copy the image again" in broken[0].advice
    ended = agent("doctor", "--rom", rom)
    assert ended.code == 1
    assert "confirm at a glance" not in ended.out


def test_doctor_reports_a_main_menu_that_never_opens(agent: Agent, tmp_path: Path) -> None:
    rom = altered_demo(tmp_path, 0x100, b"\x18\xfe")  # the first instruction jumps to itself
    ended = agent("doctor", "--rom", rom)
    assert ended.code == 1
    assert "its main menu does not open" in " ".join(ended.out.replace("│", " ").split())
    assert "confirm at a glance" in ended.out


def test_confirmable_returns_facts_of_the_demo() -> None:
    facts = {fact.name: fact.description for fact in confirmable(None)}
    assert facts["towns"].startswith("THISTLE END, ALDERBROOK, STONECROSS")
    starters = [what.split()[1] for what in facts if what.startswith("starter ")]
    assert starters == ["PLIPPET", "MOPPLE", "TOASTNUT"]
    body = "BROOK; base stats: hp 42, attack 51, defense 42, speed 52, special 52"
    assert facts["starter PLIPPET"] == body
    assert facts["first route: NIBBIT"] == "level 2: 19.9 %, level 3: 15.2 %"


def test_owner_facts_of_red_are_its_towns_and_starters(synthetic_cartridge: Cartridge) -> None:
    facts = {fact.name: fact.description for fact in owner_facts(synthetic_cartridge)}
    assert facts["towns"].startswith("PALLET TOWN, VIRIDIAN CITY, PEWTER CITY")
    assert facts["towns"].count(",") == 10
    assert facts["starter CHARMANDER"].startswith("FIRE; base stats: hp 39, attack 52")
    assert set(facts) > {"starter SQUIRTLE", "starter BULBASAUR", "first route: RATTATA"}


def test_the_page_for_owners_lists_the_facts_of_doctor(synthetic_cartridge: Cartridge) -> None:
    page = (ROOT / "docs" / "cartridge.md").read_text(encoding="utf-8")
    for fact in owner_facts(synthetic_cartridge):
        assert f"| {fact.name} | {fact.description} |" in page


def test_doctor_only_reads_the_cartridge_and_prints_none_of_its_bytes(
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
    output = "".join((ended.out + ended.err).split())
    assert "diary" not in output
    assert "nobody" not in output.replace("nobodylivesthere", "")
    rom = demo_cartridge_path().read_bytes()
    for part in (rom[at : at + 16] for at in range(0, len(rom), 16)):
        if len(set(part)) > 2:  # every image has blank space
            for coded in (part.hex(), base64.b64encode(part)[:20].decode(), repr(part)[2:-1]):
                assert coded not in output


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return the content and modification time of each file in a folder."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(folder.rglob("*"))
    }


def test_the_findings_are_printed_as_json_and_fail_without_a_cartridge(
    agent: Agent, tmp_path: Path
) -> None:
    found = agent("doctor", "--json").json
    assert found["healthy"]
    assert {each["what"] for each in found["checks"]} >= {"python", "packages", "cartridge"}
    assert {each["health"] for each in found["checks"]} <= {"ok", "optional"}
    assert found["facts"][0].keys() == {"name", "description"}
    missing = tmp_path / "none.gb"
    ended = agent("doctor", "--rom", missing)
    assert (ended.code, "no cartridge at" in " ".join(ended.out.split())) == (1, True)
    broken = agent("doctor", "--json", "--rom", missing)
    assert (broken.code, broken.json["healthy"], broken.json["facts"]) == (1, False, [])
