"""How many tokens the server counts. Its own measure: it agrees with nobody's estimate, as the true one does not."""

import json
from collections.abc import Mapping
from typing import Any, Final

BYTES_A_TOKEN: Final = 3.6
PICTURE: Final = 1_600  # what a picture of some size counts as
FRAME: Final = 4  # around each block


def tokens_of_text(text: str) -> int:
    """Return how many tokens `text` counts as; 0 for none."""
    return round(len(text.encode()) / BYTES_A_TOKEN + 0.499)


def tokens_of_block(block: Mapping[str, Any]) -> int:
    """Return how many tokens a block of content or a tool's definition counts as, its frame included."""
    match block.get("type"):
        case "text":
            return FRAME + tokens_of_text(str(block.get("text", "")))
        case "image":
            return FRAME + PICTURE
        case "tool_result" if isinstance(block.get("content"), list):
            return FRAME + sum(tokens_of_block(each) for each in block["content"])
        case _:
            rest = {key: value for key, value in block.items() if key != "cache_control"}
            return FRAME + tokens_of_text(json.dumps(rest, ensure_ascii=False))
