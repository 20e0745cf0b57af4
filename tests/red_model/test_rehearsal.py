"""Games of Red in the model, on the ground, people and teams of the facts."""

import pytest

from agent.story.story import Story
from emulator import CartridgeKind
from tests.emulator.synthetic.facts import FOLDER, MISSING

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=MISSING)
LAST = "third_badge"


def test_a_game_of_red_is_rehearsed_from_the_bedroom_to_the_third_badge() -> None:
    from tests.red_model.rehearsal import rehearse_red

    game = rehearse_red(1, LAST)
    assert (game.stop, game.reason) == ("goal", "")
    assert set(game.milestones) == set(Story.of(CartridgeKind.RED).up_to(LAST))
    assert game.milestones[LAST].blackouts <= 3
