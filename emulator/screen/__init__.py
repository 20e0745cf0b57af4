"""What the picture shows, read from pixels alone: tiles, glyphs and the scene."""
