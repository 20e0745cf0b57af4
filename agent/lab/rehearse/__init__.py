"""Whole games in a model of the cartridge: the mind is real, carrying out its actions is modelled."""
