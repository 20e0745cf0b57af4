"""A conversation continues and loses no message when its processes are killed; recorded play becomes ten times smaller."""

from functools import partial

import pytest

from tests.proofs.conftest import Sized
from tests.proofs.conversations import conversation_job
from tests.proofs.play_talk import play_talk_job
from tests.proofs.workers import summed


@pytest.mark.proof
def test_killed_conversations_lose_no_message(proof: Sized) -> None:
    conversation = proof("conversation", 2)
    games = min(10, 2 * conversation.size)
    talks = conversation.rows(conversation_job)
    (play,) = conversation.rows(partial(play_talk_job, games), jobs=1, part=f"games-{games}")
    kills = summed(talks, "kills")
    figures = {
        "turns": sum(row["turns"] for row in talks),
        "kills": kills.total(),
        "kills by moment": kills,
        "most tokens of messages": max(row["most tokens of messages"] for row in talks),
        "most tokens of observations": max(row["most tokens of observations"] for row in talks),
        "recorded play": {
            name: value for name, value in play.items() if name not in ("name", "problems")
        },
    }
    conversation.judge([*talks, play], figures)
