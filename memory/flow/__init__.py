"""How the levels of memory feed each other, look after themselves, and show what they hold."""
