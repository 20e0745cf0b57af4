"""An owner's check of their cartridge: does the game do what is written of it?"""

from agent.verify.fact import Fact, Notebook
from agent.verify.game import Wish, frames_of, verify
from agent.verify.page import page
from agent.verify.verdict import Row, Standing, Verdict

__all__ = ["Fact", "Notebook", "Row", "Standing", "Verdict", "Wish", "frames_of", "page", "verify"]
