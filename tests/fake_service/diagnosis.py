"""Reports why a request could not use the cache of an earlier one."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tests.fake_service.prompt_cache import PromptPiece

MAX_STORED: Final = 1_000  # prompts stored for comparison


class Diagnosis:
    """The prompts of answered messages, compared with later requests."""

    def __init__(self) -> None:
        self._prompts: dict[
            str, tuple[str, Sequence[PromptPiece]]
        ] = {}  # by message: model and pieces

    def remember(self, message_id: str, model: str, pieces: Sequence[PromptPiece]) -> None:
        """Store the prompt that `message_id` answered."""
        self._prompts[message_id] = model, pieces
        if len(self._prompts) > MAX_STORED:
            del self._prompts[next(iter(self._prompts))]  # the oldest

    def of(
        self, body: Mapping[str, Any], pieces: Sequence[PromptPiece]
    ) -> dict[str, object] | None:
        """Return `diagnostics` for the request, or None when not requested or when nothing changed."""
        previous = (body.get("diagnostics") or {}).get("previous_message_id")
        if previous is None:
            return None
        if previous not in self._prompts:
            return {"cache_miss_reason": {"type": "previous_message_not_found"}}
        model, before = self._prompts[previous]
        if model != body["model"]:
            return _reason("model_changed", before, 0)
        same = _same(before, pieces)
        if same == len(before):
            return None
        return _reason(_changed(before, pieces, same), before, same)


def _same(before: Sequence[PromptPiece], after: Sequence[PromptPiece]) -> int:
    pairs = zip(before, after, strict=False)
    return next(
        (at for at, (old, new) in enumerate(pairs) if old.digest != new.digest),
        min(len(before), len(after)),
    )


def _changed(before: Sequence[PromptPiece], after: Sequence[PromptPiece], same: int) -> str:
    sections = {
        each[same].section.partition(".")[0] for each in (before, after) if same < len(each)
    }
    for section in ("tools", "format", "system"):
        if section in sections:
            # Changes outside tools, system and messages have no reason of their own.
            return "unavailable" if section == "format" else f"{section}_changed"
    return "messages_changed"


def _reason(kind: str, before: Sequence[PromptPiece], same: int) -> dict[str, object]:
    if kind == "unavailable":
        return {"cache_miss_reason": {"type": kind}}
    marked = max((each.tokens for each in before if each.ttl), default=0)
    kept = before[same - 1].tokens if same else 0
    missed = max(marked - kept, 0)
    return {"cache_miss_reason": {"type": kind, "cache_missed_input_tokens": missed}}
