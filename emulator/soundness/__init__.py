"""Whether a decoded cartridge is sound: what holds for every image that plays, checked."""
