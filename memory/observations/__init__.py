"""What calls come to, in one line each: drawn by rules, kept by session, shown to a model in one block."""
