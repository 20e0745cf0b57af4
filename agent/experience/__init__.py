"""What memory changes of play: choices, costs and facts. Each use of it can be switched off."""
