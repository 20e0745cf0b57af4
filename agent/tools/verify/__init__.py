"""Check of an owner's cartridge: does the game do what is written of it?"""

from agent.tools.verify.fact import FactLog
from agent.tools.verify.game import VerifyRequest, frames_of, verify
from agent.tools.verify.verdict import CartridgeVerdict, FactStatus, page

__all__ = [
    "CartridgeVerdict",
    "FactLog",
    "FactStatus",
    "VerifyRequest",
    "frames_of",
    "page",
    "verify",
]
