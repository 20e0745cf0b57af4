"""What asking a model costs, and the limits that hold whatever happens."""
