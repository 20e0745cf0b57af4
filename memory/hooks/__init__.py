"""Memory observes: methods opened to handlers, pointcuts that choose among them, producers that remember."""
