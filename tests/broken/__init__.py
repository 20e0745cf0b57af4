"""Demo cartridges that were broken on purpose, and whether `verify` says what is wrong with each."""
