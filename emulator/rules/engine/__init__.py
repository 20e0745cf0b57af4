"""The turn engine of generation 1: battles played on numbers alone, compiled; importing it takes numba."""
