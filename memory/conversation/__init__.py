"""A model conversation of unlimited length: messages become observations, observations become a reflection.

What only some runs need is loaded when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

from memory.conversation.config import ConversationConfig, parse_config
from memory.conversation.format import clock_words
from memory.conversation.messages import escape_tags
from memory.conversation.port import CondensingFailed, ConversationEvent, ConversationEventKind
from memory.conversation.situation_format import Failure, Situation
from memory.conversation.view import (
    ConversationView,
    Injected,
    Now,
    annotate_ages,
    inject,
    with_reminder,
)

if TYPE_CHECKING:
    from memory.conversation.conversation import Conversation, conversations_of
    from memory.conversation.jobs import Dependencies, run_in_thread
    from memory.conversation.model import ModelObserver, ModelReflector
    from memory.conversation.rules import HeuristicObserver, HeuristicReflector
else:
    LATER: Final = {
        "Conversation": "memory.conversation.conversation",
        "Dependencies": "memory.conversation.jobs",
        "HeuristicObserver": "memory.conversation.rules",
        "HeuristicReflector": "memory.conversation.rules",
        "ModelObserver": "memory.conversation.model",
        "ModelReflector": "memory.conversation.model",
        "conversations_of": "memory.conversation.conversation",
        "run_in_thread": "memory.conversation.jobs",
    }

    def __getattr__(name: str) -> object:
        """Return a name of LATER."""
        if name not in LATER:
            raise AttributeError(name)
        return getattr(import_module(LATER[name]), name)
