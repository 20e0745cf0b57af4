"""What play leaves in memory: producers of entries, battles, actions, observations and answers, by hooks that change no play."""
