"""Whether a secret is in any file of a folder, as it is or in a common disguise."""

import base64
from pathlib import Path
from urllib.parse import quote


def leaks(folder: Path, secret: str, *said: str) -> list[str]:
    """Return the names of the files below `folder` that have `secret` in them, and `said (n)` for words that do."""
    forms = _forms(secret)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    found = [str(path.relative_to(folder)) for path in files if _has(path.read_bytes(), forms)]
    words = [f"said ({at})" for at, each in enumerate(said) if _has(each.encode(), forms)]
    return found + words


def _has(content: bytes, forms: list[bytes]) -> bool:
    return any(form in content for form in forms)


def _forms(secret: str) -> list[bytes]:
    """Return what the secret looks like; of base64 the part that is the same wherever it begins."""
    raw = secret.encode()
    coded = [base64.b64encode(b"\0" * before + raw)[4:-4] for before in range(3)]
    return [raw, raw[::-1], raw.hex().encode(), quote(secret, safe="").encode(), *coded]
