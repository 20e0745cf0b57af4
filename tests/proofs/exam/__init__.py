"""The memory exam: questions about recorded games, answered from memory alone and graded with the truth from RAM."""
