"""Conversations that go on and on, killed in between, and what an oracle finds in their file."""
