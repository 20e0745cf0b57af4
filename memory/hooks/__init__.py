"""Methods opened to handlers, pointcuts that choose among them, and producers that write what they see."""
