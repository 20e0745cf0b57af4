"""The demo cartridge's world: readable sources, and the compiler that turns them into ROM tables."""
