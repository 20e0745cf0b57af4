"""A server on loopback that speaks the Messages API and is no model: to try play with a model without a key."""

from agent.fake_claude.server import FakeClaude

__all__ = ["FakeClaude"]
