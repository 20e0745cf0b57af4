"""One-line observations of tool calls and events: extracted by rules, and shown to a model in one block."""
