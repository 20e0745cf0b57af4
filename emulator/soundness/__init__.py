"""Invariants that every sound cartridge keeps, and the survey of one by all of them."""

from emulator.soundness.check import CartridgeCheck
from emulator.soundness.survey import UNSOUND_ADVICE, refuse_unsound, survey

__all__ = ["UNSOUND_ADVICE", "CartridgeCheck", "refuse_unsound", "survey"]
