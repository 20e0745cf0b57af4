"""Parts of the Messages API that a server or a model may lack: found out by its refusals, and then done without.

A refusal names a part, or it does not: then a server other than Anthropic's, which has not answered yet, is asked once
with nothing but the essentials. Knows requests and faults. Knows no SDK.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Final

from agent.advisor.model import FaultKind, ModelFault
from agent.advisor.reply import THINKING
from agent.advisor.request import MARK, text


class ServiceFeature(Enum):
    """A part that a server may lack; the value is its name in a summary and in the events of a run."""

    DIAGNOSTICS = "cache diagnostics"
    CACHE = "prompt cache"
    EFFORT = "effort"
    STRICT = "strict tools"
    FORMAT = "structured output"
    KEPT_THINKING = "earlier thinking"
    THINKING = "thinking"
    PICTURES = "pictures"
    TOOLS = "tools"
    COUNTING = "counting of tokens"


# The words of a refusal by the part that they name; the first that fits counts.
_NAMED: Final = {
    ServiceFeature.DIAGNOSTICS: r"diagnostics|previous_message_id",
    ServiceFeature.CACHE: r"cache_control|\bcach(?:e|ing)\b",
    ServiceFeature.EFFORT: r"effort",
    ServiceFeature.STRICT: r"\bstrict\b|optional parameters|grammar",
    ServiceFeature.FORMAT: r"output_config|output_format|json_schema|structured output",
    ServiceFeature.KEPT_THINKING: r"signature|thinking`? block|redacted_thinking",
    ServiceFeature.THINKING: r"thinking|reasoning",
    ServiceFeature.PICTURES: r"\bimages?\b|vision|multimodal",
    ServiceFeature.TOOLS: r"\btools?\b",
}
# A refusal of a part, not of what is in it.
_REFUSES: Final = re.compile(
    r"support|not permitted|not allowed|extra |unknown|unrecognized|unexpected|invalid|requires|too many|should (?:be|match)"
)
_OF_CONTENT: Final = re.compile(r"tool_use|tool_result|too long|could not process image")
# What a request is still worth asking without.
_PLAIN: Final = frozenset(ServiceFeature) - {
    ServiceFeature.KEPT_THINKING,
    ServiceFeature.PICTURES,
    ServiceFeature.TOOLS,
    ServiceFeature.COUNTING,
}
_NOT_SERVED: Final = re.compile(r"status (?:404|405|501)\b")

Body = dict[str, Any]
Block = Mapping[str, Any]


class ServiceFeatures:
    """The parts that each model of a server lacks, as far as they were found out. `is_own`: the server is Anthropic's."""

    def __init__(self, *, is_own: bool) -> None:
        self._is_own = is_own
        self._missing: dict[str, set[ServiceFeature]] = defaultdict(set)
        self._tried: dict[str, frozenset[ServiceFeature]] = {}  # left out together, by model
        # Models that are not asked for the essentials alone any more.
        self._judged: set[str] = set()

    @property
    def missing(self) -> dict[str, list[str]]:
        """The names of the parts that are left out, by model, in their order."""
        found = {
            model: [e.value for e in ServiceFeature if e in each]
            for model, each in self._missing.items()
        }
        return {model: names for model, names in found.items() if names}

    def leave_out(self, model: str, names: Iterable[str]) -> None:
        """Leave out the parts of these names, as found out before."""
        known = set(names)
        self._missing[model] |= {each for each in ServiceFeature if each.value in known}

    def lacks(self, model: str, feature: ServiceFeature) -> bool:
        """Return whether `feature` is left out."""
        return feature in self._missing[model]

    def answered(self, model: str) -> None:
        """Note that the server accepted a request as it is made now."""
        self._judged.add(model)
        self._tried.pop(model, None)

    def learn(self, fault: ModelFault, model: str) -> bool:
        """Return whether the refused request is worth sending again, without a part that it had."""
        is_server = fault.kind is FaultKind.SERVER and not self._is_own
        if fault.kind is not FaultKind.BAD_REQUEST and not is_server:
            return False
        missing, tried = self._missing[model], self._tried.pop(model, None)
        if tried is not None:  # the essentials were refused, too: the reason is another one
            missing -= tried
            self._judged.add(model)
            return False
        named = _named_in(fault.detail.lower())
        if named is not None and named not in missing:
            missing.add(named)
            return True
        if is_server:  # it may be a passing one
            return False
        if self._is_own or model in self._judged or missing >= _PLAIN:
            return False
        self._tried[model] = _PLAIN - missing
        missing |= _PLAIN
        return True

    def learn_counting(self, fault: ModelFault, model: str) -> None:
        """Note whether the server counts no tokens at all."""
        if _NOT_SERVED.match(fault.detail):
            self._missing[model].add(ServiceFeature.COUNTING)

    def without_missing(self, body: Body) -> Body:
        """Return the body of a request without the parts that its model lacks."""
        missing = self._missing[body["model"]]
        if not missing:
            return body
        body = dict(body)
        output = dict(body.pop("output_config", {}))
        for feature, name in ((ServiceFeature.EFFORT, "effort"), (ServiceFeature.FORMAT, "format")):
            if feature in missing:
                output.pop(name, None)
        if output:
            body["output_config"] = output
        for feature, name in (
            (ServiceFeature.DIAGNOSTICS, "diagnostics"),
            (ServiceFeature.THINKING, "thinking"),
            (ServiceFeature.TOOLS, "tools"),
        ):
            if feature in missing:
                body.pop(name, None)
        left_out = [MARK] * (ServiceFeature.CACHE in missing)
        left_out += ["strict"] * (ServiceFeature.STRICT in missing)
        for name in ("system", "tools"):
            if name in body:
                body[name] = [_less(each, left_out) for each in body[name]]
        body["messages"] = list(_messages(body["messages"], missing, left_out))
        return body


def _named_in(words: str) -> ServiceFeature | None:
    """Return the part that a refusal names, or None."""
    if re.search(_NAMED[ServiceFeature.KEPT_THINKING], words):
        return ServiceFeature.KEPT_THINKING
    if not _REFUSES.search(words) or _OF_CONTENT.search(words):
        return None
    return next((each for each, named in _NAMED.items() if re.search(named, words)), None)


def _less(block: Block, names: Sequence[str]) -> dict[str, Any]:
    return {name: block[name] for name in block if name not in names}


def _messages(
    messages: Iterable[Block], missing: set[ServiceFeature], left_out: Sequence[str]
) -> Iterator[dict[str, Any]]:
    for message in messages:
        if isinstance(message["content"], str):
            yield dict(message)
        elif content := [*_kept(message["content"], missing, left_out)]:
            yield {**message, "content": content}


def _kept(
    blocks: Iterable[Block], missing: set[ServiceFeature], left_out: Sequence[str]
) -> Iterator[dict[str, Any]]:
    without_thinking = missing & {ServiceFeature.THINKING, ServiceFeature.KEPT_THINKING}
    for block in blocks:
        match block["type"]:
            case kind if kind in THINKING and without_thinking:
                continue
            case "image" if ServiceFeature.PICTURES in missing:
                continue
            case "tool_use" | "tool_result" if ServiceFeature.TOOLS in missing:
                yield text(
                    f"({block['type']}: {json.dumps(block.get('input') or block.get('content'))})"
                )
            case _:
                yield _less(block, left_out)
