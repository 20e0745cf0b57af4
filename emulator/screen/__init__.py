"""Pictures: pixels and tiles, and the text and place that they show."""
