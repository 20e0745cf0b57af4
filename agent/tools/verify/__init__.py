"""Check of an owner's cartridge: does the game do what is written of it?"""

from agent.tools.verify.fact import FactLog, FactStatus
from agent.tools.verify.game import CartridgeVerdict, VerifyRequest, page, verify

__all__ = [
    "CartridgeVerdict",
    "FactLog",
    "FactStatus",
    "VerifyRequest",
    "page",
    "verify",
]
