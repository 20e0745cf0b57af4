"""How an agent reads its memory and changes it on purpose: queries, their ranking, and actions."""
