"""How an agent observes its memory: questions, their ranking, and deeds that change it on purpose."""
