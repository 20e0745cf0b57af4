"""Which function belongs to which part of a tick. What is called inside of one and not named is its caller's."""

from typing import Final

from agent.bench.stopwatch import Parts

CONSOLE: Final = "console"
PLANNING: Final = "planning"

# The only thing outside of ours; timed in every round.
NOT_OURS: Final[Parts] = {"emulator.pyboy_console:PyBoyConsole.perform": CONSOLE}

PARTS: Final[Parts] = {
    **NOT_OURS,
    "emulator.pyboy_console:PyBoyConsole.ram": "RAM read",
    "agent.loop:Loop.look": "state decoded",
    "agent.perception.eyes:Eyes.perceive": "perception",
    "emulator.pyboy_console:PyBoyConsole.screen": "frames read: the picture",
    "agent.perception.eyes:read_glyphs": "frames read: glyphs",
    "agent.perception.eyes:locate": "frames read: place",
    "agent.mind.mind:Mind.sense": "facts sensed",
    "agent.mind.mind:Mind.decide": "deciding",
    "agent.mind.mind:Mind.learn": "deciding",
    "agent.mind.mind:plan": PLANNING,
    "agent.skills.skill:Course.resume": "skills, with their routes",
    "memory.blackboard.hooks:Hooks.run": "remembering",
    "memory.tiers.consolidator:MemoryConsolidator.consolidate": "consolidation",
    "emulator.recording:RecordingConsole.perform": "recording",
    "emulator.pyboy_console:PyBoyConsole.digest": "recording: digests",
    "emulator.pyboy_console:PyBoyConsole.full_digest": "recording: digests",
    "agent.app.session:Session._checkpoint": "checkpoints",
    "emulator.pyboy_console:PyBoyConsole.save": "checkpoints: PyBoy's own saving",
    "agent.app.session:Session._show": "the moment, for who watches",
}
