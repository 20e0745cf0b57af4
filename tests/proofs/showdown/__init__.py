"""Pokemon Showdown's generation-1 engine as an oracle for the turn engine; Node and its packages are used by proofs only."""
