"""Reports of runs: a page for people, several runs compared, and figures for programs."""
