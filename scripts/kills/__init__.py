"""Killing a playing agent, again and again, and holding all it keeps against what it had said was kept.

A *life* is one process that plays, resumed by the next one after a SIGKILL. A *lane* is one memory and the runs
played on it, life after life. What a life tells through its pipe makes an *image* of what its files must hold.
"""
