"""`verify` reports the fault of each broken cartridge, and none on the intact one."""

import pytest

from agent.story.story import Story
from agent.tools.verify.fact import written_facts
from agent.tools.verify.game import FactChecks
from emulator import CartridgeKind, demo_cartridge_path, load_cartridge
from tests.proofs.broken_cartridges import (
    SCENARIOS,
    Edit,
    broken_job,
    intact_job,
    named_facts,
    read_edits,
    scenario_job,
    used_scenarios,
)
from tests.proofs.cartridge_build import require_compiler
from tests.proofs.conftest import Sized

EDITS = {edit.name: edit for edit in read_edits()}
TABLES = sorted(name for name, edit in EDITS.items() if edit.is_table)


@pytest.mark.parametrize("name", TABLES)
def test_verify_reports_the_fault_of_a_broken_cartridge(name: str) -> None:
    named, _ = named_facts(EDITS[name])
    assert EDITS[name].finds in named, EDITS[name].description


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_each_edit_applies_to_the_sources(edit: Edit) -> None:
    assert edit.applied(edit.source) != edit.source


def test_edits_name_known_facts() -> None:
    known = FactChecks(load_cartridge(demo_cartridge_path())).log.rows.keys()
    milestones = {milestone.id for milestone in Story.of(CartridgeKind.DEMO).milestones}
    assert {edit.finds for edit in EDITS.values()} <= known
    assert {edit.until for edit in EDITS.values() if not edit.scenario} <= milestones
    assert all((SCENARIOS / f"{name}.toml").is_file() for name in used_scenarios())
    assert TABLES


def test_every_fact_about_scripts_has_a_broken_cartridge() -> None:
    scripts = {fact for fact in written_facts() if fact.startswith("scripts.")}
    assert len(scripts) == 6
    assert scripts <= {edit.finds for edit in EDITS.values()}


@pytest.mark.proof
def test_all_broken_cartridges(proof: Sized) -> None:
    require_compiler()
    broken = proof("broken_cartridges", 3)
    tried = broken.rows(broken_job, jobs=min(broken.size, len(EDITS)))
    whole = broken.rows(intact_job, jobs=min(broken.size, 10), part="sound")
    staged = broken.rows(scenario_job, jobs=min(broken.size, len(used_scenarios())), part="staged")
    first = sum(row["named"][:1] == [EDITS[row["name"]].finds] for row in tried)
    figures = {
        "broken": len(tried),
        "named before anything else": first,
        "sound games": len(whole),
        "sound scenarios": len(staged),
    }
    broken.judge([*tried, *whole, *staged], figures)
