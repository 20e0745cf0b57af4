"""What the tokens of a request go to, by the measure of the loopback server."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from agent.advisor.model import Reply, Request
from agent.advisor.remembered import remembered
from agent.bench.model.figures import MEMORY, CallTokens
from agent.fake_claude.tokens import tokens_of_block, tokens_of_text

RULES: Final = "rules, tools and the form of an answer"
NOTES: Final = "memory: notes of the last session"
OBSERVED: Final = "memory: what became of the older conversation"
BLOCK: Final = "memory: what this session observed"
STATE: Final = "what is asked at this moment"
TAIL: Final = "the conversation: questions, answers, tools"


def call_tokens(request: Request, purpose: str, reply: Reply) -> CallTokens:
    """Return the tokens of one call that was answered."""
    usage = reply.usage
    kinds = {
        "cache_read": usage.cache_read,
        "cache_write_1h": usage.cache_write_1h,
        "cache_write_5m": usage.cache_write_5m,
        "input": usage.input,
        "output": usage.output,
    }
    if purpose in MEMORY:
        return CallTokens(purpose, kinds, {}, sum(kinds.values()))
    parts = parts_of(request)
    return CallTokens(purpose, kinds, parts, sum(parts[name] for name in (NOTES, OBSERVED, BLOCK)))


def parts_of(request: Request) -> Counter[str]:
    """Return how many tokens of `request` each of its parts takes."""
    parts = Counter({RULES: _rules(request)})
    for words in remembered(request):
        parts[_kind(words, request)] += tokens_of_text(words)
    *earlier, last = [block for each in request.messages for block in each["content"]]
    within = sum(tokens_of_text(each) for each in remembered_in([last]))
    parts[STATE] = tokens_of_block(last) - within
    parts[TAIL] = _size(earlier) - sum(tokens_of_text(each) for each in remembered_in(earlier))
    return parts


def remembered_in(blocks: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """Yield what memory put into some blocks of messages."""
    return remembered(Request("", (), [{"role": "user", "content": list(blocks)}], 0))


def _rules(request: Request) -> int:
    form = {"type": "json_schema", "schema": request.output_schema}
    return _size([*request.tools, form, *request.system[:1]])


def _kind(words: str, request: Request) -> str:
    if words.startswith("<memory>"):
        return NOTES
    is_older = any(words == each["text"] for each in request.system) or words.startswith("<system")
    return OBSERVED if is_older else BLOCK


def _size(blocks: Iterable[Mapping[str, Any]]) -> int:
    return sum(map(tokens_of_block, blocks))
