"""What is written of the game, a topic a file: the sentences, and who looks whether they hold."""
