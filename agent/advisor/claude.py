"""Claude through the anthropic SDK: the one file that knows it."""
