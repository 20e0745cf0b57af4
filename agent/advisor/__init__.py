"""Questions to a model and typed answers; a failed question never stops play.

The client of Claude is in `agent.advisor.claude`. Import it only where it is used: the SDK takes a second to load.
"""
