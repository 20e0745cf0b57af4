"""The demo cartridge's world: readable sources and the compiler that makes ROM tables of them."""
