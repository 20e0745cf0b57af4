"""The two SQLite files of memory: the record of one run, and the knowledge that outlives runs."""
