"""How memory changes decisions: choices, costs and facts. Each use can be switched off."""
