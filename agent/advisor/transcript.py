"""The transcript of a conversation as it is sent: it only grows, so that the service's thinking and its cache stay valid.

The service accepts a thinking block only while everything before it is as it was. So each request begins with the last
one that was answered. Where that cannot be, after older messages became observations for example, older thinking is left
out for good. A question without an answer is not sent again: what was refused once would be refused with each later one.
"""

import datetime as dt
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from agent.advisor.model import Reply, Request
from agent.advisor.port import NoAnswerReason
from agent.advisor.prompt import AgeAnnotator, fill_prompt, prompt_file
from agent.advisor.reply import THINKING
from agent.advisor.request import bare, text
from agent.advisor.secrets import masked
from memory.store import Message, MessageOrigin

Block = Mapping[str, Any]
UNANSWERED: Final = "unanswered"  # the prompt stored after a question without an answer
REFUSED: Final = fill_prompt(UNANSWERED, reason=NoAnswerReason.REFUSED.value)
LEFT_BEHIND: Final = prompt_file("left_behind")  # after a whole conversation that is not accepted
_ID_PART: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Transcript:
    """The messages of one conversation that are sent, with the pictures of their questions and the thinking still valid.

    `ages` gives observations their age. `last_id` is the id of the last reply, '' before the first.
    """

    def __init__(self, today: Callable[[], dt.date] | None = None) -> None:
        self.ages = AgeAnnotator(today)
        self.last_id = ""
        self._without_thinking_seq = 0
        self._last: Request | None = None
        # The last request that was answered, and its reply.
        self._answered: tuple[Request | None, str] = (None, "")
        self._pictures: dict[str, Block] = {}  # by the text of the question

    def show(self, question: str, picture: Block) -> None:
        """Send `picture` with the message that begins with the text `question`, for as long as that message is sent."""
        self._pictures[question] = picture

    def begin(self) -> None:
        """Begin a question: what was sent since the last answer is not sent again."""
        self._last, self.last_id = self._answered

    def end(self) -> None:
        """End a question that was answered."""
        self._answered = self._last, self.last_id

    def request(
        self, tail: Sequence[Message], lay_out: Callable[[Sequence[Message]], Request]
    ) -> Request:
        """Return the next request, laid out by `lay_out` from the messages to send, without thinking that is not valid."""
        texts = {_first_text(each) for each in tail}
        self._pictures = {each: self._pictures[each] for each in self._pictures if each in texts}
        request = lay_out(self._shown(tail))
        if not _continues(request, self._last) and tail and any(map(_has_thinking, tail)):
            self._without_thinking_seq = tail[-1].seq
            request = lay_out(self._shown(tail))
        self._last = request
        return request

    def _shown(self, tail: Sequence[Message]) -> list[Message]:
        return [self._message(each) for each in tail]

    def _message(self, message: Message) -> Message:
        if message.seq <= self._without_thinking_seq and _has_thinking(message):
            return replace(
                message, blocks=tuple(each for each in message.blocks if not _thinks(each))
            )
        picture = self._pictures.get(_first_text(message)) if message.role == "user" else None
        return message if picture is None else replace(message, blocks=(picture, *message.blocks))


def sent(tail: Sequence[Message]) -> list[Message]:
    """Return those messages of `tail` that are sent: the answered questions, and the last one, which is in progress.

    Nothing is sent that stands before a conversation left behind, or before two questions refused in a row.
    """
    kept, was_refused = list[Message](), False
    *earlier, last = _questions(tail)
    for question in earlier:
        said = {_first_text(each) for each in question if each.origin is MessageOrigin.INJECTED}
        if LEFT_BEHIND in said or (was_refused and REFUSED in said):
            kept = []
        elif question and question[-1].role == "assistant" and not tool_calls(question[-1].blocks):
            kept += question
        was_refused = REFUSED in said
    return [*kept, *last]


def _questions(messages: Iterable[Message]) -> list[list[Message]]:
    """Return the messages by question; the first group may be the rest of one whose begin is observed."""
    found = [list[Message]()]
    for each in messages:
        if each.origin is MessageOrigin.PLAY and _first_text(each):  # not the result of a tool
            found.append([])
        found[-1].append(each)
    return found


def _continues(request: Request, last: Request | None) -> bool:
    """Return whether `request` begins with the whole of `last`, cache marks apart."""
    if last is None or (request.model, request.tools) != (last.model, last.tools):
        return False
    before, now = _blocks(last), _blocks(request)
    return bare(request.system) == bare(last.system) and now[: len(before)] == before


def _blocks(request: Request) -> list[tuple[str, Block]]:
    return [(turn["role"], each) for turn in request.messages for each in bare(turn["content"])]


def _first_text(message: Message) -> str:
    return str(message.blocks[0].get("text", "")) if message.blocks else ""


def _thinks(block: Block) -> bool:
    return block["type"] in THINKING


def _has_thinking(message: Message) -> bool:
    return any(map(_thinks, message.blocks))


def text_of(reply: Reply) -> str:
    """Return the whole text of a reply."""
    return "".join(each["text"] for each in reply.blocks if each["type"] == "text")


def stored_text(reply: Reply, mask: Callable[[str], str]) -> list[dict[str, Any]]:
    """Return the text of an incomplete reply as a list of one block, or an empty list when there is no text."""
    words = mask(text_of(reply))
    return [text(words)] if words.strip() else []


def stored_reply(
    reply: Reply, taken: Collection[str], mask: Callable[[str], str], *, calls: bool
) -> list[dict[str, Any]]:
    """Return the blocks to store of a complete reply, with its thinking; no id of a call is one of `taken`.

    Tool calls are stored only with `calls`, when they are to be run. The result is empty when only thinking is left.
    """
    ids, kept, complete = set(taken), list[dict[str, Any]](), 0
    for block in reply.blocks:
        match block["type"]:
            case "text" if block["text"].strip():
                kept.append(text(mask(block["text"])))
                complete = len(kept)
            case "tool_use" if calls:
                name = "_".join(_ID_PART.findall(mask(block["name"]))) or "unnamed"
                call = {"type": "tool_use", "id": _id(mask(block["id"]), ids), "name": name[:64]}
                ids.add(call["id"])
                # The input is stored here, and a tool may store it too.
                kept.append(call | {"input": masked(block["input"], mask)})
                complete = len(kept)
            case kind if kind in THINKING and _is_signed(block):
                kept.append(dict(block))
            case _:
                pass
    return kept[:complete]  # a turn does not end with thinking


def _is_signed(block: Block) -> bool:
    """Return whether a thinking block can be sent back: servers other than Anthropic's do not sign it."""
    return bool(block.get("signature" if block["type"] == "thinking" else "data"))


def tool_calls(blocks: Iterable[Block]) -> list[Block]:
    """Return the blocks that call a tool."""
    return [each for each in blocks if each["type"] == "tool_use"]


def call_ids(messages: Iterable[Message]) -> set[str]:
    """Return the ids of all calls in `messages`."""
    return {call["id"] for message in messages for call in tool_calls(message.blocks)}


def _id(name: str, taken: Collection[str]) -> str:
    """Return a valid id that is not taken; the service refuses every later request with two equal ids."""
    if _ID_PART.fullmatch(name) and name not in taken:
        return name
    count = len(taken)
    while f"call_{count}" in taken:
        count += 1
    return f"call_{count}"
