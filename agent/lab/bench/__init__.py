"""What play costs beside the emulator, how well battles are fought, and what memory and a model cost and gain."""
