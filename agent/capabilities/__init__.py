"""The capabilities of the agent, one topic a file; `registry` lists them in order."""
