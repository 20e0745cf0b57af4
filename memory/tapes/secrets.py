"""What keys and tokens look like, so that none of them ever gets onto a tape."""

from __future__ import annotations

import re
from typing import Final

MASKED: Final = "[masked]"
_NAMES: Final = r"x-api-key|api[_-]?key|auth[_-]?token|authorization|password|secret"
# A text without any of the words before it need not be searched for the pattern; most texts have none.
_SECRETS: Final = (
    (("sk-",), re.compile(r"\bsk-[A-Za-z0-9_-]{16,}")),  # Anthropic's, OpenAI's
    (("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,}")),
    (("github_pat_",), re.compile(r"\bgithub_pat_\w{20,}")),
    (("akia",), re.compile(r"\bAKIA[0-9A-Z]{16}\b")),  # Amazon's
    (("://",), re.compile(r"(?<=://)[^\s/:@]+:[^\s/@]+(?=@)")),  # a password in an address
    (("bearer",), re.compile(r"(?<=\bbearer\s)[A-Za-z0-9._~+/=-]{16,}", re.IGNORECASE)),
    (
        ("key", "token", "authorization", "password", "secret"),
        re.compile(
            rf"""(?<![A-Za-z])((?:{_NAMES})["']?\s*[:=]\s*["']?)(?!bearer\b)[A-Za-z0-9._~+/=-]{{8,}}""",
            re.IGNORECASE,
        ),
    ),
    (
        ("private key",),
        re.compile(
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
            re.DOTALL,
        ),
    ),
)


def mask_secrets(text: str) -> str:
    """Return `text` with `[masked]` in the place of whatever looks like a key, a token or a password."""
    lowered = text.lower()
    for words, pattern in _SECRETS:
        if any(word in lowered for word in words):
            text = pattern.sub(lambda found: (found[1] if found.re.groups else "") + MASKED, text)
    return text
