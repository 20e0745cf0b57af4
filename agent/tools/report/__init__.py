"""Reports of runs: an HTML page, a comparison of several runs, and figures as JSON and CSV."""
