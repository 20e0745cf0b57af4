"""How the levels of memory feed each other, keep themselves tidy, and show what they hold."""
