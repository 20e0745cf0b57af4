"""Nights under the real supervisor to which everything happens that happens to nights, and what must be true after each.

A *game* is one run played to its goal by a supervisor and the children it starts. A *fault* is done to it at a
*moment*. What the children say through a socket tells where they are and what they teach; all else is read from files.
"""
