"""Check of an owner's cartridge: does the game do what is written of it?"""
