"""Questions to a model and typed answers. Whatever happens to a question, play goes on.

Claude itself is in `agent.advisor.claude`, which only its users import: the SDK takes a second to load.
"""
