"""Pictures: their pixels and tiles, the text and the place that they show."""
