"""The arithmetic of the game's battles, exact to the last bit; holds no creature, move or type."""
