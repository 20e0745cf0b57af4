"""What the agent can do, one topic a file; `registry` lists them in order."""
