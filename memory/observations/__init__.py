"""One-line observations of tool calls and events: extracted by rules, and rendered for a model as one block."""
