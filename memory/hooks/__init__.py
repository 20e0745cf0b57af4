"""How memory observes an agent: methods that can be watched, and what is made of their calls."""
