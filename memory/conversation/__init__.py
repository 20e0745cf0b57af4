"""A conversation with a model that never runs out: messages become observations, observations a reflection."""
