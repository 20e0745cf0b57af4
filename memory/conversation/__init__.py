"""A model conversation of unlimited length: messages become observations, observations become a reflection."""
