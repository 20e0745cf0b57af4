"""Which function belongs to which part of a tick. What is called inside of one and not named is its caller's."""

from typing import Final

from agent.bench.stopwatch import Parts

CONSOLE: Final = "console"
SAVING: Final = "checkpoints: PyBoy's own saving"
CHECKPOINTS: Final = "checkpoints"
PLANNING: Final = "planning"

# What goes on inside of PyBoy, timed in every round. What we make of a saved state is ours again.
INSIDE: Final[Parts] = {
    "emulator.pyboy_console:PyBoyConsole.perform": CONSOLE,
    "emulator.pyboy_console:PyBoyConsole.save": SAVING,
    "emulator.pyboy_console:encode_state": CHECKPOINTS,
}

PARTS: Final[Parts] = {
    **INSIDE,
    "emulator.pyboy_console:PyBoyConsole.ram": "RAM read",
    "agent.loop:Loop.look": "state decoded",
    "agent.perception.eyes:Eyes.perceive": "perception",
    "emulator.pyboy_console:PyBoyConsole.screen": "frames read: the picture",
    "agent.perception.eyes:read_glyphs": "frames read: glyphs",
    "agent.perception.eyes:locate": "frames read: place",
    "agent.mind.mind:Mind.sense": "facts sensed",
    "agent.mind.mind:Mind.decide": "deciding",
    "agent.mind.mind:Mind.learn": "deciding",
    "agent.mind.counsel:plan": PLANNING,
    "agent.skills.skill:Course.resume": "skills, with their routes",
    "memory.hooks.hooks:Hooks.run": "remembering",
    "memory.tiers.consolidator:MemoryConsolidator.consolidate": "consolidation",
    "emulator.recording:RecordingConsole.perform": "recording",
    "emulator.pyboy_console:PyBoyConsole.digest": "recording: digests",
    "emulator.pyboy_console:PyBoyConsole.full_digest": "recording: digests",
    "agent.app.session:Session._checkpoint": CHECKPOINTS,
    "agent.app.session:Session._show": "the moment, for who watches",
}
