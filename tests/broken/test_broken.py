"""Every way of breaking the demo is still there to be tried, and `verify` names those that show soon."""

import os

import pytest

from agent.story import Story
from agent.tools.verify.game import Roster
from emulator import CartridgeKind, demo_cartridge_path, load_cartridge
from tests.broken.building import is_possible
from tests.broken.edits import Edit, EditError, read_edits
from tests.broken.trying import try_out

EDITS = {edit.name: edit for edit in read_edits()}
QUICK = sorted(name for name, edit in EDITS.items() if edit.quick)


@pytest.mark.parametrize("name", QUICK)
def test_what_is_broken_is_named(name: str) -> None:
    if not is_possible():
        if os.environ.get("CI") == "true":
            pytest.fail("CI must have sdcc")
        pytest.skip("sdcc is not installed")
    tried = try_out(EDITS[name])
    assert tried.is_named, f"{EDITS[name].says}: {tried.named or 'nothing'} was named"


def test_at_least_a_dozen_are_tried_each_time() -> None:
    assert len(QUICK) >= 12


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_each_edit_fits_the_sources(edit: Edit) -> None:
    assert edit.applied(edit.source) != edit.source


def test_an_edit_that_does_not_fit_says_so() -> None:
    edit = next(iter(EDITS.values()))
    with pytest.raises(EditError, match=r"mend edits\.toml"):
        edit.applied("")


def test_edits_are_against_facts_that_are_known() -> None:
    known = Roster(load_cartridge(demo_cartridge_path())).log.rows.keys()
    milestones = {milestone.id for milestone in Story.of(CartridgeKind.DEMO).milestones}
    assert {edit.finds for edit in EDITS.values()} <= known
    assert {edit.until for edit in EDITS.values()} <= milestones
